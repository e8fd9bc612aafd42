// H5: PyTorch #162995. A two-dimensional block folds its rows, then the totals of the rows, in the same
// slots. A row that has finished writes its total over a slot of the first rows, which may still be folding.
// Fixed by a barrier between the two: repaired/rows_then_columns.cu.
#include <cstddef>

/// blockDim.x and blockDim.y are powers of two.
__global__ void rows_then_columns(const float* input, float* partials, std::size_t count) {
  extern __shared__ float slots[];
  const unsigned x = threadIdx.x, y = threadIdx.y, thread = y * blockDim.x + x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x * blockDim.y + thread;
  slots[thread] = i < count ? input[i] : 0.0f;

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (x < half) slots[thread] += slots[thread + half];
  }
  const float row = slots[thread];
  if (x == 0) slots[y] = row;  // finding: shared-race
  for (unsigned half = blockDim.y / 2; half > 0; half /= 2) {
    __syncthreads();
    if (x == 0 && y < half) slots[y] += slots[y + half];
  }
  if (thread == 0) partials[blockIdx.x] = slots[0];
}
