// C5-named: cub::DeviceReduce::Sum, Min and Max, the forms with an operator of the library's.
#include <cub/device/device_reduce.cuh>

#include <cstddef>

#include "scratch.cuh"
#include "widened.cuh"

template <typename T>
cudaError_t device_sum(const T* input, Wide<T>* output, std::size_t count) {
  return with_scratch([&](void* scratch, std::size_t& bytes) {
    // Folded in the type of the output: floats of 16 bits and fewer would stand still in their own.
    return cub::DeviceReduce::Sum(scratch, bytes, widened(input), output, count);
  });
}

/// Of integers alone. These begin with the greatest or least finite value, so that of infinities they would
/// make a finite number, and their comparisons lose a NaN or keep it as the order has it.
template <typename T>
cudaError_t device_min(const T* input, T* output, std::size_t count) {
  return with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Min(scratch, bytes, input, output, count);
  });
}

template <typename T>
cudaError_t device_max(const T* input, T* output, std::size_t count) {
  return with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Max(scratch, bytes, input, output, count);
  });
}
