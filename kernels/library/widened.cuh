// An input as an iterator for libraries: every element is widened as it is loaded.
#pragma once

#include <thrust/iterator/transform_iterator.h>

#include "../element_types.cuh"

template <typename T>
struct Widen {
  __device__ Wide<T> operator()(T element) const { return widen(element); }
};

template <typename T>
auto widened(const T* input) {
  return thrust::make_transform_iterator(input, Widen<T>{});
}
