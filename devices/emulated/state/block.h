// Blocks and clusters that are resident.
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
  BlockNumber number = 0;  ///< as observers know it: the numbers of a cluster's blocks follow each other
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::byte> shared;
  std::vector<std::byte> shared_defined;  ///< the map of its defined bits; empty where they are not tracked
  std::array<Barrier, 16> barriers;
  std::uint32_t barriers_in_use = 0;  ///< bit b: a thread has arrived at barrier b
  unsigned live_warps = 0;
  unsigned next_warp = 0;
  bool started = false;
};

/// Blocks that run at the same time and reach each other's shared memory; a cluster of one without `cluster`.
struct Cluster {
  std::uint64_t number = 0;
  Dim3 index;
  std::vector<std::unique_ptr<Block>> blocks;
  std::uint64_t phase = 0;        ///< completed barriers
  std::vector<LaneMask> arrived;  ///< by block and warp
  unsigned live_blocks = 0;
};

}  // namespace foldproof::emulated
