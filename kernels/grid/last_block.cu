// C3: one launch, in which the block that finishes last folds all partial results.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../tree/coarsened.cuh"
#include "../warp/block_shuffle.cuh"

/// Writes the block's total to `partials` and takes a ticket. Returns true in the block that took the last one: it
/// observes the partial results of all others. `*ticket` is 0 before the first launch, and again after each.
template <typename T>
__device__ bool finishes_last(T total, T* partials, unsigned* ticket) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = total;
    __threadfence();  // release: a thread that observes the ticket also observes the partial
    // atomicInc wraps to 0 at its bound, so the last ticket resets it for the next launch.
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    // Acquire, by the thread that observed the other tickets; the barrier passes it on to the rest of the block.
    __threadfence();
  }
  __syncthreads();
  return last;
}

template <typename Op, typename T>
__global__ void last_block(const T* input, Wide<T>* partials, unsigned* ticket, Wide<T>* result,
                           std::size_t count) {
  const Wide<T> total = reduce_block<Op>(fold_grid_stride<Op>(input, count));
  if (!finishes_last(total, partials, ticket)) return;

  // It is unspecified which block is last, but the order of folding is fixed: the same bits every time.
  const Wide<T> folded = reduce_block<Op>(fold_block_stride<Op>(partials, gridDim.x));
  if (threadIdx.x == 0) *result = folded;
}
