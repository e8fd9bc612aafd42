// Undefined bits between lanes: shuffles, votes, matches and reductions.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "devices/emulated/shadow/definedness.h"
#include "devices/emulated/state/columns.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

using isa::warp_size;

// All lanes' sources are read before any result is written: groups that share a frame may shuffle in place.
void Definedness::routed(const LaneRouting& routing) {
  LaneMask absent = 0;  // lanes whose source does not take part
  for_lanes(routing.present, [&](unsigned lane) {
    if (!contains(routing.present, routing.from[lane])) absent |= bit(lane);
  });
  bool any_undefined = false;
  for (const DivergentGroup& group : routing.warp.groups_of(routing.members))
    any_undefined |= group.frame->undefined.any();
  if (!any_undefined && absent == 0) return;
  Shuffled held;
  for (const DivergentGroup& group : routing.warp.groups_of(routing.members)) {
    const std::uint32_t row = group.instruction().operand[LaneRouting::source];
    const UndefinedBits::Row* undefined = group.frame->undefined.find(row);
    if (!undefined) continue;
    const auto* bits = reinterpret_cast<const std::uint32_t*>(group.frame->undefined_bits() + row);
    for_lanes(group.lanes, [&](unsigned lane) {
      held.bits[lane] = bits[lane];
      held.origin[lane] = undefined->origin;
    });
  }
  for (const DivergentGroup& group : routing.warp.groups_of(routing.members)) {
    const LaneMask its_absent = absent & group.lanes;
    if (any_undefined || its_absent != 0) route_to(routing, group, held, its_absent);
  }
}

// A shuffle's result is undefined where its source is; the value of an absent lane is undefined.
void Definedness::route_to(const LaneRouting& routing, const DivergentGroup& group, const Shuffled& held,
                           LaneMask absent) {
  const Instruction& i = group.instruction();
  std::optional<OriginId> origin;
  std::array<std::uint32_t, warp_size> result{};
  for_lanes(group.lanes & ~absent, [&](unsigned lane) {
    const unsigned from = routing.from[lane];
    result[lane] = held.bits[from];
    if (result[lane] != 0 && !origin) origin = held.origin[from];
  });
  if (absent != 0) {
    const auto lane = first_lane(absent);
    origin = origin_at(Kind::undefined_shuffle_source, i, routing.warp, lane, [&] {
      return fmt::format("a shuffle in which thread {} reads from lane {}, which does not participate",
                         index_text(geometry_.thread(routing.warp, lane).thread), routing.from[lane]);
    });
    for_lanes(absent, [&](unsigned one) { result[one] = ~0u; });
  }
  UndefinedBits& shadow = group.frame->undefined;
  const std::uint32_t target = i.operand[LaneRouting::result], predicate = i.operand[LaneRouting::predicate];
  auto* bits = reinterpret_cast<std::uint32_t*>(group.frame->undefined_bits() + target);
  for_lanes(group.lanes, [&](unsigned lane) { bits[lane] = result[lane]; });
  shadow.update(target, 4, origin);
  if (predicate != isa::no_operand) shadow.define(predicate, group.lanes);
}

// Every lane's result depends on the operand of each present lane. A ballot has one bit for each.
void Definedness::gathered(const Gather& gather) {
  LaneMask undefined = 0;
  std::optional<OriginId> origin;
  bool any_undefined = false;
  for (const DivergentGroup& group : gather.warp.groups_of(gather.members)) {
    any_undefined |= group.frame->undefined.any();
    const std::uint32_t row = group.instruction().operand[gather.source];
    const LaneMask lanes = group.frame->undefined.lanes(row) & group.lanes;
    if (lanes == 0) continue;
    undefined |= lanes;
    if (!origin) origin = group.frame->undefined.find(row)->origin;
  }
  if (!any_undefined) return;
  const std::uint32_t bytes = gather.gives == Gather::Gives::predicate ? 0 : 4;
  for (const DivergentGroup& group : gather.warp.groups_of(gather.members)) {
    UndefinedBits& shadow = group.frame->undefined;
    // Operands before the source are results: match.all also has a predicate.
    for (unsigned result = 0; result < gather.source; ++result)
      if (const std::uint32_t row = group.instruction().operand[result]; row != isa::no_operand)
        shadow.define(row, group.lanes);
    if (undefined == 0) continue;
    const std::uint32_t target = group.instruction().operand[0];
    std::byte* row = group.frame->undefined_bits() + target;
    for_lanes(group.lanes, [&](unsigned lane) {
      mark_undefined(row, bytes, lane);
      if (gather.gives == Gather::Gives::ballot) std::memcpy(row + lane * 4, &undefined, sizeof undefined);
    });
    shadow.update(target, bytes, origin);
  }
}

}  // namespace foldproof::emulated
