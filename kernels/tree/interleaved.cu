// A2: a tree over shared memory with interleaved addressing. The most obvious form, and the
// slowest.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// Folds one value per thread; thread 0 returns the total. blockDim.x is a power of two, and `slots` has that
/// many elements, which may be reused immediately.
template <typename Op, typename T>
__device__ T reduce_interleaved(T value, T* slots) {
  const unsigned thread = threadIdx.x;
  slots[thread] = value;
  __syncthreads();

  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    // In each warp half of the lanes work in the first round, then every fourth, every eighth: for five
    // rounds all warps diverge and none becomes idle. The remainder operation is slow as well.
    if (thread % (2 * step) == 0) slots[thread] = Op::apply(slots[thread], slots[thread + step]);
    // Outside the branch, because every thread of the block has to arrive; after the last round too, so that
    // no thread still reads a slot that a second call would overwrite.
    __syncthreads();
  }
  return slots[thread];
}

template <typename Op, typename T>
__global__ void interleaved(const T* input, Wide<T>* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // Threads past the end contribute the identity instead of returning: they are needed at the barriers.
  const Wide<T> value = element_or_identity<Op>(input, i, count);

  const Wide<T> total = reduce_interleaved<Op>(value, dynamic_shared<Wide<T>>());
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
