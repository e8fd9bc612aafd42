// Generates inputs on the GPU that are too large to be copied there: an element is a hash of its index, bit
// by bit. It is not a reduction and has no contract: `foldproof audit --large` launches it.
#include <cstddef>

/// properties/large/large_inputs.h says what it means.
struct Fill {
  unsigned long long seed, significands;
  unsigned precision_bits, sign_bit, lowest_exponent, exponents, one_of, dense, signs, magnitudes;
};

/// The finalizer of SplitMix64.
__device__ unsigned long long mixed(unsigned long long x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// Where kernels lose elements: at both ends, and where an index of 32 bits does, with and without a sign.
__device__ bool is_near_an_end(std::size_t i, std::size_t count, unsigned dense) {
  constexpr std::size_t index_ends = std::size_t{1} << 31;
  return count - i <= dense || (i + dense) % index_ends < 2 * std::size_t{dense};
}

template <typename Bits>
__device__ void fill(Bits* elements, std::size_t count, const Fill& how) {
  constexpr unsigned in_pairs = 2;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const unsigned long long number = how.signs == in_pairs ? i / 2 : i;
    const unsigned long long hash = mixed(mixed(how.seed + number) + number);
    const auto random = static_cast<unsigned>(hash >> 40);
    unsigned long long bits = 0;
    if (random % how.one_of == 0 || is_near_an_end(i, count, how.dense)) {
      bits = mixed(hash) & how.significands;
      bits |= static_cast<unsigned long long>(how.lowest_exponent + random % how.exponents) << how.precision_bits;
      const unsigned long long sign = how.signs == 0 ? 0 : how.signs == in_pairs ? i % 2 : hash & 1;
      if (how.magnitudes == 0) bits |= sign << how.sign_bit;
    }
    elements[i] = static_cast<Bits>(bits);
  }
}

extern "C" __global__ void fill_1(unsigned char* elements, std::size_t count, Fill how) { fill(elements, count, how); }
extern "C" __global__ void fill_2(unsigned short* elements, std::size_t count, Fill how) { fill(elements, count, how); }
extern "C" __global__ void fill_4(unsigned* elements, std::size_t count, Fill how) { fill(elements, count, how); }
extern "C" __global__ void fill_8(unsigned long long* elements, std::size_t count, Fill how) {
  fill(elements, count, how);
}
