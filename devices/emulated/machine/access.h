// One access of a warp's lanes to memory.
//
//   instruction ──► addresses by lane ──► bytes on the host, all lanes' in one place or each lane's by itself
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "devices/emulated/machine/addressing.h"
#include "devices/emulated/machine/program.h"
#include "devices/emulated/machine/warp.h"

namespace foldproof::machine {

/// Where each lane's bytes lie on the host, and their map of defined bits.
struct Hosts {
  std::array<std::byte*, isa::warp_size> bytes;
  std::array<std::byte*, isa::warp_size> defined;
  std::byte*& operator[](unsigned lane) { return bytes[lane]; }
  std::byte* operator[](unsigned lane) const { return bytes[lane]; }
};

/// An instruction's access to memory, from addresses to bytes on the host.
struct Access {
  Access(Warp& of, const Split& by, const Instruction& instruction, const Detail& its_detail,
         LaneMask executing);
  /// Whether consecutive lanes each move a whole register to or from its place in one stretch of memory.
  bool is_simple() const;

  Warp& warp;
  const Split& split;
  const Instruction& i;
  const Detail& detail;
  isa::StateSpace space;
  std::uint32_t bytes;  ///< of one lane
  bool writes;
  LaneMask lanes;  ///< that execute it
  LaneMask good;   ///< those of them whose access is in bounds and aligned
  Addresses at;
  /// Where address 0 would be of the memory that all lanes access, in bounds and aligned, and of its map of
  /// defined bits; null where there is none such.
  std::byte *host = nullptr, *defined = nullptr;
  Hosts hosts;  ///< of good lanes, once `resolve` or what follows it has looked for them
};

}  // namespace foldproof::machine
