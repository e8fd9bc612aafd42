// C5-arg: cub::DeviceReduce::ArgMin and ArgMax, the index of the extreme; of equal ones the first.
#include <cub/device/device_reduce.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "scratch.cuh"
#include "widened.cuh"

struct ArgMin {};
struct ArgMax {};

/// At least one element. The extreme itself is returned too, since the library has it anyway.
template <typename Op, typename T>
cudaError_t device_arg(const T* input, Wide<T>* extreme, std::int64_t* index, std::int64_t count) {
  return with_scratch([&](void* scratch, std::size_t& bytes) {
    if constexpr (std::is_same_v<Op, ArgMax>) {
      return cub::DeviceReduce::ArgMax(scratch, bytes, widened(input), extreme, index, count);
    } else {
      return cub::DeviceReduce::ArgMin(scratch, bytes, widened(input), extreme, index, count);
    }
  });
}
