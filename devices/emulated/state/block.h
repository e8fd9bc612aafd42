// Resident blocks and clusters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "devices/emulated/state/barrier.h"
#include "devices/emulated/state/warp.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

struct Cluster;

struct Block {
  Dim3 index;
  std::uint64_t linear = 0;
  Cluster* cluster = nullptr;
  std::uint32_t rank = 0;  ///< in its cluster
  BlockNumber number = 0;  ///< as seen by observers: numbers of a cluster's blocks are consecutive
  std::vector<std::unique_ptr<Warp>> warps;
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
