// D16a: a cluster reduction without the closing cluster barrier. The first block gathers the totals of the others
// from their shared memory, and the shared memory of a block disappears when the block exits: the GPU stops with
// an error, or the kernel reads another block's data. Fixed by cluster.sync() at the end: grid/cluster.cu.
#include <cooperative_groups.h>

#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void no_closing_cluster_sync(const float* input, float* partials, std::size_t count) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ float total;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float value = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) total = value;
  cluster.sync();

  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float sum = 0.0f;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) {
      sum += *cluster.map_shared_rank(&total, rank);  // finding: dsmem-lifetime
    }
    partials[blockIdx.x / cluster.num_blocks()] = sum;
  }
}
