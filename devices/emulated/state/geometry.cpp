#include "devices/emulated/state/geometry.h"

#include "devices/emulated/state/block.h"

namespace foldproof::emulated {
namespace {

Dim3 unflatten(std::uint64_t linear, const Dim3& extent) {
  return {static_cast<std::uint32_t>(linear % extent.x),
          static_cast<std::uint32_t>(linear / extent.x % extent.y),
          static_cast<std::uint32_t>(linear / extent.x / extent.y)};
}

}  // namespace

Geometry::Geometry(const LaunchShape& shape) : shape_(shape) {
  for (std::uint64_t thread = 0; thread < std::uint64_t{warps_per_block()} * isa::warp_size; ++thread) {
    const Dim3 at = unflatten(thread, shape.block);
    threads_[0].push_back(at.x);
    threads_[1].push_back(at.y);
    threads_[2].push_back(at.z);
  }
}

unsigned Geometry::warps_per_block() const {
  return (threads_per_block() + isa::warp_size - 1) / isa::warp_size;
}

Dim3 Geometry::cluster_index(std::uint64_t number) const {
  const Dim3 extent = cluster();
  return unflatten(number, {shape_.grid.x / extent.x, shape_.grid.y / extent.y, shape_.grid.z / extent.z});
}

Dim3 Geometry::block_index(std::uint64_t number, std::uint32_t rank) const {
  const Dim3 extent = cluster();
  const Dim3 outside = cluster_index(number), inside = unflatten(rank, extent);
  return {outside.x * extent.x + inside.x, outside.y * extent.y + inside.y, outside.z * extent.z + inside.z};
}

Dim3 Geometry::thread_index(std::uint32_t warp, unsigned lane) const {
  const std::size_t place = std::size_t{warp} * isa::warp_size + lane;
  return {threads_[0][place], threads_[1][place], threads_[2][place]};
}

ThreadId Geometry::thread(const Warp& warp, unsigned lane) const {
  return {warp.block->index, thread_index(warp.index, lane)};
}

ThreadId Geometry::thread(WarpId warp, unsigned lane) const {
  const std::uint64_t size = blocks_per_cluster();
  return {block_index(warp.block / size, static_cast<std::uint32_t>(warp.block % size)),
          thread_index(warp.warp, lane)};
}

}  // namespace foldproof::emulated
