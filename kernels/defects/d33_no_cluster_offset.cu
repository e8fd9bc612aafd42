// D33: the index is computed from the block's rank in its cluster and a constant block size, without the
// cluster's own offset: every cluster sums the same range. Published in a tutorial that launches one cluster.
// Fixed by the index of the block in the grid: grid/cluster.cu.
#include <cooperative_groups.h>

#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void no_cluster_offset(const float* input, float* partials, std::size_t count) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ float total;
  const std::size_t i = cluster.block_rank() * 256 + threadIdx.x;  // finding: wrong-value, input-not-used, input-used-twice
  const float value = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) total = value;
  cluster.sync();

  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float sum = 0.0f;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) {
      sum += *cluster.map_shared_rank(&total, rank);
    }
    partials[blockIdx.x / cluster.num_blocks()] = sum;
  }
  cluster.sync();
}
