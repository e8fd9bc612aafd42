// Undefined bits in register-only instructions, and the decisions that must not depend on them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/hash.h"
#include "devices/emulated/isa/shadow_propagation.h"
#include "devices/emulated/shadow/definedness.h"
#include "devices/emulated/state/columns.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

using isa::warp_size;

/// The name of a decision in findings, and whether it chooses among many values. Replacing an undefined value
/// shows whether a choice depends on it, so chosen values are added to a digest.
struct DecisionTraits {
  const char* what;
  bool among_many;
};

DecisionTraits traits_of(Decision::Of of) {
  switch (of) {
    case Decision::Of::branch: return {"the branch", false};
    case Decision::Of::execution: return {"whether this is executed", false};
    case Decision::Of::callee: return {"the function that is called", true};
    case Decision::Of::address: return {"an address", true};
    case Decision::Of::member_mask: return {"a member mask", true};
    case Decision::Of::barrier_number: return {"a barrier number", true};
    case Decision::Of::barrier_vote: return {"a barrier's vote", true};
    case Decision::Of::shuffle_lane: return {"the source lane of a shuffle", false};
    case Decision::Of::shuffle_bounds: return {"the lane range of a shuffle", true};
    case Decision::Of::copied_bytes: return {"the number of bytes that cp.async copies", true};
    case Decision::Of::mbarrier: return {"an operand of an mbarrier instruction", true};
    case Decision::Of::compared_by_match: return {"whether all lanes agree", true};
  }
  return {"", false};
}

}  // namespace

// A register-only instruction: propagates the sources' bits to the destinations. If the guard itself is
// undefined, so is the destination.
void Definedness::computing(Frame& frame, const Instruction& i, LaneMask group_lanes, LaneMask lanes) {
  UndefinedBits& shadow = frame.undefined;
  const UndefinedBits::Row* from = nullptr;
  bool concerned = false;
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned, bool written) {
    const UndefinedBits::Row* row = shadow.find(offset);
    concerned |= row != nullptr;
    if (row && !written && !from) from = row;
  });
  const LaneMask doubtful = i.guard == isa::no_operand ? 0 : shadow.lanes(i.guard) & group_lanes;
  if (!concerned && doubtful == 0) return;
  std::optional<OriginId> origin;
  if (doubtful != 0)
    origin = shadow.find(i.guard)->origin;
  else if (from)
    origin = from->origin;
  if (i.form->compare != isa::Compare::none) note_compared(frame, i, lanes);
  std::byte* bits = frame.undefined_bits();
  if (lanes != 0) isa::propagate_undefined(frame.registers(), bits, i, lanes);
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned bytes, bool written) {
    if (!written) return;
    for_lanes(doubtful, [&](unsigned lane) { mark_undefined(bits + offset, bytes, lane); });
    shadow.update(offset, bytes, origin);
  });
}

// Records the value with which an undefined value is compared, as a candidate to try in its place: that of
// the first such lane.
void Definedness::note_compared(const Frame& frame, const Instruction& i, LaneMask lanes) {
  constexpr std::size_t most = 6;
  std::optional<std::uint32_t> against;
  LaneMask undefined = 0;
  unsigned column_bytes = 0;
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned bytes, bool written) {
    if (written || bytes == 0) return;
    if (const LaneMask here = frame.undefined.lanes(offset) & lanes; here != 0)
      undefined |= here;
    else
      against = offset, column_bytes = bytes;
  });
  auto& compared = origins_.use.compared;
  if (!against || undefined == 0 || compared.size() == most) return;
  UseOfUndefined::Compared one{0, std::min<unsigned>(column_bytes, sizeof one.value)};
  std::memcpy(&one.value, frame.registers() + *against + first_lane(undefined) * column_bytes, one.bytes);
  if (std::ranges::find(compared, one) == compared.end()) compared.push_back(one);
}

void Definedness::decided(const Decision& d) {
  const UndefinedBits::Row* row = d.frame.undefined.find(d.row);
  if (!row) return;
  const auto [what, among_many] = traits_of(d.of);
  const LaneMask undefined = d.frame.undefined.lanes(d.row) & d.lanes;
  if (undefined != 0) report(d.warp, d.i, first_lane(undefined), row->origin, what);
  if (!among_many) return;
  // The digest does not depend on the order of the warps.
  for_lanes(undefined, [&](unsigned lane) {
    const std::uint64_t value = row->bytes == 0
                                    ? (contains(isa::mask(d.frame.registers(), d.row), lane) ? 1 : 0)
                                    : column(d.frame.registers(), d.row, lane, row->bytes);
    const std::uint64_t thread = local_memory(d.warp.block->number, d.warp.index * warp_size + lane);
    origins_.use.choices += mixed(mixed(mixed(thread) + d.i.site) + value);
  });
}

void Definedness::report(const Warp& warp, const Instruction& i, unsigned lane, OriginId origin,
                         const char* what) {
  if (!reported_.emplace(i.site, origin).second) return;
  findings_.add(
      undefined_finding(origins_.all[origin], program_.position(i), geometry_.thread(warp, lane), what));
}

void Definedness::frame_begins(Warp& warp, Frame& frame, LaneMask lanes) {
  if (const std::size_t bytes = frame.code->local_bytes; bytes != 0)
    for_lanes(lanes, [&](unsigned lane) {
      auto& defined = warp.local_defined[lane];
      if (defined.size() < frame.local_base + bytes) defined.resize(frame.local_base + bytes);
      std::fill_n(defined.begin() + static_cast<std::ptrdiff_t>(frame.local_base), bytes, std::byte{0});
    });
  // The registers that may be read before they are written are undefined.
  constexpr std::uint64_t registers_at = std::uint64_t{1} << 40;  // beyond all local memory
  for (const FunctionCode::Unwritten& one : frame.code->unwritten) {
    const OriginId origin = origin_at(
        Kind::uninitialized_read, frame.code->instructions[one.reader], warp, first_lane(lanes),
        [] { return std::string("an uninitialized variable"); }, Source::variable);
    std::byte* row = frame.undefined_bits() + one.row;
    for_lanes(lanes, [&](unsigned lane) {
      mark_undefined(row, one.bytes, lane);
      if (!origins_.fill) return;
      const std::uint64_t memory = local_memory(warp.block->number, warp.index * warp_size + lane);
      std::array<std::uint32_t, 4> held{};
      fill_undefined(std::as_writable_bytes(std::span(held)), fill_, memory, registers_at + one.row);
      if (one.bytes == 0)
        set_predicate(frame.registers(), one.row, lane, (held[0] & 1) != 0);
      else
        std::memcpy(frame.registers() + one.row + lane * one.bytes, held.data(), one.bytes);
    });
    frame.undefined.update(one.row, one.bytes, origin);
  }
}

void Definedness::moved(Frame& to, std::uint32_t target, Frame& from, std::uint32_t source, LaneMask lanes) {
  constexpr std::uint32_t column = 4;
  if (!to.undefined.any() && !from.undefined.any()) return;
  const UndefinedBits::Row* row = from.undefined.find(source);
  if (!row) return to.undefined.define(target, lanes);
  const OriginId origin = row->origin;
  const std::byte* here = from.undefined_bits() + source;
  std::byte* there = to.undefined_bits() + target;
  for_lanes(lanes, [&](unsigned lane) { std::memcpy(there + lane * column, here + lane * column, column); });
  to.undefined.update(target, column, origin);
}

}  // namespace foldproof::emulated
