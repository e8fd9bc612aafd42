// B8: the block reduction of B7 for any operator that the caller passes as an object: a functor with state, a
// lambda with captures, or one of ours.
#include <cstddef>
#include <type_traits>

#include "../element_types.cuh"
#include "../fused/magnitude.cuh"
#include "../reduction_operators.cuh"

/// Folds the first `lanes` lanes of a warp, exactly those that call; lane 0 returns the total.
template <typename T, typename Operator>
__device__ T reduce_warp_by(T value, unsigned lanes, const Operator& combine) {
  const unsigned lane = threadIdx.x % 32, mask = 0xffffffffu >> (32 - lanes);
  for (unsigned step = 16; step > 0; step /= 2) {
    const T other = __shfl_down_sync(mask, value, step);
    if (lane + step < lanes) value = combine(value, other);
  }
  return value;
}

/// Folds one value per thread over a block of any size; thread 0 returns the total. All threads call, each
/// with an equivalent operator. No identity is needed, because many operators have none: only existing values
/// are combined, in the order of their threads.
template <typename T, typename Operator>
__device__ T reduce_block_by(T value, const Operator& combine) {
  __shared__ T totals[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned warps = (blockDim.x + 31) / 32;

  value = reduce_warp_by(value, min(32u, blockDim.x - 32 * warp), combine);
  if (lane == 0) totals[warp] = value;
  __syncthreads();
  // The lanes that have a total are the first ones, and they alone call: the mask is made from their number.
  if (threadIdx.x < warps) value = reduce_warp_by(totals[lane], warps, combine);
  __syncthreads();  // a second call may not overwrite totals that are still read
  return value;
}

/// A custom operator: the larger of two magnitudes. Elements are converted when they are loaded, so only the
/// identity differs from that of a maximum.
struct AbsMax : Max {
  template <typename T>
  __device__ static constexpr T identity() {
    return T{0};
  }
};

/// An element as the operator takes it.
template <typename Op, typename T>
__device__ auto lifted(T element) {
  if constexpr (std::is_same_v<Op, AbsMax>) {
    return magnitude(element);
  } else {
    return widen(element);
  }
}

template <typename Op, typename T, typename Result>
__global__ void block_functor(const T* input, Result* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Result value = i < count ? lifted<Op>(input[i]) : Op::template identity<Result>();

  const Result total = reduce_block_by(value, [](Result a, Result b) { return Op::apply(a, b); });
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
