// The parts of a launch that instructions act on.
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

/// References to what one launch owns (scheduling/launch.cpp), lowest first.
struct Parts {
  const Program& program;
  const FunctionCode& entry;
  const Geometry& geometry;
  const UndefinedFill& fill;  ///< what undefined registers and memory hold
  Choices& choices;
  Progress& progress;
  FindingLog& findings;
  AddressSpace& addresses;
  Events& events;
  Shadow& shadow;

  /// The address of each lane that executes the access; each address is a decision.
  void find_addresses(WarpAccess& access, const MachineOperands::Address& address) const {
    if (address.row != isa::no_operand)
      shadow.decided(
          {access.warp, access.frame, access.i, address.row, access.executing, Decision::Of::address});
    access.gather(address);
  }
};

}  // namespace foldproof::emulated
