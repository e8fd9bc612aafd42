// atom d, [a], b{, c} and red [a], b: lanes act in ascending order, one of the orders that hardware may
// choose.
#include <cstring>

#include "devices/emulated/execution/executor.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

void Executor::atomic(Warp& warp, Frame& frame, const Instruction& i, LaneMask lanes) {
  parts_.progress.read();
  const MachineOperands& detail = parts_.program.details[i.detail];
  WarpAccess access(warp, frame, i, detail, lanes);
  parts_.find_addresses(access, detail.address);
  parts_.addresses.resolve(access, "read-modify-write", access.bytes);
  const LaneMask changed = update(access);
  parts_.progress.changed(lane_count(changed));
  if (!parts_.events.accesses() || access.valid == 0) return;
  AccessEvent event = Events::event_of(access);
  event.unchanged = access.valid & ~changed;
  parts_.events.emit_access(access, event);
}

// Returns the lanes that changed memory.
LaneMask Executor::update(WarpAccess& access) {
  const Instruction& i = access.i;
  const MachineOperands& detail = access.detail;
  const std::uint32_t size = detail.element_bytes, count = i.form->vector;
  const bool returns = i.action == Action::atomic;
  const std::size_t b_row = returns ? count : 0, c_row = b_row + count;
  const auto column = [&](std::size_t k, unsigned lane) {
    return access.frame.registers() + detail.data[k] + lane * detail.register_bytes;
  };
  LaneMask changed = 0;
  for_lanes(access.valid, [&](unsigned lane) {
    const bool shared = AddressSpace::is_shared(access.space, access.at[lane]);
    const isa::Combine combine = shared && i.form->combine_shared ? i.form->combine_shared : i.form->combine;
    for (std::uint32_t k = 0; k < count; ++k) {
      std::byte* memory = access.hosts[lane] + k * size;
      std::uint64_t old = 0, b = 0, c = 0;
      std::memcpy(&old, memory, size);
      std::memcpy(&b, column(b_row + k, lane), size);
      if (c_row + k < detail.data.size()) std::memcpy(&c, column(c_row + k, lane), size);
      const std::uint64_t now = combine(old, b, c);
      if (now != old) changed |= bit(lane);
      parts_.shadow.updating(access, {lane, k, old, now});
      std::memcpy(memory, &now, size);
      if (returns) std::memcpy(column(k, lane), &old, size);
    }
  });
  return changed;
}

}  // namespace foldproof::emulated
