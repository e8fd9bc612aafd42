// B4: a warp in which only some lanes take part, any number from 1 to 32.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// One warp per block: blockDim.x is 1 … 32.
template <typename Op, typename T>
__global__ void partial_warp(const T* input, Wide<T>* partials, std::size_t count) {
  const unsigned lane = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + lane;

  // Both masks are computed while all lanes are still converged: the existing lanes by arithmetic, those with
  // an element by a ballot. __activemask() inside the branch would name the lanes converged at that moment,
  // which need not be all that take the branch.
  const unsigned existing = 0xffffffffu >> (32 - blockDim.x);
  const unsigned live = __ballot_sync(existing, i < count);

  Wide<T> value = Op::template identity<Wide<T>>();
  if (i < count) {
    const unsigned lanes = __popc(live);  // lanes 0 … lanes - 1, since the input ends only once
    value = widen(input[i]);
    for (unsigned step = 16; step > 0; step /= 2) {
      const Wide<T> other = __shfl_down_sync(live, value, step);
      // Every live lane makes the shuffle, but what comes from a lane outside the mask is undefined.
      if (lane + step < lanes) value = Op::apply(value, other);
    }
  }
  if (lane == 0) partials[blockIdx.x] = value;
}
