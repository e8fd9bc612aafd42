#include "lossy.cuh"

template <typename Op, typename T>
__global__ void drops(const T* input, Wide<T>* output, std::size_t count) {
  const auto load = [&](std::size_t i) { return static_cast<Wide<T>>(input[i]); };  // finding: input-not-used, wrong-value?, outside-bound?
  lossy_reduce<Op, Wide<T>, Fault::drop>(load, output, count);
}
