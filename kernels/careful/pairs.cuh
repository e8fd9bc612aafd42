// Pairs of 16-bit floats as one word, loaded from any aligned element.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

template <typename T>
struct PairOf;
template <>
struct PairOf<__half> {
  using Type = __half2;
};
template <>
struct PairOf<__nv_bfloat16> {
  using Type = __nv_bfloat162;
};
template <typename T>
using Pair = typename PairOf<T>::Type;

/// An input as pairs, which must be aligned to the size of a pair: one element may be left over before them,
/// and one after them.
template <typename T>
struct Paired {
  const Pair<T>* pairs;
  std::size_t count;  ///< of pairs
  bool one_before, one_behind;

  __device__ Paired(const T* input, std::size_t elements) {
    one_before = elements > 0 && reinterpret_cast<std::uintptr_t>(input) % sizeof(Pair<T>) != 0;
    pairs = reinterpret_cast<const Pair<T>*>(input + one_before);
    count = (elements - one_before) / 2;
    one_behind = one_before + 2 * count < elements;
  }
};
