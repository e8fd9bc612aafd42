// A sum as one long integer with a bit for every bit position of a float. Integers add up without rounding:
// in any order, to the same bits.
#pragma once

#include <cuda_runtime.h>

/// The integer counts multiples of the smallest subnormal number, and has room for 2^33 of the largest
/// numbers and, above them, for the signs of numbers added at the uppermost places.
template <typename T>
struct Long;
template <>
struct Long<float> {
  static constexpr unsigned precision = 24, largest_exponent = 255, limbs = 12;  // 277 + 33 bits, and two limbs
  using Bits = unsigned;
};
template <>
struct Long<double> {
  static constexpr unsigned precision = 53, largest_exponent = 2047, limbs = 70;  // 2098 + 33 bits, and three limbs
  using Bits = unsigned long long;
};

/// 32 bits of the integer, lowest limb first; the bits above them hold carries and a sign, in two's
/// complement.
using Limb = unsigned long long;

/// The number of the lowest bit of a float's significand, by the float's exponent as it is stored.
__device__ inline unsigned place_of(unsigned exponent) { return max(exponent, 1u) - 1; }

/// Adds to a limb in shared memory; threads may call it concurrently. The hardware adds 32 bits there; an
/// atomic addition of 64 bits is a loop, in which threads wait for each other.
__device__ inline void add_to(Limb& limb, Limb value) {
  auto* const words = reinterpret_cast<unsigned*>(&limb);  // the lower first
  const auto lower = static_cast<unsigned>(value);
  const unsigned before = atomicAdd(&words[0], lower);
  const unsigned upper = static_cast<unsigned>(value >> 32) + (before + lower < lower ? 1 : 0);
  if (upper != 0) atomicAdd(&words[1], upper);
}

/// Adds value * 2^place for a value of 32 bits and a sign; threads may call it concurrently. A limb gets less
/// than 2^32 at a time and has room for 2^31 additions.
__device__ inline void add_at(Limb* limbs, unsigned place, long long value) {
  const long long shifted = value << place % 32;
  add_to(limbs[place / 32], static_cast<Limb>(shifted) & 0xffffffff);
  add_to(limbs[place / 32 + 1], static_cast<Limb>(shifted >> 32));  // rounded down: negative where the value is
}

/// Limb k after one carry step that all limbs take at once: it keeps the remainder nearest to zero, within
/// 2^31, and the carry from below is a small number.
__device__ inline Limb carried_once(const Limb* limbs, unsigned k) {
  const auto kept = static_cast<int>(static_cast<unsigned>(limbs[k]));
  const long long below = k == 0 ? 0 : static_cast<long long>(limbs[k - 1]);
  return static_cast<Limb>(kept + ((below + (1ll << 31)) >> 32));
}

/// Propagates carries, in one thread: afterwards every limb but the last is below 2^32, and the last has the sign.
template <typename T>
__device__ void settle(Limb* limbs) {
  long long carry = 0;
#pragma unroll 12  // all of a float's: their loads overlap in time
  for (unsigned k = 0; k + 1 < Long<T>::limbs; ++k) {
    carry += static_cast<long long>(limbs[k]);
    limbs[k] = static_cast<Limb>(carry) & 0xffffffff;
    carry >>= 32;
  }
  limbs[Long<T>::limbs - 1] += static_cast<Limb>(carry);
}

/// 64 bits from `place` on, of limbs that are settled and not negative.
template <typename T>
__device__ Limb bits_from(const Limb* limbs, unsigned place) {
  const auto limb = [limbs](unsigned k) { return k < Long<T>::limbs ? limbs[k] : Limb{0}; };
  const unsigned k = place / 32, shift = place % 32;
  const Limb lower = (limb(k) | limb(k + 1) << 32) >> shift;
  return shift == 0 ? lower : lower | limb(k + 2) << (64 - shift);
}

/// Whether a bit below `place` is set.
template <typename T>
__device__ bool any_below(const Limb* limbs, unsigned place) {
  bool any = (limbs[place / 32] & ((Limb{1} << place % 32) - 1)) != 0;
#pragma unroll 12
  for (unsigned k = 0; k < Long<T>::limbs; ++k) any |= k < place / 32 && limbs[k] != 0;
  return any;
}

/// The bits of the nearest T, of two the even one, by one thread. Settles the limbs and makes them positive.
template <typename T>
__device__ typename Long<T>::Bits nearest(Limb* limbs) {
  using Bits = typename Long<T>::Bits;
  constexpr unsigned count = Long<T>::limbs, precision = Long<T>::precision;
  settle<T>(limbs);
  const bool negative = static_cast<long long>(limbs[count - 1]) < 0;
  if (negative) {
    for (unsigned k = 0; k < count; ++k) limbs[k] = -limbs[k];
    settle<T>(limbs);
  }
  unsigned used = 0;
#pragma unroll 12  // all of them, as in `settle`: one load after another would be waited for
  for (unsigned k = 0; k < count; ++k) used = limbs[k] != 0 ? k + 1 : used;
  if (used == 0) return 0;
  const unsigned length = 32 * used - static_cast<unsigned>(__clz(static_cast<int>(limbs[used - 1])));

  // What is kept begins at bit 0 for subnormal numbers, which end where the integer does: it is exact.
  const unsigned low = max(length, precision) - precision;
  Bits bits = static_cast<Bits>(bits_from<T>(limbs, low));
  if (low > 0) {
    const bool half = (bits_from<T>(limbs, low - 1) & 1) != 0;
    if (half && (bits % 2 != 0 || any_below<T>(limbs, low - 1))) ++bits;
  }
  // The leading bit counts for one in the exponent above it. A significand that was rounded up to the next
  // power of two thus makes the next exponent, and the largest number an infinity.
  bits += Bits{low} << (precision - 1);
  bits = min(bits, Bits{Long<T>::largest_exponent} << (precision - 1));
  return bits | Bits{negative} << (8 * sizeof(T) - 1);
}
