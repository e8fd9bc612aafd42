// E5: the exact sum, rounded once. Floats gather without rounding in bins by exponent, one set a thread, which
// are folded as integers: the same bits for any block, any grid and any order.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../vectors.cuh"
#include "../warp/block_shuffle.cuh"
#include "bins.cuh"
#include "limbs.cuh"

/// Empties all bins of the block into its limbs. All threads call.
template <typename T>
__device__ void pour(Bins<T>& bins, Limb* limbs, unsigned holders) {
  const unsigned warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
  const unsigned lane = threadIdx.x % 32, lanes = min(32u, blockDim.x - 32 * warp);
  __syncthreads();
  for (unsigned k = warp; k < bins.windows * bins.parts; k += warps) {
    const unsigned window = k / bins.parts, part = k % bins.parts;
    // Halves of 32 bits, as 1024 integers of 64 could overflow.
    long long lower = 0, upper = 0;
    for (unsigned thread = lane; thread < holders; thread += lanes) {
      const long long taken = bins.take(window, part, thread);
      lower += static_cast<unsigned>(taken);
      upper += taken >> 32;
    }
    // Most bins are empty.
    if (!__any_sync(0xffffffffu >> (32 - lanes), (lower | upper) != 0)) continue;
    lower = reduce_warp<Sum>(lower, lanes);
    upper = reduce_warp<Sum>(upper, lanes);
    if (lane == 0) {
      add_at(limbs, bins.place(window, part), lower);
      add_at(limbs, bins.place(window, part) + 32, upper);
    }
  }
  __syncthreads();
}

/// Adds the block's share of the input to its limbs.
template <typename T>
__device__ void add_share(Bins<Wide<T>>& bins, Limb* limbs, unsigned holders, const T* input, std::size_t count) {
  constexpr unsigned width = Vector<T>::width, unroll = 4, batch = unroll * width;
  const std::size_t head = elements_before_boundary(input, count), vectors = (count - head) / width;
  const std::size_t around = count - vectors * width;
  const Vector<T>* body = reinterpret_cast<const Vector<T>*>(input + head);
  const std::size_t first = std::size_t{blockIdx.x} * holders, stride = std::size_t{gridDim.x} * holders;
  const bool holds = threadIdx.x < holders;

  // The few elements before and after the vectors, one by one.
  for (std::size_t i = first + threadIdx.x; holds && i < around; i += stride) {
    const Wide<T> element[1] = {widen(input[i < head ? i : i + vectors * width])};
    bins.add(element);
  }

  // Bins are emptied before they overflow, by all threads of the block.
  constexpr unsigned rounds = (bins.most - 32) / batch;
  std::size_t start = first;
  do {
    std::size_t i = start + threadIdx.x;
    Vector<T> next[unroll];
    const auto load = [&] {
#pragma unroll
      for (unsigned u = 0; u < unroll; ++u) next[u] = i + u * stride < vectors ? body[i + u * stride] : Vector<T>{};
    };
    if (holds) load();
    for (unsigned round = 0; holds && round < rounds && i < vectors; ++round) {
      Wide<T> elements[batch];
#pragma unroll
      for (unsigned k = 0; k < batch; ++k) elements[k] = widen(next[k / width].element[k % width]);
      i += unroll * stride;
      if (round + 1 < rounds) load();  // what comes next is on its way while this is added
      bins.add(elements);
    }
    pour(bins, limbs, holders);
    start += rounds * unroll * stride;
  } while (start < vectors);
}

/// Adds the block's limbs to those of all blocks. True in the block that comes last: it sees all of them.
template <typename T>
__device__ bool finishes_last(Limb* limbs, double unbounded, Limb* total, unsigned* unbounded_total, unsigned* ticket) {
  __shared__ bool last;
  if (threadIdx.x == 0) settle<T>(limbs);
  __syncthreads();
  // Settled limbs are below 2^32: as many blocks as a grid can have may add theirs.
  for (unsigned k = threadIdx.x; k < Long<T>::limbs; k += blockDim.x) {
    if (limbs[k] != 0) atomicAdd(&total[k], limbs[k]);
  }
  if (unbounded != 0) atomicOr(unbounded_total, unbounded > 0 ? 1u : unbounded < 0 ? 2u : 3u);
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // release, also of what the other threads of the block have added before the barrier
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();  // acquire
  }
  __syncthreads();
  return last;
}

/// `total`, `unbounded` and `ticket` hold zeros before the first launch, and again after each. Of `unbounded`
/// one bit stands for a positive infinity and one for a negative one; a NaN counts as both.
template <typename T>
__global__ void __launch_bounds__(1024)
    exact(const T* input, Limb* total, unsigned* unbounded, unsigned* ticket, Wide<T>* output, std::size_t count) {
  constexpr unsigned limbs = Long<Wide<T>>::limbs;
  __shared__ Limb mine[limbs];
  const unsigned holders = min(blockDim.x, Bins<Wide<T>>::most_threads);
  Bins<Wide<T>> bins(holders);
  for (unsigned k = threadIdx.x; k < limbs; k += blockDim.x) mine[k] = 0;
  if (threadIdx.x < holders) bins.clear(threadIdx.x);
  add_share(bins, mine, holders, input, count);
  if (!finishes_last<Wide<T>>(mine, bins.unbounded(), total, unbounded, ticket)) return;

  for (unsigned k = threadIdx.x; k < limbs; k += blockDim.x) {
    mine[k] = total[k];
    total[k] = 0;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const unsigned signs = *unbounded;
  *unbounded = 0;
  if (signs != 0) {
    *output = (signs & 1 ? greatest<Wide<T>> : 0) + (signs & 2 ? least<Wide<T>> : 0);  // both: NaN
  } else {
    const auto bits = nearest<Wide<T>>(mine);
    memcpy(output, &bits, sizeof bits);
  }
}
