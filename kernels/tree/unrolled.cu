// A8: the tree unrolled by hand over a block size that the compiler knows.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// The round that folds slots half … 2 * half - 1 into the first half; no code at all where the block has no
/// such slots.
template <typename Op, unsigned block, unsigned half, typename T>
__device__ void fold_round(T* slots) {
  if constexpr (block >= 2 * half) {
    const unsigned thread = threadIdx.x;
    if (thread < half) slots[thread] = Op::apply(slots[thread], slots[thread + half]);
    // What up to 32 threads wrote is read by threads of the same warp only, so that a warp barrier suffices.
    if constexpr (half > 32) {
      __syncthreads();
    } else {
      __syncwarp();
    }
  }
}

/// Folds one value per thread; thread 0 returns the total. `slots` has `block` elements, which may be reused
/// immediately.
template <typename Op, unsigned block, typename T>
__device__ T reduce_unrolled(T value, T* slots) {
  const unsigned thread = threadIdx.x;
  slots[thread] = value;
  __syncthreads();

  // From 512: a ladder that begins at 256 loses half of the elements of a block of 1024.
  fold_round<Op, block, 512>(slots);
  fold_round<Op, block, 256>(slots);
  fold_round<Op, block, 128>(slots);
  fold_round<Op, block, 64>(slots);
  fold_round<Op, block, 32>(slots);
  fold_round<Op, block, 16>(slots);
  fold_round<Op, block, 8>(slots);
  fold_round<Op, block, 4>(slots);
  fold_round<Op, block, 2>(slots);
  fold_round<Op, block, 1>(slots);
  __syncthreads();  // a second call may not overwrite slots that the first warp still reads
  return slots[thread];
}

template <typename Op, typename T, unsigned block>
__global__ void unrolled(const T* input, Wide<T>* partials, std::size_t count) {
  static_assert(block >= 32 && block <= 1024 && (block & (block - 1)) == 0, "a power of two from 32 to 1024");
  __shared__ Wide<T> slots[block];
  const std::size_t i = std::size_t{blockIdx.x} * 2 * block + threadIdx.x;
  Wide<T> value = element_or_identity<Op>(input, i, count);
  if (i + block < count) value = Op::apply(value, widen(input[i + block]));

  const Wide<T> total = reduce_unrolled<Op, block>(value, slots);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
