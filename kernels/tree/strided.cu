// A4: the interleaved tree with its work packed into the first threads.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// Folds one value per thread; thread 0 returns the total. blockDim.x is a power of two, and `slots` has that
/// many elements, which may be reused immediately.
template <typename Op, typename T>
__device__ T reduce_strided(T value, T* slots) {
  const unsigned thread = threadIdx.x;
  slots[thread] = value;
  __syncthreads();

  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    // The active threads are the first ones, so that whole warps become idle, and only the last warp ever
    // diverges. The price: neighbours touch slots 2 * step apart, so of 32-bit slots two collide in a bank in
    // the first round, four in the second, up to 32.
    const unsigned left = 2 * step * thread;
    if (left < blockDim.x) slots[left] = Op::apply(slots[left], slots[left + step]);
    __syncthreads();
  }
  return slots[thread];
}

template <typename Op, typename T>
__global__ void strided(const T* input, Wide<T>* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Wide<T> value = element_or_identity<Op>(input, i, count);

  const Wide<T> total = reduce_strided<Op>(value, dynamic_shared<Wide<T>>());
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
