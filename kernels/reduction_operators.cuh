// The operators of the kernels: an identity, and how two values are combined.
#pragma once

#include <limits>
#include <type_traits>

/// The type in which integers wrap modulo 2^n as they add and multiply: a signed overflow would be undefined.
template <typename T, bool integral = std::is_integral_v<T>>
struct WrappingOf {
  using Type = T;
};
template <typename T>
struct WrappingOf<T, true> {
  using Type = std::make_unsigned_t<T>;
};
template <typename T>
using Wrapping = typename WrappingOf<T>::Type;

/// Addition. NaN propagates, as in IEEE 754.
struct Sum {
  template <typename T>
  __device__ static constexpr T identity() {
    return T{0};
  }

  template <typename T>
  __device__ static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};

/// Multiplication, likewise.
struct Prod {
  template <typename T>
  __device__ static constexpr T identity() {
    return T{1};
  }

  template <typename T>
  __device__ static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};

/// Returns that compound: 1 + r is the product of 1 + a and 1 + b. An operator that no library provides, of
/// integers here; modulo 2^n it is associative, and commutes.
struct Compound {
  template <typename T>
  __device__ static constexpr T identity() {
    return T{0};
  }

  template <typename T>
  __device__ static T apply(T a, T b) {
    return Sum::apply(Sum::apply(a, b), Prod::apply(a, b));
  }
};

/// The greatest value of a type: infinity if it has one. A maximum starts from the least value: neither from 0 nor
/// FLT_MIN, which lose negative input, nor -FLT_MAX, which turns an input of -infinities into a finite result.
template <typename T>
constexpr T greatest =
    std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
template <typename T>
constexpr T least =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();

/// The smallest value. NaN propagates, and -0 < +0, so that the result does not depend on the order of folding.
struct Min {
  template <typename T>
  __device__ static constexpr T identity() {
    return greatest<T>;
  }

  template <typename T>
  __device__ static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return b < a ? b : a;
    } else {
      // fmin alone drops a NaN; a + b keeps whichever operand is one.
      return a != a || b != b ? a + b : fmin(a, b);
    }
  }
};

/// The greatest value, likewise.
struct Max {
  template <typename T>
  __device__ static constexpr T identity() {
    return least<T>;
  }

  template <typename T>
  __device__ static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return a < b ? b : a;
    } else {
      return a != a || b != b ? a + b : fmax(a, b);
    }
  }
};

/// Bit by bit, of integers.
struct And {
  template <typename T>
  __device__ static constexpr T identity() {
    return static_cast<T>(~T{0});
  }

  template <typename T>
  __device__ static T apply(T a, T b) {
    return a & b;
  }
};

struct Or {
  template <typename T>
  __device__ static constexpr T identity() {
    return T{0};
  }

  template <typename T>
  __device__ static T apply(T a, T b) {
    return a | b;
  }
};

struct Xor {
  template <typename T>
  __device__ static constexpr T identity() {
    return T{0};
  }

  template <typename T>
  __device__ static T apply(T a, T b) {
    return a ^ b;
  }
};
