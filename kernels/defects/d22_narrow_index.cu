// D22: the index has too few bits for the count, here 8 instead of 32: element 128 instead of element 2^31 is
// the first to get a negative index. Seen where `int i = blockIdx.x * blockDim.x + threadIdx.x` was used with
// more than 2^31 elements. Fixed by an index of 64 bits: tree/sequential.cu.
#include <cstddef>
#include <cstdint>

__global__ void narrow_index(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned thread = threadIdx.x;
  const auto i = static_cast<std::int8_t>(blockIdx.x * blockDim.x + thread);
  const bool inside = i < static_cast<std::int64_t>(count);
  slots[thread] = inside ? input[i] : 0.0f;  // finding: out-of-bounds
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) slots[thread] += slots[thread + half];
    __syncthreads();
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
