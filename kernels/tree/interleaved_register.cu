// A3: the interleaved tree with the running value kept in a register.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// Folds one value per thread; thread 0 returns the total. blockDim.x is a power of two, and `slots` has that
/// many elements, which may be reused immediately.
template <typename Op, typename T>
__device__ T reduce_interleaved_register(T value, T* slots) {
  const unsigned thread = threadIdx.x;
  slots[thread] = value;
  __syncthreads();

  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    if (thread % (2 * step) == 0) {
      // One shared load per round instead of two. The compiler cannot do this itself: after a barrier it must
      // assume that another thread has written the slot.
      value = Op::apply(value, slots[thread + step]);
      slots[thread] = value;  // still stored, since the partner of the next round reads it
    }
    __syncthreads();
  }
  return value;
}

template <typename Op, typename T>
__global__ void interleaved_register(const T* input, Wide<T>* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Wide<T> value = element_or_identity<Op>(input, i, count);

  const Wide<T> total = reduce_interleaved_register<Op>(value, dynamic_shared<Wide<T>>());
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
