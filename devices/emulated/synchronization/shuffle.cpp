// shfl.sync (ISA 9.7.9.6).
#include <array>

#include "devices/emulated/state/columns.h"
#include "devices/emulated/state/places.h"
#include "devices/emulated/synchronization/warp_sync.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

using isa::warp_size;

// Sets the source of each lane of a group, the lane itself if the source is out of range. Returns the lanes
// whose source is in range.
LaneMask find_sources(const DivergentGroup& group, std::array<std::uint8_t, warp_size>& source) {
  const Instruction& i = group.instruction();
  std::byte* registers = group.frame->registers();
  const auto* b = isa::row<std::uint32_t>(registers, i.operand[LaneRouting::lane]);
  const auto* c = isa::row<std::uint32_t>(registers, i.operand[LaneRouting::bounds]);
  LaneMask in_range = 0;
  for_lanes(group.lanes, [&](unsigned lane) {
    const unsigned by = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
    const int last = static_cast<int>((lane & segment) | (clamp & ~segment));
    const unsigned first = lane & segment;
    int from = 0;
    switch (i.form->shuffle) {
      case isa::ShuffleKind::up: from = static_cast<int>(lane) - static_cast<int>(by); break;
      case isa::ShuffleKind::down: from = static_cast<int>(lane + by); break;
      case isa::ShuffleKind::bfly: from = static_cast<int>(lane ^ by); break;
      default: from = static_cast<int>(first | (by & ~segment));
    }
    const bool is_valid = i.form->shuffle == isa::ShuffleKind::up ? from >= last : from <= last;
    source[lane] = static_cast<std::uint8_t>(is_valid ? from : static_cast<int>(lane));
    if (is_valid) in_range |= bit(lane);
  });
  return in_range;
}

}  // namespace

// If the source lane does not participate, the result is undefined.
void WarpSync::shuffle(Warp& warp, Members members) {
  constexpr std::uint64_t absent_at = std::uint64_t{1} << 41;  // distinct from memory and registers
  std::array<std::uint32_t, warp_size> value;
  for (unsigned lane = 0; lane < warp_size; ++lane)
    value[lane] =
        parts_.fill.word(local_memory(warp.block->number, warp.index * warp_size + lane), absent_at);
  LaneRouting routing{warp, members, warp.lanes_of(members), {}};
  LaneMask in_range = 0;
  for (const DivergentGroup& group : warp.groups_of(members)) {
    const Instruction& i = group.instruction();
    const auto* a = isa::row<std::uint32_t>(group.frame->registers(), i.operand[LaneRouting::source]);
    for_lanes(group.lanes, [&](unsigned lane) { value[lane] = a[lane]; });
    in_range |= find_sources(group, routing.from);
    parts_.shadow.decided(
        {warp, *group.frame, i, i.operand[LaneRouting::lane], group.lanes, Decision::Of::shuffle_lane});
    parts_.shadow.decided(
        {warp, *group.frame, i, i.operand[LaneRouting::bounds], group.lanes, Decision::Of::shuffle_bounds});
  }
  parts_.shadow.routed(routing);
  for (const DivergentGroup& group : warp.groups_of(members)) {
    const auto& operand = group.instruction().operand;
    std::byte* registers = group.frame->registers();
    auto* d = isa::row<std::uint32_t>(registers, operand[LaneRouting::result]);
    for_lanes(group.lanes, [&](unsigned lane) {
      d[lane] = value[routing.from[lane]];
      set_predicate(registers, operand[LaneRouting::predicate], lane, contains(in_range, lane));
    });
  }
}

}  // namespace foldproof::emulated
