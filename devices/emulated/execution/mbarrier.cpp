// mbarrier objects in shared memory (ISA 9.7.13.15).
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "devices/emulated/execution/executor.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {
namespace {

// The 64 bits of an mbarrier object. It is opaque to programs, so the layout is implementation-defined.
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

  // ISA 9.7.13.15.5: the phase completes when nothing is pending.
  void complete() {
    if (pending != 0 || transactions != 0) return;
    phase ^= 1;
    pending = expected;
  }
};

/// The operand rows of an mbarrier instruction, for one lane.
struct Operands {
  std::byte* registers;
  const MachineOperands& detail;
  unsigned lane;

  std::uint32_t number(std::size_t k) const {
    return isa::row<std::uint32_t>(registers, detail.data[k])[lane];
  }
  std::byte* state() const { return registers + detail.data[0] + lane * 8; }
};

// Whether the first row receives the state returned by arrive.
bool returns_state(const MachineOperands& detail) {
  return !detail.data.empty() && detail.register_bytes == 8;
}

MBarrier fresh(std::uint32_t expected) {
  MBarrier b;
  b.expected = b.pending = expected;
  return b;
}

// mbarrier.pending_count operates on a state, not on an object.
void read_pending_count(std::byte* registers, const MachineOperands& detail, LaneMask lanes) {
  for_lanes(lanes, [&](unsigned lane) {
    const MBarrier state = MBarrier::read(registers + detail.data[1] + lane * 8);
    isa::row<std::uint32_t>(registers, detail.data[0])[lane] = state.pending;
  });
}

// With .parity the operand is the parity of the phase, otherwise the state that arrive returned.
std::uint32_t awaited_phase(const isa::Form& form, const Operands& operands) {
  return form.has("parity") ? operands.number(0) & 1 : MBarrier::read(operands.state()).phase;
}

// expect_tx, complete_tx, arrive, arrive_drop, or a combination. Returns false if more threads arrive than
// are expected.
bool arrive(MBarrier& b, const isa::Form& form, const Operands& operands) {
  const std::uint64_t before = b.bits();
  const std::size_t rows = operands.detail.data.size();
  const bool has_state = returns_state(operands.detail);
  const std::size_t count_at = has_state ? 1 : 0;
  if (form.has("expect_tx")) b.transactions += static_cast<std::int32_t>(operands.number(count_at));
  if (form.has("complete_tx")) b.transactions -= static_cast<std::int32_t>(operands.number(count_at));
  // The arrival triggered by copies is in addition to the expected count, unless .noinc includes it.
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

void Executor::mbarrier(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes) {
  const MachineOperands& detail = parts_.program.details[i.detail];
  const isa::Form& form = *i.form;
  // cp.async.mbarrier.arrive: hardware may deliver the copies immediately.
  if (form.has("async")) deliver(warp, lanes, warp.open_group);
  std::byte* registers = frame.registers();
  const bool waits = form.has("test_wait") || form.has("try_wait");
  const bool has_result = !waits && (returns_state(detail) || form.has("pending_count"));
  for (std::size_t k = has_result ? 1 : 0; k < detail.data.size(); ++k)
    parts_.shadow.decided({warp, frame, i, detail.data[k], lanes, Decision::Of::mbarrier});
  if (form.has("pending_count")) {
    parts_.shadow.fresh(frame, std::array{detail.data[0]}, lanes);
    return read_pending_count(registers, detail, lanes);
  }
  WarpAccess access(warp, frame, i, detail, lanes);
  parts_.find_addresses(access, detail.address);
  parts_.addresses.resolve(access, "mbarrier operation", access.bytes);
  parts_.shadow.mbarrier_accessed(access, form.has("init"));
  LaneMask completing = 0;  // lanes that find the phase complete, or complete it
  for_lanes(access.valid, [&](unsigned lane) {
    if (!AddressSpace::is_shared(access.space, access.at[lane]))
      parts_.findings.crash(i, "the mbarrier object is not in shared memory");
    MBarrier b = MBarrier::read(access.hosts[lane]);
    const Operands operands{registers, detail, lane};
    if (waits) {
      LaneMask& p = isa::mask(registers, i.operand[0]);
      const bool is_complete = b.phase != awaited_phase(form, operands);
      p = is_complete ? p | bit(lane) : p & ~bit(lane);
      completing |= is_complete ? bit(lane) : 0;
      return;
    }
    const std::uint32_t phase = b.phase;
    if (form.has("init") && (operands.number(0) == 0 || operands.number(0) > MBarrier::most))
      parts_.findings.crash(i, fmt::format("an mbarrier cannot expect {} arrivals, only 1 to {}",
                                           operands.number(0), MBarrier::most));
    if (form.has("init") || form.has("inval"))
      b = fresh(form.has("init") ? operands.number(0) : 0);
    else if (!arrive(b, form, operands))
      parts_.findings.crash(i, "more threads arrive at an mbarrier than it expects");
    else if (returns_state(detail))
      parts_.shadow.fresh(frame, std::array{detail.data[0]}, bit(lane));
    if (b.phase != phase && !form.has("init")) completing |= bit(lane);
    parts_.progress.changed();
    b.write(access.hosts[lane]);
  });
  if (parts_.events.accesses() && access.valid != 0) emit_mbarrier(access, completing);
}

// A wait for a phase that is not complete observes nothing.
void Executor::emit_mbarrier(const WarpAccess& access, LaneMask completing) {
  if (access.i.form->has("inval")) return;  // inval ends the object; libcu++ orders it by a vote
  AccessEvent event = Events::event_of(access);
  if (event.waits_for_phase)
    event.lanes = completing;
  else
    event.completes_phase = completing;
  if (event.lanes != 0) parts_.events.emit_access(access, event);
}

}  // namespace foldproof::emulated
