// E5: the exact sum, rounded once. Floats are added without rounding in bins by exponent, one set per thread,
// which are folded as integers: the same bits for any block, any grid and any order.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../vectors.cuh"
#include "bins.cuh"
#include "limbs.cuh"

/// A vector that is not read again. For doubles it is a plain load, which the compiler may move among their
/// longer computations; for other types this keeps more loads in flight.
template <typename T>
__device__ Vector<T> read_once(const Vector<T>* address) {
  if constexpr (std::is_same_v<T, double>) {
    return *address;
  } else {
    const int4 bits = __ldcs(reinterpret_cast<const int4*>(address));
    Vector<T> vector;
    memcpy(&vector, &bits, sizeof vector);
    return vector;
  }
}

/// Adds the warp's sum of lower + 2^32 * upper, `lower` not negative and both below 2^42, times 2^place.
/// `lanes` is the number of lanes of the warp.
__device__ inline void add_sum_at(Limb* limbs, unsigned place, long long lower, long long upper, unsigned lanes) {
  // Three pieces of 27 bits, so that 32 of them add up in 32 bits in one instruction; the uppermost has the sign.
  constexpr unsigned bits = 27, ones = (1u << bits) - 1;
  upper += lower >> 32;
  const unsigned low = static_cast<unsigned>(lower) & ones;
  const unsigned middle = (static_cast<unsigned>(lower) >> bits | static_cast<unsigned>(upper) << (32 - bits)) & ones;
  const int high = static_cast<int>(upper >> (2 * bits - 32));
  const unsigned mask = 0xffffffffu >> (32 - lanes);
  const long long sums[3] = {__reduce_add_sync(mask, low), __reduce_add_sync(mask, middle),
                             __reduce_add_sync(mask, high)};
  for (unsigned piece = threadIdx.x % 32; piece < 3; piece += lanes) {
    const long long sum = piece == 0 ? sums[0] : piece == 1 ? sums[1] : sums[2];
    if (sum != 0) add_at(limbs, place + bits * piece, sum);
  }
}

/// Adds the contents of all bins of the block to its limbs. All threads must call it.
template <typename T>
__device__ void pour(Bins<T>& bins, Limb* limbs) {
  const unsigned warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
  const unsigned lane = threadIdx.x % 32, lanes = min(32u, blockDim.x - 32 * warp);
  __syncthreads();
  for (unsigned k = warp; k < bins.windows * bins.parts; k += warps) {
    const unsigned window = k / bins.parts, part = k % bins.parts;
    // Halves of 32 bits, as 32 integers of 64 could overflow.
    long long lower = 0, upper = 0;
    for (unsigned thread = lane; thread < blockDim.x; thread += lanes) {
      const long long value = bins.read(window, part, thread);
      lower += static_cast<unsigned>(value);
      upper += value >> 32;
    }
    add_sum_at(limbs, bins.place(window, part), lower, upper, lanes);
  }
  __syncthreads();
}

/// Adds the block's share of the input to its limbs: tiles, strided over the grid, of `depth` vectors per
/// thread. Returns the sum of the elements of this thread that are not finite, or 0.
template <typename T>
__device__ double add_share(const T* input, std::size_t count, Limb* limbs) {
  constexpr unsigned width = Vector<T>::width, depth = Bins<Wide<T>>::depth, batch = Bins<Wide<T>>::batch;
  const std::size_t head = elements_before_boundary(input, count), vectors = (count - head) / width;
  const Vector<T>* body = reinterpret_cast<const Vector<T>*>(input + head);
  const std::size_t tile = depth * blockDim.x, stride = gridDim.x * tile;

  // Each thread always has `depth` loads in flight: a loaded vector is replaced before it is added.
  Vector<T> queue[depth];
  const Vector<T>* next = nullptr;
  unsigned left = 0;
  const auto turn_to = [&](std::size_t start) {
    next = body + start;
    left = start < vectors ? min(vectors - start, tile) : 0;
  };
  const auto load = [&](unsigned k) {
    const unsigned i = k * blockDim.x + threadIdx.x;
    queue[k] = i < left ? read_once(next + i) : Vector<T>{};
  };
  std::size_t start = blockIdx.x * tile;
  turn_to(start);
#pragma unroll
  for (unsigned k = 0; k < depth; ++k) load(k);

  Bins<Wide<T>> bins;
  // The few elements before and after the vectors, one by one.
  const std::size_t around = count - vectors * width;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < around;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const Wide<T> element[1] = {widen(input[i < head ? i : i + vectors * width])};
    bins.add(element);
  }

  unsigned added = 2 * width;  // by each thread: those around the vectors were fewer
  while (start < vectors) {
    // Bins are emptied before they overflow, by all threads of the block.
    if (added + depth * width > Bins<Wide<T>>::most) {
      pour(bins, limbs);
      bins.clear();
      added = 0;
    }
    added += depth * width;
    start += stride;
    turn_to(start);
#pragma unroll
    for (unsigned k = 0; k < depth; k += batch) {
      Wide<T> elements[batch * width];
#pragma unroll
      for (unsigned e = 0; e < batch * width; ++e) elements[e] = widen(queue[k + e / width].element[e % width]);
#pragma unroll
      for (unsigned v = k; v < k + batch; ++v) load(v);
      bins.add(elements);
    }
  }
  pour(bins, limbs);
  return bins.unbounded();
}

/// Adds the block's limbs to those of all blocks. Returns true in the last block, which observes all of them.
template <typename T>
__device__ bool finishes_last(Limb* limbs, double unbounded, Limb* total, unsigned* unbounded_total, unsigned* ticket) {
  __shared__ bool last;
  // At most about 2^31 in magnitude: as many blocks as a grid can have may add their limbs.
  for (unsigned k = threadIdx.x; k < Long<T>::limbs; k += blockDim.x) {
    const Limb share = carried_once(limbs, k);
    if (share != 0) atomicAdd(&total[k], share);
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

/// `total`, `unbounded` and `ticket` hold zeros before the first launch, and again after each. One bit of
/// `unbounded` represents positive infinity, another negative infinity; a NaN sets both.
template <typename T>
__global__ void __launch_bounds__(Bins<Wide<T>>::threads, 1)
    exact(const T* input, Limb* total, unsigned* unbounded, unsigned* ticket, Wide<T>* output, std::size_t count) {
  constexpr unsigned limbs = Long<Wide<T>>::limbs;
  __shared__ Limb mine[limbs];
  for (unsigned k = threadIdx.x; k < limbs; k += blockDim.x) mine[k] = 0;
  const double unbounded_share = add_share(input, count, mine);
  if (!finishes_last<Wide<T>>(mine, unbounded_share, total, unbounded, ticket)) return;

  const unsigned signs = *unbounded;  // here, so that it is loaded together with the limbs
  for (unsigned k = threadIdx.x; k < limbs; k += blockDim.x) {
    mine[k] = total[k];
    total[k] = 0;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  *unbounded = 0;
  if (signs != 0) {
    *output = (signs & 1 ? greatest<Wide<T>> : 0) + (signs & 2 ? least<Wide<T>> : 0);  // both: NaN
  } else {
    const auto bits = nearest<Wide<T>>(mine);
    memcpy(output, &bits, sizeof bits);
  }
}
