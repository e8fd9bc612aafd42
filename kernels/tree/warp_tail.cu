// A7: two loads per thread, and the last warp's six rounds unrolled, with warp barriers instead of block
// barriers.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// One round inside the first warp, all of whose lanes call.
template <typename Op, unsigned half, typename T>
__device__ void fold_in_warp(T* slots) {
  const unsigned lane = threadIdx.x;
  if (lane < half) slots[lane] = Op::apply(slots[lane], slots[lane + half]);
  // Since Volta the lanes of a warp need not go in lockstep, and `volatile` does not make them: without this
  // barrier the next round may read a slot before it is written.
  __syncwarp();
}

/// Folds one value per thread; thread 0 returns the total. blockDim.x is a power of two from 32, and `slots`
/// has that many elements, which may be reused immediately.
template <typename Op, typename T>
__device__ T reduce_warp_tail(T value, T* slots) {
  const unsigned thread = threadIdx.x;
  slots[thread] = value;
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
    if (thread < half) slots[thread] = Op::apply(slots[thread], slots[thread + half]);
    __syncthreads();
  }

  if (thread < 32) {
    if (blockDim.x > 32) fold_in_warp<Op, 32>(slots);  // a block of one warp has no slots 32 to 63
    fold_in_warp<Op, 16>(slots);
    fold_in_warp<Op, 8>(slots);
    fold_in_warp<Op, 4>(slots);
    fold_in_warp<Op, 2>(slots);
    fold_in_warp<Op, 1>(slots);
  }
  __syncthreads();  // a second call may not overwrite slots that the first warp still reads
  return slots[thread];
}

template <typename Op, typename T>
__global__ void warp_tail(const T* input, Wide<T>* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * 2 * blockDim.x + threadIdx.x;
  Wide<T> value = element_or_identity<Op>(input, i, count);
  if (i + blockDim.x < count) value = Op::apply(value, widen(input[i + blockDim.x]));

  const Wide<T> total = reduce_warp_tail<Op>(value, dynamic_shared<Wide<T>>());
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
