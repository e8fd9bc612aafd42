// Which bin an element is counted in.
#pragma once

#include <type_traits>

/// The bin of an element is its value; elements without a bin are not counted and get `bins`. One unsigned
/// comparison of the full width: it treats a negative element as a large one; a narrower type would drop
/// upper bits and count elements far out of range.
template <typename T>
__device__ unsigned bin_of(T element, unsigned bins) {
  const auto value = static_cast<std::make_unsigned_t<T>>(element);
  return value < bins ? static_cast<unsigned>(value) : bins;
}
