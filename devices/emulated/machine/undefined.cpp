// Undefined bits on their way from register to register and from lane to lane, and the places where they must
// not arrive.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

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

// What a variable holds that was given no value: in each register and lane something else, so that two of
// them do not cancel. The low bits of each half differ, which leaves huge values huge in every format.
std::array<std::uint32_t, 4> held_in_variable(std::uint32_t word, std::uint32_t row, unsigned lane) {
  constexpr std::uint32_t both_halves = 0x00010001, low_bits = 0xff;
  if (word != 0) word ^= both_halves * ((row / sizeof(std::uint64_t) * 37 + lane * 5) & low_bits);
  std::array<std::uint32_t, 4> held;
  held.fill(word);
  return held;
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
    if (row && !written && (!from || outweighs(row->origin, from->origin))) from = row;
  });
  const LaneMask doubtful = i.guard == isa::no_operand ? 0 : taint.lanes(i.guard) & split_lanes;
  if (!concerned && doubtful == 0) return;
  std::optional<OriginId> origin;
  if (doubtful != 0)
    origin = taint.find(i.guard)->origin;
  else if (from)
    origin = from->origin;
  std::byte* bits = frame.undefined_bits();
  if (lanes != 0) isa::spread_undefined(frame.registers(), bits, i, lanes);
  isa::for_each_row(i, [&](std::uint32_t offset, unsigned bytes, bool written) {
    if (!written) return;
    for_lanes(doubtful, [&](unsigned lane) { set_column(bits + offset, bytes, lane); });
    taint.update(offset, bytes, origin);
  });
}

// An undefined value in a row decides what the program does: `what` says as what it is used.
void Grid::check_sink(const Warp& warp, const Frame& frame, const Instruction& i, std::uint32_t row,
                      LaneMask lanes, const char* what) {
  const LaneMask undefined = frame.taint.lanes(row) & lanes;
  if (undefined == 0) return;
  const OriginId origin = frame.taint.find(row)->origin;
  if (!reported_sinks_.emplace(i.site, origin).second) return;
  report_.findings.push_back(undefined_finding(origins_->all[origin], program_.position(i),
                                               thread(warp, first_lane(undefined)), what));
}

Finding undefined_finding(const Origin& origin, const Position& at, const ThreadId& who,
                          std::string_view what) {
  Finding finding;
  finding.kind = origin.kind;
  finding.message = fmt::format("{} depends on {}", what, origin.what);
  finding.at = at;
  finding.other = origin.at;
  finding.threads = {who, origin.thread};
  finding.of_variable = origin.of_variable;
  return finding;
}

// Where undefined memory and a variable come together, memory is told of: its value is not tried out.
bool Grid::outweighs(OriginId one, std::optional<OriginId> other) const {
  return !other || (origins_->all[*other].of_variable && !origins_->all[one].of_variable);
}

// In a new frame, registers are undefined that may be read before they are written.
void Grid::begin_undefined(const Warp& warp, Frame& frame, LaneMask lanes) {
  for (const Code::Unwritten& one : frame.code->unwritten) {
    const OriginId origin = origin_at(
        Kind::uninitialized_read, frame.code->instructions[one.reader], warp, first_lane(lanes),
        [] { return std::string("a variable that was given no value"); }, Source::variable);
    std::byte* row = frame.undefined_bits() + one.row;
    for_lanes(lanes, [&](unsigned lane) {
      const auto held = held_in_variable(origins_->in_variables, one.row, lane);
      set_column(row, one.bytes, lane);
      if (one.bytes == 0)
        set_predicate(frame.registers(), one.row, lane, held[0] != 0);
      else
        std::memcpy(frame.registers() + one.row + lane * one.bytes, held.data(), one.bytes);
    });
    frame.taint.update(one.row, one.bytes, origin);
  }
}

// The destinations of an instruction that only gives defined results.
void Grid::define_results(Frame& frame, const Instruction& i, LaneMask lanes) {
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
    if (result[lane] != 0 && outweighs(undefined->origin, origin)) origin = undefined->origin;
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
    if (const OriginId here = split.frame->taint.find(row)->origin; outweighs(here, origin)) origin = here;
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
