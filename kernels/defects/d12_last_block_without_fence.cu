// D12: the block that takes the last ticket folds all partial results, but nothing orders a block's partial
// before its ticket: without a fence, the last block may see the ticket but not yet the partial. Seen in
// copies of the last-block pattern that kept the atomic and lost the fences. Fixed by a fence on either side:
// grid/last_block.cu.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void last_block_without_fence(const float* input, float* partials, unsigned* ticket, float* result,
                                         std::size_t count) {
  __shared__ bool last;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float total = reduce_block<Sum>(i < count ? input[i] : 0.0f);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = total;
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;

  total = 0.0f;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
    total += partials[block];  // finding: global-race
  }
  total = reduce_block<Sum>(total);
  if (threadIdx.x == 0) *result = total;
}
