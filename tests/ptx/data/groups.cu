// Cooperative groups: tiles, reductions of groups, grid sync; clusters if the architecture has them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void tiles(float* f, int* i) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto quarter = cg::tiled_partition<8>(warp);
  f[block.thread_rank()] = cg::reduce(warp, f[block.thread_rank()], cg::plus<float>());
  i[block.thread_rank()] = cg::reduce(quarter, i[block.thread_rank()], cg::greater<int>());
  const auto active = cg::coalesced_threads();
  if (i[block.thread_rank()] > 3) i[block.thread_rank()] += cg::coalesced_threads().size();
  block.sync();
  i[block.thread_rank()] += active.shfl(i[0], 0);
}

__global__ void whole_grid(float* f, unsigned count) {
  const auto grid = cg::this_grid();
  for (auto i = grid.thread_rank(); i < count; i += grid.size()) f[i] += 1;
  grid.sync();
  if (grid.thread_rank() == 0)
    for (unsigned i = 1; i < count; ++i) f[0] += f[i];
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clusters(float* f) {
  __shared__ float part;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) part = f[blockIdx.x];
  cluster.sync();
  const float other = *cluster.map_shared_rank(&part, cluster.block_rank() ^ 1);
  atomicAdd(cluster.map_shared_rank(&part, 0), other);
  cluster.sync();
  if (threadIdx.x == 0) f[blockIdx.x] = part + other;
}

__global__ void arrivals(int* i) {
  const auto cluster = cg::this_cluster();
  cluster.barrier_arrive();
  i[threadIdx.x] += cluster.num_blocks();
  cluster.barrier_wait();
}
#endif
