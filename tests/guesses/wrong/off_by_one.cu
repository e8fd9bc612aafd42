// Off by one.
#include <cuda_runtime.h>

// Sum of x (caller zeroes *out). WRONG: i <= n reads one element past the end.
__global__ void le_n_grid_stride(const float* x, float* out, int n) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x) {
    v += x[i];
  }
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

void run_le_n_grid_stride(const float* x, float* out, int n) {
  le_n_grid_stride<<<64, 256>>>(x, out, n);
}

// Sum per block of 256. WRONG: i < n - 1 drops the last element.
__global__ void n_minus_1(int n, const int* x, int* out) {
  __shared__ int s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n - 1 ? x[i] : 0;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

void run_n_minus_1(int n, const int* x, int* out) {
  n_minus_1<<<(n + 255) / 256, 256>>>(n, x, out);
}

// Sum per block of 128. WRONG: t < d - 1 loses one pair in every step of the tree.
__global__ void tree_d_minus_1(const float* in, float* out, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.f;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d - 1) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

void run_tree_d_minus_1(const float* in, float* out, int n) {
  tree_d_minus_1<<<(n + 127) / 128, 128>>>(in, out, n);
}

// Row sum, one warp per row. WRONG: columns start at lane + 1, column 0 is skipped.
__global__ void row_skips_first(double* sums, const double* m, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  double v = 0.0;
  for (int c = lane + 1; c < cols; c += 32) v += m[(size_t)row * cols + c];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) sums[row] = v;
}

void run_row_skips_first(double* sums, const double* m, int rows, int cols) {
  row_skips_first<<<(rows + 7) / 8, 256>>>(sums, m, rows, cols);
}

// Sum of |x[i + 1] - x[i]| for i < n - 1 (*tv zeroed). WRONG: i < n reads x[n].
__global__ void differences_past_end(const float* x, int n, float* tv) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    v += fabsf(x[i + 1] - x[i]);
  }
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) atomicAdd(tv, v);
}

void run_differences_past_end(const float* x, int n, float* tv) {
  differences_past_end<<<(n + 255) / 256, 256>>>(x, n, tv);
}

// Column sum, one thread per column. WRONG: the row loop ends before the last row.
__global__ void col_sum_last_row_lost(const float* m, float* out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float s = 0.f;
  for (int r = 0; r < rows - 1; ++r) s += m[(size_t)r * cols + c];
  out[c] = s;
}

// Population variance of n values, one block of 128. WRONG: divides by n + 1.
__global__ void variance_n_plus_1(const float* x, int n, float* var) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float v = 0.f;
  for (int i = t; i < n; i += 128) v += x[i];
  s[t] = v;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  float mean = s[0] / n;
  __syncthreads();
  v = 0.f;
  for (int i = t; i < n; i += 128) v += (x[i] - mean) * (x[i] - mean);
  s[t] = v;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) *var = s[0] / (n + 1);
}

void run_variance_n_plus_1(const float* x, int n, float* var) {
  variance_n_plus_1<<<1, 128>>>(x, n, var);
}
