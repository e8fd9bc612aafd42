// The element types of the kernels, and their accumulator types.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstddef>
#include <type_traits>

/// The accumulator type for elements of T: T itself, or float for storage types of 16 and 8 bits, whose own
/// arithmetic would overflow or stagnate after a few thousand elements.
template <typename T>
using Wide = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

/// The same value; exact, since every value of a storage type is one of float.
template <typename T>
__device__ Wide<T> widen(T element) {
  return static_cast<Wide<T>>(element);
}

/// Element i, widened, or the identity past the end: threads without an element still take part if a barrier
/// or a shuffle waits for them.
template <typename Op, typename T>
__device__ Wide<T> element_or_identity(const T* input, std::size_t i, std::size_t count) {
  return i < count ? widen(input[i]) : Op::template identity<Wide<T>>();
}
