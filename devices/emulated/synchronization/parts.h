// The parts of a launch on which instructions operate.
#pragma once

#include "devices/emulated/events/events.h"
#include "devices/emulated/memory/address_space.h"
#include "devices/emulated/program/program.h"
#include "devices/emulated/shadow/shadow.h"
#include "devices/emulated/state/choices.h"
#include "devices/emulated/state/finding_log.h"
#include "devices/emulated/state/geometry.h"
#include "devices/emulated/state/progress.h"

namespace foldproof::emulated {

/// References to the objects owned by one launch (scheduling/launch.cpp), lowest layer first.
struct Parts {
  const Program& program;
  const FunctionCode& entry;
  const Geometry& geometry;
  const UndefinedFill& fill;  ///< contents of undefined registers and memory
  Choices& choices;
  Progress& progress;
  FindingLog& findings;
  AddressSpace& addresses;
  Events& events;
  Shadow& shadow;

  /// Computes the addresses of the access's executing lanes; each address is a decision.
  void find_addresses(WarpAccess& access, const MachineOperands::Address& address) const {
    if (address.row != isa::no_operand)
      shadow.decided(
          {access.warp, access.frame, access.i, address.row, access.executing, Decision::Of::address});
    access.gather(address);
  }
};

}  // namespace foldproof::emulated
