// Wrong row strides and wrong column counts.
#include <cuda_runtime.h>
#include <float.h>

__device__ float block_add_128(float v) {
  __shared__ float s[128];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  return s[0];
}

// Row sums of a rows x cols matrix, one block per row. Wrong: rows is used as the row stride.
__global__ void stride_rows(const float* a, float* sums, int rows, int cols) {
  float v = 0.f;
  for (int c = threadIdx.x; c < cols; c += 128) v += a[(size_t)blockIdx.x * rows + c];
  v = block_add_128(v);
  if (threadIdx.x == 0) sums[blockIdx.x] = v;
}

// Row sums, one block per row. Wrong: the loop runs over rows columns.
__global__ void count_rows(const float* a, float* sums, int rows, int cols) {
  float v = 0.f;
  for (int c = threadIdx.x; c < rows; c += 128) v += a[(size_t)blockIdx.x * cols + c];
  v = block_add_128(v);
  if (threadIdx.x == 0) sums[blockIdx.x] = v;
}

// Row sums with a leading dimension ld. Wrong: cols is the stride, ld is never used.
__global__ void ignores_ld(const double* a, int ld, double* sums, int rows, int cols) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (r >= rows) return;
  double v = 0;
  for (int c = threadIdx.x % 32; c < cols; c += 32) v += a[(size_t)r * cols + c];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) sums[r] = v;
}

void run_ignores_ld(const double* a, int ld, double* sums, int rows, int cols) {
  ignores_ld<<<(rows + 7) / 8, 256>>>(a, ld, sums, rows, cols);
}

// Row sums, one block per row. Wrong: no loop, only the first 128 columns are added.
__global__ void first_128_columns(float* sums, const float* a, int cols) {
  int c = threadIdx.x;
  float v = c < cols ? a[(size_t)blockIdx.x * cols + c] : 0.f;
  v = block_add_128(v);
  if (threadIdx.x == 0) sums[blockIdx.x] = v;
}

// Row maxima, one warp per row. Wrong: lanes go on by 64, every second group is skipped.
__global__ void skip_groups(const float* a, float* rmax, int rows, int cols) {
  int r = blockIdx.x * blockDim.y + threadIdx.y;
  if (r >= rows) return;
  float m = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += 64) m = fmaxf(m, a[(size_t)r * cols + c]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  if (threadIdx.x == 0) rmax[r] = m;
}

// Column sums, one thread per column. Wrong: adds along the row (index c * cols + r).
__global__ void column_as_row(const float* a, float* sums, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float v = 0.f;
  for (int r = 0; r < rows; ++r) v += a[(size_t)c * cols + r];
  sums[c] = v;
}

void run_column_as_row(const float* a, float* sums, int rows, int cols) {
  column_as_row<<<(cols + 255) / 256, 256>>>(a, sums, rows, cols);
}

// Row sums with blockIdx.y as the row. Wrong: the result goes to sums[blockIdx.x].
__global__ void result_at_x(const float* a, float* sums, int cols) {
  float v = 0.f;
  for (int c = threadIdx.x; c < cols; c += 128) v += a[(size_t)blockIdx.y * cols + c];
  v = block_add_128(v);
  if (threadIdx.x == 0) sums[blockIdx.x] = v;
}

void run_result_at_x(const float* a, float* sums, int rows, int cols) {
  dim3 grid(1, rows);
  result_at_x<<<grid, 128>>>(a, sums, cols);
}
