// C5-named: cub::DeviceReduce::Sum, Min and Max, the forms with an operator of the library's.
#include <cub/device/device_reduce.cuh>

#include <cstddef>
#include <type_traits>

#include "../reduction_operators.cuh"
#include "scratch.cuh"
#include "widened.cuh"

template <typename Op, typename T>
cudaError_t device_named(const T* input, Wide<T>* output, std::size_t count) {
  return with_scratch([&](void* scratch, std::size_t& bytes) {
    if constexpr (std::is_same_v<Op, Sum>) {
      // Folded in the type of the output: floats of 16 bits and fewer would stand still in their own.
      return cub::DeviceReduce::Sum(scratch, bytes, widened(input), output, count);
    } else {
      // For floats these begin with the greatest or least finite value, and so make a finite number of
      // infinities; and a comparison loses a NaN, or keeps it, as the order has it.
      static_assert(std::is_integral_v<T>, "floats take Reduce, and an operator with infinities and NaN");
      if constexpr (std::is_same_v<Op, Min>) {
        return cub::DeviceReduce::Min(scratch, bytes, input, output, count);
      } else {
        return cub::DeviceReduce::Max(scratch, bytes, input, output, count);
      }
    }
  });
}
