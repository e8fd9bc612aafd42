// The shared memory of each block of a launch.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/emulated/program/program.h"

namespace foldproof::emulated {

/// One variable in shared memory.
struct SharedRegion {
  std::uint32_t address, bytes;
  std::uint32_t host;  ///< offset in Block::shared
  const SharedVariable* variable;

  bool contains(std::uint64_t at) const { return at - address < bytes; }
};

struct SharedMemory {
  std::vector<SharedRegion> regions;
  std::uint32_t bytes = 0;  ///< of Block::shared

  /// The variables of `entry`; the dynamic array has `dynamic_bytes`.
  SharedMemory(const Program& program, const FunctionCode& entry, std::uint32_t dynamic_bytes) {
    for (const SharedVariable& variable : program.shared) {
      if (!variable.entry.empty() && variable.entry != entry.name) continue;
      const std::uint32_t size = variable.dynamic ? dynamic_bytes : variable.bytes;
      regions.push_back({variable.address, size, bytes, &variable});
      bytes += (size + 15) / 16 * 16;
    }
  }
};

}  // namespace foldproof::emulated
