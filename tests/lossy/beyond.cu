#include "lossy.cuh"

template <typename Op, typename T>
__global__ void beyond(const T* input, Wide<T>* output, std::size_t count) {
  const auto load = [&](std::size_t i) { return static_cast<Wide<T>>(input[i]); };  // finding: out-of-bounds
  lossy_reduce<Op, Wide<T>, Fault::beyond>(load, output, count);
}
