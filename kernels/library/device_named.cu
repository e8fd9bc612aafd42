// C5-named: cub::DeviceReduce::Sum, Min and Max, the forms with an operator of the library.
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
      // Folded in the type of the output: sums of floats of 16 bits or fewer would stagnate in their own type.
      return cub::DeviceReduce::Sum(scratch, bytes, widened(input), output, count);
    } else {
      // For floats, these start from the greatest or least finite value, so infinities become finite; and
      // whether a comparison drops or keeps a NaN depends on the order.
      static_assert(std::is_integral_v<T>, "floats take Reduce, and an operator with infinities and NaN");
      if constexpr (std::is_same_v<Op, Min>) {
        return cub::DeviceReduce::Min(scratch, bytes, input, output, count);
      } else {
        return cub::DeviceReduce::Max(scratch, bytes, input, output, count);
      }
    }
  });
}
