// Undefined bits on their way from register to register and from lane to lane, and the places where they must
// not arrive.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/hash.h"
#include "devices/emulated/isa/definedness.h"
#include "devices/emulated/machine/columns.h"
#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::warp_size;

void set_column(std::byte* row, std::uint32_t bytes, unsigned lane) {
  if (bytes == 0)
    *reinterpret_cast<LaneMask*>(row) |= bit(lane);
  else
    std::memset(row + lane * bytes, 0xff, bytes);
}

}  // namespace

// A register-only instruction: from the sources' bits to the destinations'. Where the guard itself is
// undefined, so is whether the destination changed.
void Grid::spread(Frame& frame, const Instruction& i, LaneMask split_lanes, LaneMask lanes) {
  Taint& taint = frame.taint;
  const Taint::Row* from = nullptr;
  bool concerned = false;
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned, bool written) {
    const Taint::Row* row = taint.find(offset);
    concerned |= row != nullptr;
    if (row && !written && !from) from = row;
  });
  const LaneMask doubtful = i.guard == isa::no_operand ? 0 : taint.lanes(i.guard) & split_lanes;
  if (!concerned && doubtful == 0) return;
  std::optional<OriginId> origin;
  if (doubtful != 0)
    origin = taint.find(i.guard)->origin;
  else if (from)
    origin = from->origin;
  if (i.form->compare != isa::Compare::none) note_compared(frame, i, lanes);
  std::byte* bits = frame.undefined_bits();
  if (lanes != 0) isa::spread_undefined(frame.registers(), bits, i, lanes);
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned bytes, bool written) {
    if (!written) return;
    for_lanes(doubtful, [&](unsigned lane) { set_column(bits + offset, bytes, lane); });
    taint.update(offset, bytes, origin);
  });
}

// What an undefined value is compared with is worth trying in its place: that of the first lane with one.
void Grid::note_compared(Frame& frame, const Instruction& i, LaneMask lanes) {
  constexpr std::size_t most = 6;
  std::optional<std::uint32_t> against;
  LaneMask undefined = 0;
  unsigned column_bytes = 0;
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned bytes, bool written) {
    if (written || bytes == 0) return;
    if (const LaneMask here = frame.taint.lanes(offset) & lanes; here != 0)
      undefined |= here;
    else
      against = offset, column_bytes = bytes;
  });
  auto& compared = origins_->use.compared;
  if (!against || undefined == 0 || compared.size() == most) return;
  UseOfUndefined::Compared one{0, std::min<unsigned>(column_bytes, sizeof one.value)};
  std::memcpy(&one.value, frame.registers() + *against + first_lane(undefined) * column_bytes, one.bytes);
  if (std::ranges::find(compared, one) == compared.end()) compared.push_back(one);
}

// An undefined value in a row decides what the program does: `what` says as what it is used.
void Grid::check_sink(const Warp& warp, const Frame& frame, const Instruction& i, std::uint32_t row,
                      LaneMask lanes, const char* what) {
  const LaneMask undefined = frame.taint.lanes(row) & lanes;
  if (undefined == 0) return;
  report_undefined(warp, i, first_lane(undefined), frame.taint.find(row)->origin, what);
}

void Grid::report_undefined(const Warp& warp, const Instruction& i, unsigned lane, OriginId origin,
                            const char* what) {
  if (!reported_sinks_.emplace(i.site, origin).second) return;
  report_.findings.push_back(
      undefined_finding(origins_->all[origin], program_.position(i), thread(warp, lane), what));
}

// The same of what is chosen among many: an address, a mask, a number. Trying other values shows whether it
// differs with them, so all that is chosen goes into a digest, in whatever order the warps come.
void Grid::check_choice(const Warp& warp, const Frame& frame, const Instruction& i, std::uint32_t row,
                        LaneMask lanes, const char* what) {
  const Taint::Row* undefined = frame.taint.find(row);
  if (!undefined) return;
  check_sink(warp, frame, i, row, lanes, what);
  for_lanes(frame.taint.lanes(row) & lanes, [&](unsigned lane) {
    std::uint64_t value = 0;
    if (undefined->bytes == 0)
      value = contains(isa::mask(frame.registers(), row), lane) ? 1 : 0;
    else
      std::memcpy(&value, frame.registers() + row + lane * undefined->bytes,
                  std::min<std::size_t>(undefined->bytes, sizeof value));
    const std::uint64_t who = local_memory(warp.block->number, warp.index * warp_size + lane);
    origins_->use.choices += mixed(mixed(mixed(who) + i.site) + value);
  });
}

Finding undefined_finding(const Origin& origin, const Position& at, const ThreadId& who,
                          std::string_view what) {
  Finding finding;
  finding.kind = origin.kind;
  finding.message = fmt::format("{} depends on {}", what, origin.what);
  finding.at = at;
  finding.other = origin.at;
  finding.threads = {who};
  if (origin.thread) finding.threads.push_back(*origin.thread);
  return finding;
}

// In a new frame, registers are undefined that may be read before they are written.
void Grid::begin_undefined(const Warp& warp, Frame& frame, LaneMask lanes) {
  constexpr std::uint64_t registers_at = std::uint64_t{1} << 40;  // behind all local memory
  for (const Code::Unwritten& one : frame.code->unwritten) {
    const OriginId origin = origin_at(
        Kind::uninitialized_read, frame.code->instructions[one.reader], warp, first_lane(lanes),
        [] { return std::string("a variable that was given no value"); }, Source::variable);
    std::byte* row = frame.undefined_bits() + one.row;
    for_lanes(lanes, [&](unsigned lane) {
      set_column(row, one.bytes, lane);
      if (!origins_->filling) return;
      const std::uint64_t memory = local_memory(warp.block->number, warp.index * warp_size + lane);
      std::array<std::uint32_t, 4> held{};
      fill_undefined(std::as_writable_bytes(std::span(held)), filling(), memory, registers_at + one.row);
      if (one.bytes == 0)
        set_predicate(frame.registers(), one.row, lane, (held[0] & 1) != 0);
      else
        std::memcpy(frame.registers() + one.row + lane * one.bytes, held.data(), one.bytes);
    });
    frame.taint.update(one.row, one.bytes, origin);
  }
}

// The destinations of an instruction that only gives defined results.
void Grid::define_results(Frame& frame, const Instruction& i, LaneMask lanes) {
  if (frame.nodes.any())
    for (const std::uint32_t row : {i.operand[0], i.operand[1]})
      if (row != isa::no_operand) frame.nodes.forget(row, lanes);
  if (!frame.taint.any()) return;
  for (const std::uint32_t row : {i.operand[0], i.operand[1]})
    if (row != isa::no_operand) frame.taint.define(row, lanes);
}

// What a shuffle gives is as defined as what its source holds; a lane that is not there holds nothing.
void Grid::shuffle_definedness(const Warp& warp, Members members, const Split& split, LaneMask present,
                               const std::array<std::uint8_t, warp_size>& from) {
  const Instruction& i = at(split);
  Taint& taint = split.frame->taint;
  std::array<const Split*, warp_size> holder{};
  bool tainted = taint.any();
  for (const std::size_t k : members) {
    tainted |= warp.splits[k].frame->taint.any();
    for_lanes(warp.splits[k].lanes, [&](unsigned lane) { holder[lane] = &warp.splits[k]; });
  }
  LaneMask absent = 0;
  for_lanes(split.lanes, [&](unsigned lane) { absent |= contains(present, from[lane]) ? 0 : bit(lane); });
  if (!tainted && absent == 0) return;
  std::optional<OriginId> origin;
  std::array<std::uint32_t, warp_size> result{};
  for_lanes(split.lanes & ~absent, [&](unsigned lane) {
    const Split& source = *holder[from[lane]];
    const std::uint32_t row = at(source).operand[2];
    const Taint::Row* undefined = source.frame->taint.find(row);
    if (!undefined) return;
    std::memcpy(&result[lane], source.frame->undefined_bits() + row + from[lane] * 4, 4);
    if (result[lane] != 0 && !origin) origin = undefined->origin;
  });
  if (absent != 0) {
    const auto lane = first_lane(absent);
    origin = origin_at(Kind::undefined_shuffle_source, i, warp, lane, [&] {
      return fmt::format("a shuffle in which thread {} reads from lane {}, which takes no part",
                         to_string(thread(warp, lane).thread), from[lane]);
    });
    for_lanes(absent, [&](unsigned one) { result[one] = ~0u; });
  }
  auto* bits = reinterpret_cast<std::uint32_t*>(split.frame->undefined_bits() + i.operand[0]);
  for_lanes(split.lanes, [&](unsigned lane) { bits[lane] = result[lane]; });
  taint.update(i.operand[0], 4, origin);
  if (i.operand[1] != isa::no_operand) taint.define(i.operand[1], split.lanes);
}

// Votes, matches and reductions give all lanes something that depends on each member's source. A ballot has a
// bit for each.
void Grid::gather_definedness(const Warp& warp, Members members, std::size_t source, bool bitwise) {
  LaneMask undefined = 0;
  std::optional<OriginId> origin;
  bool tainted = false;
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    tainted |= split.frame->taint.any();
    const std::uint32_t row = at(split).operand[source];
    const LaneMask lanes = split.frame->taint.lanes(row) & split.lanes;
    if (lanes == 0) continue;
    undefined |= lanes;
    if (!origin) origin = split.frame->taint.find(row)->origin;
  }
  if (!tainted) return;
  for (const std::size_t k : members) {
    const Split& split = warp.splits[k];
    const Instruction& i = at(split);
    const bool predicate = i.action == Action::vote && i.form->vote != isa::VoteKind::ballot;
    const std::uint32_t bytes = predicate ? 0 : 4;
    std::byte* row = split.frame->undefined_bits() + i.operand[0];
    split.frame->taint.define(i.operand[0], split.lanes);
    if (i.action == Action::match && i.operand[1] != isa::no_operand && source == 2)
      split.frame->taint.define(i.operand[1], split.lanes);
    if (undefined == 0) continue;
    for_lanes(split.lanes, [&](unsigned lane) {
      set_column(row, bytes, lane);
      if (bitwise) std::memcpy(row + lane * 4, &undefined, sizeof undefined);
    });
    split.frame->taint.update(i.operand[0], bytes, origin);
  }
}

}  // namespace foldproof::machine
