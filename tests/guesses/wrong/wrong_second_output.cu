// One output is right, the other one is wrong.
#include <cuda_runtime.h>
#include <float.h>

// Sum and maximum per block of 256. Wrong: the maximum's tree adds.
__global__ void max_tree_adds(const float* x, float* sum, float* mx, int n) {
  __shared__ float a[256], b[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  a[t] = i < n ? x[i] : 0.f;
  b[t] = i < n ? x[i] : -FLT_MAX;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t < h) {
      a[t] += a[t + h];
      b[t] += b[t + h];
    }
    __syncthreads();
  }
  if (t == 0) {
    sum[blockIdx.x] = a[0];
    mx[blockIdx.x] = b[0];
  }
}

// Minimum and maximum of n values by one block. Wrong: *hi gets the minimum as well.
__global__ void minmax_same(const int* x, int n, int* lo, int* hi) {
  __shared__ int a[128], b[128];
  int mn = 2147483647, mx = -2147483647 - 1, t = threadIdx.x;
  for (int i = t; i < n; i += 128) {
    mn = min(mn, x[i]);
    mx = max(mx, x[i]);
  }
  a[t] = mn;
  b[t] = mx;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (t < h) {
      a[t] = min(a[t], a[t + h]);
      b[t] = max(b[t], b[t + h]);
    }
    __syncthreads();
  }
  if (t == 0) {
    *lo = a[0];
    *hi = a[0];
  }
}

// Sum and sum of squares per block. Wrong: squares the partial sums, not the elements.
__global__ void square_of_sums(double* s1, double* s2, const double* x, int n) {
  __shared__ double a[256], b[256];
  int t = threadIdx.x;
  double v = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) v += x[i];
  a[t] = v;
  b[t] = v * v;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t < h) {
      a[t] += a[t + h];
      b[t] += b[t + h];
    }
    __syncthreads();
  }
  if (t == 0) {
    s1[blockIdx.x] = a[0];
    s2[blockIdx.x] = b[0];
  }
}

void run_square_of_sums(double* s1, double* s2, const double* x, int n) {
  square_of_sums<<<1, 256>>>(s1, s2, x, n);
}

// Mean and variance of each row, one block per row. Wrong: the variance lacks the division.
__global__ void variance_not_divided(const float* x, float* mean, float* var, int cols) {
  __shared__ float s[128];
  __shared__ float mu;
  int t = threadIdx.x;
  const float* p = x + (size_t)blockIdx.x * cols;
  float v = 0.f;
  for (int c = t; c < cols; c += 128) v += p[c];
  s[t] = v;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) mu = s[0] / cols;
  __syncthreads();
  v = 0.f;
  for (int c = t; c < cols; c += 128) v += (p[c] - mu) * (p[c] - mu);
  s[t] = v;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) {
    mean[blockIdx.x] = mu;
    var[blockIdx.x] = s[0];
  }
}

void run_variance_not_divided(const float* x, float* mean, float* var, int rows, int cols) {
  variance_not_divided<<<rows, 128>>>(x, mean, var, cols);
}

// Sum and count of positive elements (both zeroed by the caller). Wrong: counts all elements.
__global__ void counts_everything(const float* x, int n, float* sum, int* count) {
  float v = 0.f;
  int c = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] > 0.f) v += x[i];
    c++;
  }
  atomicAdd(sum, v);
  atomicAdd(count, c);
}

// Sum of each warp and of each block. Wrong: the block's sum is the first warp's.
__global__ void block_sum_is_warp_sum(const int* in, int* warp_sums, int* block_sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = __reduce_add_sync(0xffffffffu, i < n ? in[i] : 0);
  if (threadIdx.x % 32 == 0) warp_sums[i / 32] = v;
  if (threadIdx.x == 0) block_sums[blockIdx.x] = v;
}

void run_block_sum_is_warp_sum(const int* in, int* warp_sums, int* block_sums, int n) {
  block_sum_is_warp_sum<<<(n + 255) / 256, 256>>>(in, warp_sums, block_sums, n);
}
