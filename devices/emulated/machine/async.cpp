// cp.async, ldmatrix, stmatrix and mbarrier objects in shared memory.
#include <fmt/format.h>

#include <cstring>

#include "devices/emulated/machine/grid.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {
namespace {

using isa::warp_size;

// An mbarrier object's 64 bits. Opaque to programs, so the layout is ours.
//
//   63        62 … 43      42 … 23            22 … 0
//   phase     expected     pending arrivals   pending transaction bytes (two's complement)
//
struct MBarrier {
  std::uint32_t phase = 0, expected = 0, pending = 0;
  std::int32_t transactions = 0;

  static constexpr std::uint32_t most = (1u << 20) - 1;

  static MBarrier read(const std::byte* from) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    MBarrier b;
    b.phase = static_cast<std::uint32_t>(bits >> 63);
    b.expected = bits >> 43 & most;
    b.pending = bits >> 23 & most;
    b.transactions = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) << 9) >> 9;
    return b;
  }

  std::uint64_t bits() const {
    return std::uint64_t{phase} << 63 | std::uint64_t{expected} << 43 | std::uint64_t{pending} << 23 |
           (static_cast<std::uint32_t>(transactions) & 0x7fffff);
  }

  void write(std::byte* to) const {
    const std::uint64_t b = bits();
    std::memcpy(to, &b, sizeof b);
  }

  // ISA 9.7.13.15.5: the phase is over when nothing is pending.
  void complete() {
    if (pending != 0 || transactions != 0) return;
    phase ^= 1;
    pending = expected;
  }
};

/// The rows of an mbarrier instruction, as one lane sees them.
struct Operands {
  std::byte* registers;
  const Detail& detail;
  unsigned lane;

  std::uint32_t number(std::size_t k) const {
    return isa::row<std::uint32_t>(registers, detail.data[k])[lane];
  }
  std::byte* state() const { return registers + detail.data[0] + lane * 8; }
};

MBarrier fresh(std::uint32_t expected) {
  MBarrier b;
  b.expected = b.pending = expected;
  return b;
}

// mbarrier.pending_count works on a state, not on an object.
void read_pending_count(std::byte* registers, const Detail& detail, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const MBarrier state = MBarrier::read(registers + detail.data[1] + lane * 8);
    isa::row<std::uint32_t>(registers, detail.data[0])[lane] = state.pending;
  });
}

// With .parity the program names the phase's parity, else it holds the state that arrive returned.
std::uint32_t awaited_phase(const isa::Form& form, const Operands& operands) {
  return form.has("parity") ? operands.number(0) & 1 : MBarrier::read(operands.state()).phase;
}

// expect_tx, complete_tx, arrive, arrive_drop, alone or together. False when more arrive than are expected.
bool arrive(MBarrier& b, const isa::Form& form, const Operands& operands) {
  const std::uint64_t before = b.bits();
  const std::size_t rows = operands.detail.data.size();
  const bool has_state = rows != 0 && operands.detail.register_bytes == 8;
  const std::size_t count_at = has_state ? 1 : 0;
  if (form.has("expect_tx")) b.transactions += static_cast<std::int32_t>(operands.number(count_at));
  if (form.has("complete_tx")) b.transactions -= static_cast<std::int32_t>(operands.number(count_at));
  // The arrival of copies is one more than those expected, unless .noinc says that it is among them.
  if (form.has("async") && !form.noinc) ++b.pending;
  if (form.has("arrive") || form.has("arrive_drop")) {
    const bool has_count = rows > count_at && !form.has("expect_tx");
    const std::uint32_t arrivals = has_count ? operands.number(count_at) : 1;
    if (arrivals > b.pending) return false;
    if (form.has("arrive_drop")) b.expected -= std::min(b.expected, arrivals);
    b.pending -= arrivals;
  }
  b.complete();
  if (has_state) std::memcpy(operands.state(), &before, sizeof before);
  return true;
}

}  // namespace

// cp.async [shared], [global], size{, source-size}: done at once, which is one of the times that hardware may
// choose.
void Grid::async_copy(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  ++changes_;
  const Detail& detail = program_.details[i.detail];
  const std::byte* registers = split.frame->registers();
  const auto first = first_lane(lanes);
  auto number = [&](std::size_t k, unsigned lane) {
    return isa::row<const std::uint32_t>(const_cast<std::byte*>(registers), detail.data[k])[lane];
  };
  const std::uint32_t bytes = detail.data.empty() ? 16 : number(0, first);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    end(make_finding(Kind::crash, i, fmt::format("cp.async copies 4, 8 or 16 bytes, not {}", bytes)));
  auto copied = [&](unsigned lane) {
    return detail.data.size() > 1 ? std::min(bytes, number(1, lane)) : bytes;
  };
  check_address(warp, split, i, detail.address, lanes);
  check_address(warp, split, i, detail.source, lanes);
  Addresses to, from;
  addresses(split, detail.address, bytes, lanes, to);
  addresses(split, detail.source, bytes, lanes, from);
  Hosts target, source;
  const LaneMask good = resolve(warp, i, i.form->space, to, {"write", bytes, bytes}, lanes, target);
  if (watched() && good != 0)
    announce_access(warp, i.form->space, to,
                    access_event(warp, i, AccessEvent::What::write, to, good, bytes, bytes));
  for_lanes(good, [&](unsigned lane) {
    std::memset(target[lane], 0, bytes);
    if (target.defined[lane]) std::memset(target.defined[lane], 0xff, bytes);
  });
  // Lanes that read equally much, together; what a lane does not read need not exist.
  for (LaneMask left = good; left != 0;) {
    const std::uint32_t size = copied(first_lane(left));
    LaneMask reading = 0;
    for_lanes(left, [&](unsigned lane) {
      if (copied(lane) == size) reading |= bit(lane);
    });
    left &= ~reading;
    if (size == 0) continue;
    reading = resolve(warp, i, i.form->space2, from, {"read", size, bytes}, reading, source);
    if (watched() && reading != 0)
      announce_access(warp, i.form->space2, from,
                      access_event(warp, i, AccessEvent::What::read, from, reading, size, size));
    for_lanes(reading, [&](unsigned lane) {
      std::memcpy(target[lane], source[lane], size);
      if (source.defined[lane] && target.defined[lane])
        copy_definedness(warp, i, lane, {i.form->space2, from[lane], source.defined[lane], size},
                         {i.form->space, to[lane], target.defined[lane], size});
    });
  }
}

// ISA 9.7.14.5.15: lanes 8k … 8k+7 give the rows of matrix k, 16 bytes each. Thread t holds elements 2(t mod
// 4) and the next of row t / 4; with .trans, rows and columns change places.
void Grid::matrix_access(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  ++changes_;
  const Detail& detail = program_.details[i.detail];
  const std::size_t matrices = detail.data.size();
  const auto rows = static_cast<unsigned>(matrices * 8);
  const LaneMask givers = lowest_lanes(rows);
  Addresses at;
  addresses(split, detail.address, 16, lanes, at);
  Hosts hosts{};
  check_address(warp, split, i, detail.address, givers & lanes);
  const bool loads = i.action == Action::load_matrix;
  const LaneMask good =
      resolve(warp, i, i.form->space, at, {loads ? "read" : "write", 16, 16}, givers & lanes, hosts);
  if (watched() && good != 0)
    announce_access(
        warp, i.form->space, at,
        access_event(warp, i, loads ? AccessEvent::What::read : AccessEvent::What::write, at, good, 16, 16));
  const bool transposed = i.form->has("trans");
  for (std::size_t k = 0; k < matrices; ++k)
    for (unsigned t = 0; t < warp_size; ++t)
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned major = t / 4, minor = 2 * (t % 4) + half;
        const unsigned row = transposed ? minor : major, element = transposed ? major : minor;
        const unsigned giver = static_cast<unsigned>(k) * 8 + row;
        const unsigned offset = t * 4 + half * 2;
        std::byte* column = split.frame->registers() + detail.data[k] + offset;
        if (!contains(good, giver)) continue;
        if (hosts.defined[giver])
          matrix_definedness(warp, *split.frame, i, detail.data[k], offset, giver,
                             {i.form->space, at[giver] + element * 2, hosts.defined[giver] + element * 2, 2});
        if (loads)
          std::memcpy(column, hosts[giver] + element * 2, 2);
        else
          std::memcpy(hosts[giver] + element * 2, column, 2);
      }
}

void Grid::mbarrier(Warp& warp, const Split& split, const Instruction& i, LaneMask lanes) {
  const Detail& detail = program_.details[i.detail];
  const isa::Form& form = *i.form;
  std::byte* registers = split.frame->registers();
  if (form.has("pending_count")) return read_pending_count(registers, detail, lanes);
  Addresses at;
  addresses(split, detail.address, 8, lanes, at);
  Hosts hosts;
  const LaneMask good = resolve(warp, i, form.space, at, {"mbarrier operation", 8, 8}, lanes, hosts);
  if (watched() && good != 0) announce_mbarrier(warp, i, at, good, hosts, registers);
  for_lanes(good, [&](unsigned lane) {
    MBarrier b = MBarrier::read(hosts[lane]);
    const Operands operands{registers, detail, lane};
    if (form.has("test_wait") || form.has("try_wait")) {
      LaneMask& p = isa::mask(registers, i.operand[0]);
      p = b.phase != awaited_phase(form, operands) ? p | bit(lane) : p & ~bit(lane);
      return;
    }
    if (form.has("init") || form.has("inval"))
      b = fresh(form.has("init") ? operands.number(0) & MBarrier::most : 0);
    else if (!arrive(b, form, operands))
      end(make_finding(Kind::crash, i, "more threads arrive at an mbarrier than it expects"));
    ++changes_;
    b.write(hosts[lane]);
  });
}

// To observers an mbarrier is a word of memory: arriving updates it and releases, waiting reads it, and
// whoever finds the phase over acquires (ISA 9.7.13.15: .release and .acquire at .cta unless it says
// otherwise).
void Grid::announce_mbarrier(const Warp& warp, const Instruction& i, const Addresses& at, LaneMask lanes,
                             const Hosts& hosts, std::byte* registers) {
  using What = AccessEvent::What;
  const isa::Form& form = *i.form;
  const bool waits = form.has("test_wait") || form.has("try_wait");
  if (form.has("inval")) return;  // the end of the object, which libcu++ lets a vote decide
  const bool weak = form.has("init");
  const bool relaxed = form.semantics == isa::Semantics::relaxed;
  AccessEvent event = access_event(warp, i,
                                   waits  ? What::read
                                   : weak ? What::write
                                          : What::update,
                                   at, lanes, 8, 8);
  event.strong = !weak;
  event.scope = form.scope == isa::Scope::cluster ? SyncScope::cluster : SyncScope::cta;
  event.releases = !waits && !weak && !relaxed && !form.has("expect_tx") && !form.has("complete_tx");
  if (waits && !relaxed) {
    event.lanes = 0;
    for_lanes(lanes, [&](unsigned lane) {
      const Operands operands{registers, program_.details[i.detail], lane};
      if (MBarrier::read(hosts[lane]).phase != awaited_phase(form, operands)) event.lanes |= bit(lane);
    });
    event.acquires = true;
  }
  if (event.lanes != 0) announce_access(warp, i.form->space, at, event);
}

}  // namespace foldproof::machine
