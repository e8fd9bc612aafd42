// A9: the unrolled tree of A8, as a loop that the compiler unrolls.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// Folds one value per thread; thread 0 returns the total. `slots` has `block` elements, which may be reused
/// immediately.
template <typename Op, unsigned block, typename T>
__device__ T reduce_pragma_unroll(T value, T* slots) {
  const unsigned thread = threadIdx.x;
  slots[thread] = value;
  __syncthreads();

  // The bounds are constants, so each round becomes straight code and the choice of its barrier disappears:
  // what unrolled.cu spells out, for any power of two.
#pragma unroll
  for (unsigned half = block / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] = Op::apply(slots[thread], slots[thread + half]);
    // What up to 32 threads wrote is read by threads of the same warp only, so that a warp barrier suffices.
    if (half > 32) {
      __syncthreads();
    } else {
      __syncwarp();
    }
  }
  __syncthreads();  // a second call may not overwrite slots that the first warp still reads
  return slots[thread];
}

template <typename Op, typename T, unsigned block>
__global__ void pragma_unroll(const T* input, Wide<T>* partials, std::size_t count) {
  static_assert(block >= 32 && block <= 1024 && (block & (block - 1)) == 0, "a power of two from 32 to 1024");
  __shared__ Wide<T> slots[block];
  const std::size_t i = std::size_t{blockIdx.x} * 2 * block + threadIdx.x;
  Wide<T> value = element_or_identity<Op>(input, i, count);
  if (i + block < count) value = Op::apply(value, widen(input[i + block]));

  const Wide<T> total = reduce_pragma_unroll<Op, block>(value, slots);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
