// Magnitudes, in a type that can hold that of every element.
#pragma once

#include <type_traits>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// An unsigned integer, because the magnitude of the lowest int exceeds the highest int by one.
template <typename T>
using Magnitude = Wrapping<Wide<T>>;

template <typename T>
__device__ Magnitude<T> magnitude(T element) {
  const Wide<T> x = widen(element);
  if constexpr (std::is_integral_v<T>) {
    const auto bits = static_cast<Magnitude<T>>(x);
    return x < 0 ? Magnitude<T>{0} - bits : bits;
  } else {
    return fabs(x);
  }
}
