// F3: where the largest element stands. A block folds pairs of value and index; of equal values the lowest
// index wins, so that the result hangs on nothing but the input.
#include <cstddef>
#include <cstdint>

#include "../reduction_operators.cuh"

template <typename T>
struct Place {
  T value;
  std::uint32_t index;
};

/// Whether a comes before b: a NaN before every number, then the larger value, then the lower index.
template <typename T>
__device__ bool precedes(Place<T> a, Place<T> b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan != b_nan) return a_nan;
  if (!a_nan && a.value != b.value) return a.value > b.value;
  return a.index < b.index;
}

template <typename T>
__device__ Place<T> warp_best(Place<T> best) {
  for (unsigned step = 16; step > 0; step /= 2) {
    const Place<T> other{__shfl_down_sync(0xffffffffu, best.value, step),
                         __shfl_down_sync(0xffffffffu, best.index, step)};
    if (precedes(other, best)) best = other;
  }
  return best;
}

/// One block, a multiple of 32.
template <typename T>
__global__ void argmax(const T* input, std::uint32_t* result, std::uint32_t count) {
  // Beyond every index, so that no element is taken for less than it.
  const Place<T> none{Max::identity<T>(), 0xffffffffu};
  Place<T> best = none;
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) {
    const Place<T> mine{input[i], static_cast<std::uint32_t>(i)};
    if (precedes(mine, best)) best = mine;
  }

  __shared__ Place<T> warps[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  best = warp_best(best);
  if (lane == 0) warps[warp] = best;
  __syncthreads();
  if (warp != 0) return;
  best = warp_best(lane < blockDim.x / 32 ? warps[lane] : none);
  if (lane == 0) *result = best.index;
}
