// Off by one: bounds, starts and ends.
#include <cuda_runtime.h>
#include <float.h>

// Partial sums per block of 256. Wrong: i <= n reads one element past the end.
__global__ void bound_le(const float* in, float* out, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i <= n ? in[i] : 0.f;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// Total into *sum (zeroed by the caller). Wrong: n - 1 as the bound loses the last element.
__global__ void bound_n_minus_1(int n, const int* x, int* sum) {
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 1; i += gridDim.x * blockDim.x)
    v += x[i];
  v = __reduce_add_sync(0xffffffffu, v);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, v);
}

void run_bound_n_minus_1(int n, const int* x, int* sum) {
  cudaMemset(sum, 0, sizeof(int));
  bound_n_minus_1<<<(n + 255) / 256, 256>>>(n, x, sum);
}

// Sum by one block of 128. Wrong: the loop starts at threadIdx.x + 1, element 0 is lost.
__global__ void starts_at_one(const double* x, double* out, int n) {
  __shared__ double s[128];
  double v = 0;
  for (int i = threadIdx.x + 1; i < n; i += 128) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}

// Tree of 256. Wrong: t <= h lets thread h write a place which thread 0 reads in the same step.
__global__ void tree_le(const float* in, float* out, int n) {
  __shared__ float s[257];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.f;
  if (t == 0) s[256] = 0.f;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t <= h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

void run_tree_le(const float* in, float* out, int n) {
  tree_le<<<(n + 255) / 256, 256>>>(in, out, n);
}

// Mean of n values by one block. Wrong: divides by n - 1.
__global__ void mean_n_minus_1(const float* x, int n, float* mean) {
  __shared__ float s[256];
  float v = 0.f;
  for (int i = threadIdx.x; i < n; i += 256) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) *mean = s[0] / (n - 1);
}

void run_mean_n_minus_1(const float* x, int n, float* mean) {
  mean_n_minus_1<<<1, 256>>>(x, n, mean);
}

// Column sums, one thread per column. Wrong: row 0 is left out.
__global__ void column_from_row_1(const float* a, float* sums, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float v = 0.f;
  for (int r = 1; r < rows; ++r) v += a[(size_t)r * cols + c];
  sums[c] = v;
}

// Maximum of each row, one block of 128 per row. Wrong: the last column is left out.
__global__ void row_max_short(float* rmax, const float* a, int cols) {
  __shared__ float s[128];
  float m = -FLT_MAX;
  for (int c = threadIdx.x; c + 1 < cols; c += 128) m = fmaxf(m, a[(size_t)blockIdx.x * cols + c]);
  s[threadIdx.x] = m;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0) rmax[blockIdx.x] = s[0];
}
