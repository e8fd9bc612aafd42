// H26: Triton (Meta) #1105. Every block of a cluster reads the totals of all others, and exits as soon as it
// has finished, while a slower one still reads its shared memory. Fixed by a cluster barrier before the end:
// grid/cluster.cu.
#include <cooperative_groups.h>

#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// Every block writes the maximum of its cluster.
__global__ void block_leaves_its_peers(const float* input, float* partials, std::size_t count) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ float total;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = reduce_block<Max>(i < count ? input[i] : Max::identity<float>());
  if (threadIdx.x == 0) total = value;
  cluster.sync();
  if (threadIdx.x != 0) return;

  for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) {
    value = Max::apply(value, *cluster.map_shared_rank(&total, rank));  // finding: dsmem-lifetime
  }
  partials[blockIdx.x] = value;
}
