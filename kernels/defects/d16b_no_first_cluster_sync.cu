// D16b: a cluster reduction without the cluster barrier between the blocks' totals and the block that gathers
// them: it may read a total that is not complete. __syncthreads() is used instead, which waits only for its
// own block. Fixed by cluster.sync(): grid/cluster.cu.
#include <cooperative_groups.h>

#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void no_first_cluster_sync(const float* input, float* partials, std::size_t count) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ float total;
  if (threadIdx.x == 0) total = 0.0f;
  cluster.sync();  // all blocks have started and have a total to read

  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float value = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) total = value;
  __syncthreads();

  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    float sum = 0.0f;
    for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) {
      sum += *cluster.map_shared_rank(&total, rank);  // finding: cluster-race
    }
    partials[blockIdx.x / cluster.num_blocks()] = sum;
  }
  cluster.sync();  // no block exits while its total is still read
}
