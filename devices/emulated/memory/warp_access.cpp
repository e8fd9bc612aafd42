#include "devices/emulated/memory/warp_access.h"

#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

WarpAccess::WarpAccess(Warp& of, Frame& its_frame, const Instruction& instruction,
                       const MachineOperands& its_detail, LaneMask lanes)
    : warp(of),
      frame(its_frame),
      i(instruction),
      detail(its_detail),
      space(i.form->space),
      bytes(detail.attributes.bytes),
      writes(detail.attributes.what != AccessAttributes::What::read ||
             i.action == Action::mbarrier),  // waiting also requires a writable object
      executing(lanes),
      valid(lanes) {}

void WarpAccess::gather(const MachineOperands::Address& address) {
  const auto displacement = static_cast<std::uint64_t>(address.displacement);
  const auto from_register = [&](unsigned column_bytes) {
    gather_addresses(frame.registers() + address.row, column_bytes, displacement, bytes, executing, at);
  };
  switch (address.base) {
    case MachineOperands::Base::register64: return from_register(8);
    case MachineOperands::Base::register32: return from_register(4);
    case MachineOperands::Base::frame_local: return repeat_address(frame.local_base + displacement, at);
    default: return repeat_address(displacement, at);
  }
}

bool WarpAccess::is_simple() const {
  return host && at.consecutive && detail.data.size() == 1 && bytes == detail.register_bytes &&
         is_run(executing);
}

}  // namespace foldproof::emulated
