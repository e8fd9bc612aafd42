// E6: the same bits for any block and any grid: elements are split at fixed bits, and the parts add up
// without rounding, so that their order does not matter.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"
#include "compensated.cuh"

/// Number of splits per element. Each takes 52 bits minus those of the count, 19 for 2^33 elements: three
/// take the whole largest element, and leave less of any other than adding it to the largest would round
/// off.
constexpr unsigned cuts = 3;

/// Writes the bits of the largest magnitude: a maximum does not depend on the order either. The bits are
/// ordered like the magnitudes, with infinity and NaN above all others. `*largest` is 0 before every launch.
template <typename T>
__global__ void largest_magnitude(const T* input, unsigned long long* largest, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long bits = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const long long magnitude = __double_as_longlong(fabs(static_cast<double>(input[i])));
    bits = max(bits, static_cast<unsigned long long>(magnitude));
  }
  bits = reduce_block<Max>(bits);
  if (threadIdx.x == 0) atomicMax(largest, bits);
}

/// Where elements are split: determined by the largest magnitude and the count alone, not by the launch.
struct Cuts {
  bool finite;            ///< no element is an infinity or NaN
  int exponent, step;     ///< of the first cut, and from one to the next
  double scale, restore;  ///< keep the largest doubles away from infinity

  __device__ Cuts(unsigned long long largest, std::size_t count) {
    const int count_bits = count <= 1 ? 0 : 64 - __clzll(static_cast<long long>(count - 1));
    finite = largest >> 52 < 2047;
    exponent = static_cast<int>(largest >> 52) - 1023 + count_bits + 2;
    step = 52 - count_bits;
    scale = exponent > 1000 ? 0x1p-100 : 1;
    restore = exponent > 1000 ? 0x1p100 : 1;
    if (exponent > 1000) exponent -= 100;
  }

  /// 1.5 * 2^e. Added to a smaller number it rounds it to a multiple of its own last place, 2^(e - 52), and
  /// as many of those as there are elements add up below 2^(e + 1): exactly.
  __device__ double operator[](unsigned cut) const {
    return ldexp(1.5, exponent - static_cast<int>(cut) * step);
  }
};

/// `totals` holds zeros before every launch.
template <typename T>
__global__ void add_cut(const T* input, const unsigned long long* largest, double* totals,
                        std::size_t count) {
  const Cuts at(*largest, count);
  double sums[cuts] = {};
  const double place[cuts] = {at[0], at[1], at[2]};
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const double element = static_cast<double>(input[i]);
    // Finite numbers beside an infinity change nothing, and are left out: they might overflow in some order.
    if (!at.finite) {
      if (!isfinite(element)) sums[0] += element;
      continue;
    }
    double rest = element * at.scale;
#pragma unroll
    for (unsigned k = 0; k < cuts; ++k) {
      const double part = (place[k] + rest) - place[k];
      sums[k] += part;
      rest -= part;
    }
  }

  // Blocks may add up in any order as well.
  for (unsigned k = 0; k < cuts; ++k) {
    const double total = reduce_block<Sum>(sums[k]);
    if (threadIdx.x == 0) atomicAdd(&totals[k], total);
  }
}

/// The last launch, of one thread: the only rounding.
template <typename T>
__global__ void join(const double* totals, const unsigned long long* largest, T* output, std::size_t count) {
  const Cuts at(*largest, count);
  const Compensated<double> upper = two_sum(totals[0], totals[1]);
  const double sum = at.finite ? upper.high + (upper.low + totals[2]) : totals[0];
  // The bits of a NaN may depend on the order: it is replaced by a fixed one.
  *output = sum != sum ? greatest<T> + least<T> : static_cast<T>(sum * at.restore);
}
