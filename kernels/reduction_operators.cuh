// The operators that the kernels fold with: an identity, and how two values become one.
#pragma once

#include <limits>
#include <type_traits>

/// Addition. Integers wrap modulo 2^n: the sum is made in unsigned arithmetic, where that is defined.
/// NaN propagates, as IEEE 754 has it.
struct Sum {
  template <typename T>
  __device__ static constexpr T identity() {
    return T{0};
  }

  template <typename T>
  __device__ static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
    } else {
      return a + b;
    }
  }
};

/// The greatest value. The identity is -infinity, for integers the lowest value: neither 0 nor FLT_MIN, which
/// lose negative input, nor -FLT_MAX, which turns an input of -infinities into a finite result.
/// NaN propagates, and -0 < +0, so the result does not hang on the order of folding.
struct Max {
  template <typename T>
  static constexpr T lowest = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                   : std::numeric_limits<T>::lowest();

  template <typename T>
  __device__ static constexpr T identity() {
    return lowest<T>;
  }

  template <typename T>
  __device__ static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a < b ? b : a;
    } else {
      // fmax by itself drops a NaN; a + b keeps whichever operand is one.
      return a != a || b != b ? a + b : fmax(a, b);
    }
  }
};
