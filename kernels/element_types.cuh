// The element types of the kernels, and what each is folded in.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstddef>
#include <type_traits>

/// What elements of T are folded in: T itself, or float for storage types of 16 and 8 bits, whose own
/// arithmetic would overflow or stand still after a few thousand elements.
template <typename T>
using Wide = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

/// The same value; exact, since every value of a storage type is one of float.
template <typename T>
__device__ Wide<T> widen(T element) {
  return static_cast<Wide<T>>(element);
}

/// Element i widened, or past the end the identity: threads without an element take part all the same, where
/// a barrier or a shuffle waits for them.
template <typename Op, typename T>
__device__ Wide<T> element_or_identity(const T* input, std::size_t i, std::size_t count) {
  return i < count ? widen(input[i]) : Op::template identity<Wide<T>>();
}
