// E5: the exact sum, rounded once. Floats gather in f64 bins by exponent, one set a thread, which are folded
// as integers: the same bits for any block, any grid and any order.
#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"
#include "limbs.cuh"

/// What one thread has summed, of floats: sixteen doubles in shared memory, one for every sixteen exponents
/// that follow each other. A float is a multiple of its bin's unit and below 2^39 of them, so 2^13 floats add
/// up below 2^52: exactly. The bin is found by the exponent's upper bits, without a branch; that of the next
/// thread lies beside it, in the next bank.
class FloatBins {
 public:
  static constexpr unsigned most = 1 << 13;  ///< elements between two calls of pour

  __device__ FloatBins() : bins_(dynamic_shared<double>() + threadIdx.x) {
    for (unsigned k = 0; k < 16; ++k) bins_[k * blockDim.x] = 0;
  }

  __device__ void add(float element, Limb*) {
    bins_[(__float_as_uint(element) >> 27) % 16 * blockDim.x] += element;
  }

  /// Empties the bins. An infinity or NaN was added to the uppermost one, which therefore is one itself.
  __device__ void pour(Limb* limbs) {
    const unsigned lane = threadIdx.x % 32, lanes = min(32u, blockDim.x - (threadIdx.x - lane));
    for (unsigned k = 0; k < 16; ++k) {
      double& bin = bins_[k * blockDim.x];
      const bool finite = isfinite(bin);
      if (!finite) unbounded_ += bin;
      const unsigned place = place_of(16 * k);
      const long long units = finite ? static_cast<long long>(ldexp(bin, 149 - static_cast<int>(place))) : 0;
      bin = 0;
      const long long total = reduce_warp<Sum>(units, lanes);  // below 2^57
      if (lane == 0 && total != 0) add_at(limbs, place, total);
    }
  }

  /// The sum of the elements that are not finite, as IEEE 754 has it, or 0.
  __device__ double unbounded() const { return unbounded_; }

 private:
  double* bins_;
  double unbounded_ = 0;
};

/// Doubles have no wider type to gather in: each goes into the block's limbs at once.
class DoubleLimbs {
 public:
  static constexpr unsigned most = 1 << 20;  // a thousand threads add to a limb fewer than 2^31 times

  __device__ void add(double element, Limb* limbs) {
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(element));
    const auto exponent = static_cast<unsigned>(bits >> 52) % 2048;
    if (exponent == 2047) {
      unbounded_ += element;
      return;
    }
    auto significand = static_cast<long long>(bits << 12 >> 12);
    if (exponent != 0) significand |= 1ll << 52;
    add_at(limbs, place_of(exponent), element < 0 ? -significand : significand);
  }

  __device__ void pour(Limb*) {}

  __device__ double unbounded() const { return unbounded_; }

 private:
  double unbounded_ = 0;
};

/// `total` and `unbounded` hold zeros before every launch.
template <typename T>
__global__ void exact(const T* input, Limb* total, unsigned* unbounded, std::size_t count) {
  constexpr unsigned limbs = Long<Wide<T>>::limbs;
  __shared__ Limb mine[limbs];
  for (unsigned k = threadIdx.x; k < limbs; k += blockDim.x) mine[k] = 0;
  std::conditional_t<std::is_same_v<T, double>, DoubleLimbs, FloatBins> sum;
  __syncthreads();

  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  // Bins and limbs are emptied before they overflow, by all threads of the block or by none.
  for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x; first < count; first += sum.most * stride) {
    std::size_t i = first + threadIdx.x;
    for (unsigned k = 0; k < sum.most && i < count; ++k, i += stride) sum.add(widen(input[i]), mine);
    sum.pour(mine);
    __syncthreads();
    if (threadIdx.x == 0) settle<Wide<T>>(mine);
    __syncthreads();
  }

  // Settled limbs are below 2^32: as many blocks as a grid can have may add theirs.
  for (unsigned k = threadIdx.x; k < limbs; k += blockDim.x) {
    if (mine[k] != 0) atomicAdd(&total[k], mine[k]);
  }
  // One bit for a positive infinity and one for a negative one; a NaN counts as both, and both give a NaN.
  const double value = sum.unbounded();
  if (value != 0) atomicOr(unbounded, value > 0 ? 1u : value < 0 ? 2u : 3u);
}

/// The second launch, of one thread.
template <typename T>
__global__ void round_once(Limb* total, const unsigned* unbounded, T* output) {
  if (*unbounded != 0) {
    *output = (*unbounded & 1 ? greatest<T> : 0) + (*unbounded & 2 ? least<T> : 0);  // both: NaN
    return;
  }
  const auto bits = nearest<T>(total);
  memcpy(output, &bits, sizeof bits);
}
