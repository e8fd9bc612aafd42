// The addresses of one warp-wide access, and their common properties.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "devices/emulated/isa/instruction.h"

namespace foldproof::emulated {

struct Addresses {
  /// By lane. Lanes that do not participate repeat a participating lane's address, so that users do not need
  /// a mask.
  alignas(32) std::array<std::uint64_t, isa::warp_size> at;
  std::uint64_t low = 0, high = 0;  ///< the smallest and the largest
  std::uint64_t bits = 0;           ///< or of all except multiples of `bytes`: their common alignment
  bool consecutive = false;         ///< every participating lane l is at base + l · bytes

  std::uint64_t operator[](unsigned lane) const { return at[lane]; }
};

/// Computes the addresses base + displacement, where `base` has a column of `column_bytes` (4 or 8) per lane,
/// for accesses of `bytes` each by the lanes of `lanes`, at least one. 32-bit addresses wrap within 32 bits.
void gather_addresses(const std::byte* base, unsigned column_bytes, std::uint64_t displacement,
                      std::uint32_t bytes, isa::LaneMask lanes, Addresses& out);

/// The same address in all lanes.
void repeat_address(std::uint64_t address, Addresses& out);

}  // namespace foldproof::emulated
