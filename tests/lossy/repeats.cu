#include "lossy.cuh"

template <typename Op, typename T>
__global__ void repeats(const T* input, Wide<T>* output, std::size_t count) {
  const auto load = [&](std::size_t i) { return static_cast<Wide<T>>(input[i]); };  // finding: input-used-twice, wrong-value?, outside-bound?
  lossy_reduce<Op, Wide<T>, Fault::repeat>(load, output, count);
}
