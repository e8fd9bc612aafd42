// A memory access by the lanes of a warp.
//
//   instruction ──► addresses by lane ──► host memory, in one region for all lanes or separately per lane
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "devices/emulated/program/program.h"
#include "devices/emulated/state/addresses.h"
#include "devices/emulated/state/warp.h"

namespace foldproof::emulated {

/// The host address of each lane's bytes, and of their map of defined bits.
struct LaneHosts {
  std::array<std::byte*, isa::warp_size> bytes;
  std::array<std::byte*, isa::warp_size> defined;
  std::byte*& operator[](unsigned lane) { return bytes[lane]; }
  std::byte* operator[](unsigned lane) const { return bytes[lane]; }
};

/// The memory access of an instruction, from device addresses to host memory.
struct WarpAccess {
  WarpAccess(Warp& of, Frame& its_frame, const Instruction& instruction, const MachineOperands& its_detail,
             LaneMask executing);

  /// Fills `at` for the executing lanes from the instruction's `address`.
  void gather(const MachineOperands::Address& address);
  /// Whether consecutive lanes each move a whole register to or from consecutive memory.
  bool is_simple() const;
  /// A lane's bytes; the lane must be valid, or `host` set.
  std::byte* bytes_of(unsigned lane) const { return host ? host + at[lane] : hosts[lane]; }

  Warp& warp;
  Frame& frame;
  const Instruction& i;
  const MachineOperands& detail;
  isa::StateSpace space;
  std::uint32_t bytes;  ///< per lane
  bool writes;
  LaneMask executing;
  LaneMask valid;  ///< executing lanes whose access is in bounds and aligned
  /// Executing lanes whose access is invalid, but accepted: what they read is undefined.
  LaneMask accepted = 0;
  Addresses at;  ///< left uninitialized until `gather`
  /// The host address that corresponds to device address 0 for the memory that all lanes access, in bounds
  /// and aligned, and likewise for its map of defined bits; null if the lanes do not share one region.
  std::byte *host = nullptr, *defined = nullptr;
  LaneHosts hosts;  ///< of valid lanes, if `host` is null or shadow state needs it; else uninitialized
};

}  // namespace foldproof::emulated
