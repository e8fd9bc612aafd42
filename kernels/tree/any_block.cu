// A11: the sequential tree for a block of any size, not only powers of two.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// Folds one value per thread; thread 0 returns the total. `slots` has blockDim.x elements, which may be
/// reused immediately.
template <typename Op, typename T>
__device__ T reduce_any_block(T value, T* slots) {
  const unsigned thread = threadIdx.x;
  slots[thread] = value;
  __syncthreads();

  for (unsigned width = blockDim.x; width > 1;) {
    // Half of the width, rounded up: of an odd number of slots the middle one has no partner and waits for
    // the next round, where rounding down would drop the last one.
    const unsigned half = (width + 1) / 2;
    // The bound is the width of this round, not the count of the input: slots past it were folded before.
    if (thread + half < width) slots[thread] = Op::apply(slots[thread], slots[thread + half]);
    __syncthreads();
    width = half;
  }
  return slots[thread];
}

template <typename Op, typename T>
__global__ void any_block(const T* input, Wide<T>* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Wide<T> value = element_or_identity<Op>(input, i, count);

  const Wide<T> total = reduce_any_block<Op>(value, dynamic_shared<Wide<T>>());
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
