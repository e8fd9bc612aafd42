// The coordinates of threads, blocks and clusters of a launch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "devices/emulated/isa/instruction.h"
#include "devices/launch.h"
#include "sanitizer/finding.h"
#include "sanitizer/observer.h"

namespace foldproof::emulated {

/// The number of multiprocessors that kernels see: that of an H200.
constexpr std::uint32_t multiprocessors = 132;

struct Warp;

class Geometry {
 public:
  explicit Geometry(const LaunchShape& shape);

  const LaunchShape& shape() const { return shape_; }
  bool clustered() const { return shape_.cluster.x != 0; }
  Dim3 cluster() const { return clustered() ? shape_.cluster : Dim3{1, 1, 1}; }
  std::uint64_t clusters() const { return shape_.grid.volume() / cluster().volume(); }
  std::uint32_t blocks_per_cluster() const { return static_cast<std::uint32_t>(cluster().volume()); }
  std::uint32_t threads_per_block() const { return static_cast<std::uint32_t>(shape_.block.volume()); }
  unsigned warps_per_block() const;

  /// The index of the cluster with that number, in units of clusters.
  Dim3 cluster_index(std::uint64_t cluster) const;
  Dim3 block_index(std::uint64_t cluster, std::uint32_t rank) const;
  Dim3 thread_index(std::uint32_t warp, unsigned lane) const;
  /// %tid.x, .y or .z (`axis` 0, 1, 2) of a warp's 32 lanes, including lanes beyond the block.
  const std::uint32_t* thread_indices(unsigned axis, std::uint32_t warp) const {
    return &threads_[axis][std::size_t{warp} * isa::warp_size];
  }
  ThreadId thread(const Warp& warp, unsigned lane) const;
  ThreadId thread(WarpId warp, unsigned lane) const;

 private:
  LaunchShape shape_;
  std::array<std::vector<std::uint32_t>, 3> threads_;
};

}  // namespace foldproof::emulated
