// One access of a warp's lanes to memory.
//
//   instruction ──► addresses by lane ──► bytes on the host, all lanes' in one place or each lane's by itself
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "devices/emulated/program/program.h"
#include "devices/emulated/state/addresses.h"
#include "devices/emulated/state/warp.h"

namespace foldproof::emulated {

/// Where each lane's bytes lie on the host, and their map of defined bits.
struct LaneHosts {
  std::array<std::byte*, isa::warp_size> bytes;
  std::array<std::byte*, isa::warp_size> defined;
  std::byte*& operator[](unsigned lane) { return bytes[lane]; }
  std::byte* operator[](unsigned lane) const { return bytes[lane]; }
};

/// An instruction's access to memory, from addresses to bytes on the host.
struct WarpAccess {
  WarpAccess(Warp& of, Frame& its_frame, const Instruction& instruction, const MachineOperands& its_detail,
             LaneMask executing);

  /// Fills `at` for the executing lanes, from `address` of the instruction.
  void gather(const MachineOperands::Address& address);
  /// Whether consecutive lanes each move a whole register to or from its place in one stretch of memory.
  bool is_simple() const;
  /// A lane's bytes; it is valid, or `host` is set.
  std::byte* bytes_of(unsigned lane) const { return host ? host + at[lane] : hosts[lane]; }

  Warp& warp;
  Frame& frame;
  const Instruction& i;
  const MachineOperands& detail;
  isa::StateSpace space;
  std::uint32_t bytes;  ///< of one lane
  bool writes;
  LaneMask executing;
  LaneMask valid;  ///< executing lanes whose access is in bounds and aligned
  Addresses at;    ///< left uninitialised until `gather`
  /// Where address 0 would be of the memory that all lanes access, in bounds and aligned, and of its map of
  /// defined bits; null where they have no memory in common.
  std::byte *host = nullptr, *defined = nullptr;
  LaneHosts hosts;  ///< of valid lanes, where `host` is null or an owner asked for them; else uninitialised
};

}  // namespace foldproof::emulated
