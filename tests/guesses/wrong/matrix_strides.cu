// Matrices: wrong row strides, wrong column counts, rows and columns mixed up.
#include <cuda_runtime.h>

// Sum of each row, one block per row. WRONG: rows are taken to be cols + 1 apart.
__global__ void row_stride_plus_1(const float* m, float* out, int cols) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float v = 0.f;
  for (int c = t; c < cols; c += 128) v += m[(size_t)blockIdx.x * (cols + 1) + c];
  s[t] = v;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

void run_row_stride_plus_1(const float* m, float* out, int rows, int cols) {
  row_stride_plus_1<<<rows, 128>>>(m, out, cols);
}

// Maximum of each row of a pitched matrix. WRONG: uses cols as the row stride instead of pitch.
__global__ void pitch_ignored(int rows, int cols, int pitch, const double* m, double* out) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  double b = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 32) b = fmax(b, m[(size_t)row * cols + c]);
  for (int o = 16; o > 0; o >>= 1) b = fmax(b, __shfl_xor_sync(0xffffffffu, b, o));
  if (threadIdx.x == 0) out[row] = b;
}

void run_pitch_ignored(const double* m, double* out) {
  pitch_ignored<<<25, dim3(32, 4)>>>(100, 100, 128, m, out);
}

// Sum of each row, one warp per row (rows != cols). WRONG: row stride is rows, not cols.
__global__ void stride_is_rows(float* out, const float* m, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v = 0.f;
  for (int c = lane; c < cols; c += 32) v += m[(size_t)row * rows + c];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) out[row] = v;
}

void run_stride_is_rows(float* out, const float* m, int rows, int cols) {
  stride_is_rows<<<(rows + 3) / 4, 128>>>(out, m, rows, cols);
}

// Sum of each column, one thread per column. WRONG: reads m[c * rows + r] (column-major).
__global__ void col_sum_transposed(const float* m, float* out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float s = 0.f;
  for (int r = 0; r < rows; ++r) s += m[(size_t)c * rows + r];
  out[c] = s;
}

void run_col_sum_transposed(const float* m, float* out, int rows, int cols) {
  col_sum_transposed<<<(cols + 255) / 256, 256>>>(m, out, rows, cols);
}

// Sum of each row, one block of 256 per row. WRONG: no column loop, columns from 256 on are lost.
__global__ void row_first_256_columns(const int* m, int* out, int cols) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = t < cols ? m[blockIdx.x * cols + t] : 0;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

void run_row_first_256_columns(const int* m, int* out, int rows) {
  const int cols = 1000;
  row_first_256_columns<<<rows, 256>>>(m, out, cols);
}

// Mean of each row, one block per row (rows != cols). WRONG: divides by rows instead of cols.
__global__ void mean_divides_by_rows(float* mean, const float* m, int rows, int cols) {
  extern __shared__ float sh[];
  int t = threadIdx.x;
  float v = 0.f;
  for (int c = t; c < cols; c += blockDim.x) v += m[(size_t)blockIdx.x * cols + c];
  sh[t] = v;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) sh[t] += sh[t + d];
    __syncthreads();
  }
  if (t == 0) mean[blockIdx.x] = sh[0] / rows;
}

// Sum of each column with 32 x 8 blocks. WRONG: adds only tile rows 0 to 3 of the 8.
__global__ void col_tile_half(const float* m, float* out, int rows, int cols) {
  __shared__ float s[8][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  float v = 0.f;
  if (c < cols) {
    for (int r = threadIdx.y; r < rows; r += 8) v += m[(size_t)r * cols + c];
  }
  s[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int k = 1; k < 4; ++k) v += s[k][threadIdx.x];
    out[c] = v;
  }
}

void run_col_tile_half(const float* m, float* out, int rows, int cols) {
  col_tile_half<<<(cols + 31) / 32, dim3(32, 8)>>>(m, out, rows, cols);
}
