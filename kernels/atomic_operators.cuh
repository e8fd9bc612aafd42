// The operators as atomics on global memory, for every accumulator type.
#pragma once

#include <type_traits>

#include "reduction_operators.cuh"

/// The bits of a float or double as integers, for which atomics exist.
template <typename T>
struct BitsOf {
  using Signed = std::conditional_t<sizeof(T) == 4, int, long long>;
  using Unsigned = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

  __device__ static Unsigned of(T value) {
    Unsigned bits;
    memcpy(&bits, &value, sizeof value);
    return bits;
  }
  __device__ static T value(Unsigned bits) {
    T value;
    memcpy(&value, &bits, sizeof bits);
    return value;
  }
};

/// In global memory the f32 form flushes subnormal operands and results to zero.
template <typename T>
__device__ void atomic_apply(Sum, T* address, T value) {
  if constexpr (std::is_same_v<T, long long>) {
    using Unsigned = unsigned long long;
    atomicAdd(reinterpret_cast<Unsigned*>(address), static_cast<Unsigned>(value));
  } else {
    atomicAdd(address, value);
  }
}

/// There is no atomic product, so it is computed separately and stored unless another thread was faster.
template <typename T>
__device__ void atomic_apply(Prod, T* address, T value) {
  using Bits = typename BitsOf<T>::Unsigned;
  auto* bits = reinterpret_cast<Bits*>(address);
  Bits seen = *static_cast<volatile Bits*>(bits), expected;
  do {
    expected = seen;
    seen = atomicCAS(bits, expected, BitsOf<T>::of(Prod::apply(BitsOf<T>::value(expected), value)));
  } while (seen != expected);  // as bits: a NaN differs from itself
}

/// There is no atomic maximum of floats, but their bits are ordered: those of positive floats as signed
/// integers, where every negative float lies below them, and those of negative floats in reverse as unsigned
/// integers, where every positive float lies below. One integer atomic on the bits therefore serves each
/// sign. A NaN with its sign bit set would be ordered as the lowest number, so NaN is made positive: above
/// infinity.
template <typename T>
__device__ void atomic_apply(Max, T* address, T value) {
  if constexpr (std::is_integral_v<T>) {
    atomicMax(address, value);
  } else {
    using Bits = BitsOf<T>;
    using Signed = typename Bits::Signed;
    using Unsigned = typename Bits::Unsigned;
    constexpr Unsigned positive_nan = ~Unsigned{0} >> 1;
    const Unsigned bits = value != value ? positive_nan : Bits::of(value);
    if (static_cast<Signed>(bits) >= 0) {
      atomicMax(reinterpret_cast<Signed*>(address), static_cast<Signed>(bits));
    } else {
      atomicMin(reinterpret_cast<Unsigned*>(address), bits);
    }
  }
}

/// Like the maximum, reversed: NaN is made negative, below -infinity.
template <typename T>
__device__ void atomic_apply(Min, T* address, T value) {
  if constexpr (std::is_integral_v<T>) {
    atomicMin(address, value);
  } else {
    using Bits = BitsOf<T>;
    using Signed = typename Bits::Signed;
    using Unsigned = typename Bits::Unsigned;
    constexpr Unsigned negative_nan = ~Unsigned{0};
    const Unsigned bits = value != value ? negative_nan : Bits::of(value);
    if (static_cast<Signed>(bits) >= 0) {
      atomicMin(reinterpret_cast<Signed*>(address), static_cast<Signed>(bits));
    } else {
      atomicMax(reinterpret_cast<Unsigned*>(address), bits);
    }
  }
}
