// C5: cub::DeviceReduce::Reduce, a reduction of any length with our own operator.
#include <cub/device/device_reduce.cuh>

#include <cstddef>

#include "functor.cuh"
#include "scratch.cuh"
#include "widened.cuh"

template <typename Op, typename T>
cudaError_t device_reduce(const T* input, Wide<T>* output, std::size_t count) {
  return with_scratch([&](void* scratch, std::size_t& bytes) {
    // The library folds in the type that the operator returns, and starts from the identity, which it writes
    // for an empty input. The type of `count` determines that of its indices: 32 bits would end at 2^31.
    return cub::DeviceReduce::Reduce(scratch, bytes, widened(input), output, count, Functor<Op, Wide<T>>{},
                                     Op::template identity<Wide<T>>());
  });
}
