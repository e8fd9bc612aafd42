// Reductions over the rows and the columns of row-major matrices.
#include <cuda_runtime.h>
#include <math.h>

#define TX 32
#define TY 8

// Row sums, one block of 256 threads per row.
__global__ void row_sum_block(const float* A, float* rowsum, int rows, int cols) {
  __shared__ float s[256];
  int r = blockIdx.x;
  float v = 0.f;
  for (int c = threadIdx.x; c < cols; c += 256) v += A[(size_t)r * cols + c];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) rowsum[r] = s[0];
}

// Row sums, one warp per row; whole warps leave together.
__global__ void row_sum_warp(double* out, const double* m, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const double* p = m + (size_t)row * cols;
  double v = 0;
  for (int c = lane; c < cols; c += 32) v += p[c];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) out[row] = v;
}

void run_row_sum_warp(double* out, const double* m, int rows, int cols) {
  const int warps_per_block = 4;
  row_sum_warp<<<(rows + warps_per_block - 1) / warps_per_block, warps_per_block * 32>>>(
      out, m, rows, cols);
}

// Row maxima with blockIdx.y as the row; cols >= 1 and a leading dimension ld >= cols.
__global__ void row_max_y(const float* a, int ld, int cols, float* rmax) {
  extern __shared__ float sm[];
  const float* row = a + (size_t)blockIdx.y * ld;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
  sm[threadIdx.x] = m;
  __syncthreads();
  for (int h = blockDim.x / 2; h > 0; h >>= 1) {
    if (threadIdx.x < h) sm[threadIdx.x] = fmaxf(sm[threadIdx.x], sm[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0) rmax[blockIdx.y] = sm[0];
}

void run_row_max_y(const float* a, int ld, int rows, int cols, float* rmax) {
  dim3 grid(1, rows);
  row_max_y<<<grid, 128, 128 * sizeof(float)>>>(a, ld, cols, rmax);
}

// Row sums with 2-D blocks of 32 x 8: eight rows per block, one per warp.
__global__ void row_sum_2d(int rows, int cols, const int* mat, int* sums) {
  int r = blockIdx.x * TY + threadIdx.y;
  int v = 0;
  if (r < rows)
    for (int c = threadIdx.x; c < cols; c += TX) v += mat[r * cols + c];
  for (int o = TX / 2; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (r < rows && threadIdx.x == 0) sums[r] = v;
}

// Column sums, one thread per column.
__global__ void col_sum_thread(const float* A, float* colsum, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float v = 0.f;
  for (int r = 0; r < rows; ++r) v += A[(size_t)r * cols + c];
  colsum[c] = v;
}

void run_col_sum_thread(const float* A, float* colsum, int rows, int cols) {
  col_sum_thread<<<(cols + 127) / 128, 128>>>(A, colsum, rows, cols);
}

// Column sums with 32 x 8 blocks: 32 columns per block, eight threads per column.
__global__ void col_sum_tile(const float* in, float* out, int rows, int cols) {
  __shared__ float t[TY][TX];
  int c = blockIdx.x * TX + threadIdx.x;
  float v = 0.f;
  if (c < cols)
    for (int r = threadIdx.y; r < rows; r += TY) v += in[(size_t)r * cols + c];
  t[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int k = 1; k < TY; ++k) v += t[k][threadIdx.x];
    out[c] = v;
  }
}

// Column sums added by atomics, a strip of 64 rows per blockIdx.y (out zeroed by the caller).
__global__ void col_sum_atomic(const float* in, float* out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r0 = blockIdx.y * 64;
  int r1 = min(r0 + 64, rows);
  if (c >= cols) return;
  float v = 0.f;
  for (int r = r0; r < r1; ++r) v += in[(size_t)r * cols + c];
  atomicAdd(&out[c], v);
}

void run_col_sum_atomic(const float* in, float* out, int rows, int cols) {
  cudaMemset(out, 0, cols * sizeof(float));
  dim3 grid((cols + 255) / 256, (rows + 63) / 64);
  col_sum_atomic<<<grid, 256>>>(in, out, rows, cols);
}

// Minimum of each column, one block of 128 threads per column; rows >= 1.
__global__ void col_min_block(int* cmin, const int* a, int rows, int cols) {
  __shared__ int s[128];
  int m = 2147483647;
  for (int r = threadIdx.x; r < rows; r += 128) m = min(m, a[r * cols + blockIdx.x]);
  s[threadIdx.x] = m;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] = min(s[threadIdx.x], s[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0) cmin[blockIdx.x] = s[0];
}
