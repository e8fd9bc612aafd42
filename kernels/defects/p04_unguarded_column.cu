// P4: sums of columns. Threads beyond the last column add nothing to their own sum, but still add it to the output, past its
// end. Seen in a benchmark suite. Fixed by one guard around both: F8.
__global__ void unguarded_column(const float* input, float* output, int rows, int columns) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float sum = 0.0f;
  for (int row = static_cast<int>(blockIdx.y); row < rows; row += static_cast<int>(gridDim.y))
    if (column < columns) sum += input[row * columns + column];
  atomicAdd(&output[column], sum);  // finding: out-of-bounds
}
