// H23: ONNX Runtime #29034. The norm of f16 elements whose squares are computed and summed in f16: the square
// of 256 is infinite there. Fixed by squares and sums in f32 (F1).
#include <cuda_fp16.h>

#include <cstddef>

#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

__global__ void squares_in_f16(const __half* input, __half* norms, std::size_t columns) {
  const __half* row = input + std::size_t{blockIdx.x} * columns;
  __half squares = __float2half(0.0f);
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    squares = __hadd(squares, __hmul(row[c], row[c]));  // finding: outside-bound
  }
  const float total = reduce_block<Sum>(__half2float(squares));
  if (threadIdx.x == 0) norms[blockIdx.x] = __float2half(sqrtf(total));
}
