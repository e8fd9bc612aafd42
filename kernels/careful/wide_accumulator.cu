// E1: floats folded in double precision: no difference between floats is lost.
#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

template <typename Op>
__global__ void wide_accumulator(const float* input, double* partials, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  double value = Op::template identity<double>();
  // Widened before it is added: rounding to a float cannot be undone. A product of two floats is exact, and a
  // sum rounds 29 bits below the last one of a float.
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    value = Op::apply(value, static_cast<double>(input[i]));
  }

  const double total = reduce_block<Op>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
