// Resident blocks and clusters, with their barriers and shared memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "devices/emulated/state/warp.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

/// One variable in shared memory.
struct SharedRegion {
  std::uint32_t address, bytes;
  std::uint32_t host;  ///< offset in Block::shared
  const SharedVariable* variable;

  bool contains(std::uint64_t at) const { return at - address < bytes; }
};

/// The shared memory of each block of a launch.
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

/// Arrivals are counted in whole warps: a warp has arrived as often as every lane that has not exited, and an
/// exited warp as often as any of its lanes. bar.arrive does not wait, so a warp may arrive again, and some
/// of its lanes before others.
struct Arrivals {
  std::uint32_t of_warp = 0;         ///< how often the warp has arrived as a whole
  std::vector<isa::LaneMask> ahead;  ///< lanes that have arrived once more than the warp, twice more …

  void come(isa::LaneMask lanes, isa::LaneMask exited) {
    if (ahead.empty() && (lanes | exited) == all_lanes) {
      ++of_warp;
      return;
    }
    for (std::size_t level = 0; lanes != 0; ++level) {
      if (level == ahead.size()) ahead.push_back(0);
      const isa::LaneMask again = ahead[level] & lanes;
      ahead[level] |= lanes;
      lanes = again;
    }
    settle(exited);
  }

  /// Counts the levels that are complete because the missing lanes have exited.
  void settle(isa::LaneMask exited) {
    while (!ahead.empty() && (ahead.front() | exited) == all_lanes) {
      ahead.erase(ahead.begin());
      ++of_warp;
    }
  }
};

/// Whole warps that arrived in the same way to wait, and whose arrival has not been reported to observers yet
/// (events/events.h).
struct PendingArrivals {
  std::uint32_t warps = 0;  ///< bit w: warp w
  const isa::Instruction* at = nullptr;
  std::uint32_t threads = 0;  ///< number of threads that they wait for
};

/// One of the sixteen barriers of a block, and the arrivals at it.
struct Barrier {
  std::vector<Arrivals> arrivals;  ///< by warp
  std::size_t first_missing = 0;   ///< all earlier warps have arrived or exited
  PendingArrivals pending;
  std::uint32_t threads = 0;  ///< number of threads expected; 0: the whole block
  std::uint32_t true_count = 0,
                vote_count = 0;  ///< barrier.red: lanes that arrived with a true predicate, and all lanes

  void reset() {
    for (Arrivals& warp : arrivals) {
      warp.of_warp = 0;
      warp.ahead.clear();
    }
    first_missing = 0;
    pending.warps = 0;
    threads = true_count = vote_count = 0;
  }
};

struct Cluster;

struct Block {
  Dim3 index;
  std::uint64_t linear = 0;
  Cluster* cluster = nullptr;
  std::uint32_t rank = 0;  ///< in its cluster
  BlockNumber number = 0;  ///< as seen by observers: numbers of a cluster's blocks are consecutive
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::unique_ptr<Warp>> spare_warps;  ///< of earlier launches with larger blocks
  std::vector<std::byte> shared;
  std::vector<std::byte> shared_defined;  ///< the map of its defined bits; empty if not tracked
  std::array<Barrier, 16> barriers;
  std::uint32_t barriers_in_use = 0;  ///< bit b: a thread has arrived at barrier b
  unsigned live_warps = 0;
  unsigned next_warp = 0;
  bool started = false;
};

/// Blocks that run concurrently and can access each other's shared memory; without `cluster`, a single block.
struct Cluster {
  std::uint64_t number = 0;
  Dim3 index;
  std::vector<std::unique_ptr<Block>> blocks;
  std::uint64_t phase = 0;        ///< completed barriers
  std::vector<LaneMask> arrived;  ///< by block and warp
  unsigned live_blocks = 0;
};

}  // namespace foldproof::emulated
