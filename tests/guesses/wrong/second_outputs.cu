// Two outputs, one of them wrong.
#include <cuda_runtime.h>

// Sum and maximum per block of 256. WRONG: the maximum of warp 0 only, the other warps are lost.
__global__ void sum_ok_max_warp0(const float* x, int n, float* sums, float* maxima) {
  __shared__ float ss[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  float s = i < n ? x[i] : 0.f;
  float m = i < n ? x[i] : -INFINITY;
  for (int o = 16; o > 0; o >>= 1) {
    s += __shfl_down_sync(0xffffffffu, s, o);
    m = fmaxf(m, __shfl_down_sync(0xffffffffu, m, o));
  }
  if (threadIdx.x % 32 == 0) ss[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) s += ss[w];
    sums[blockIdx.x] = s;
    maxima[blockIdx.x] = m;
  }
}

void run_sum_ok_max_warp0(const float* x, int n, float* sums, float* maxima) {
  sum_ok_max_warp0<<<(n + 255) / 256, 256>>>(x, n, sums, maxima);
}

// Minimum and maximum per block. WRONG: the tree of the minimum combines with fmaxf.
__global__ void min_uses_fmax(float* lo, float* hi, const float* x, int n) {
  __shared__ float a[128], b[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  a[t] = i < n ? x[i] : INFINITY;
  b[t] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) {
      a[t] = fmaxf(a[t], a[t + d]);
      b[t] = fmaxf(b[t], b[t + d]);
    }
    __syncthreads();
  }
  if (t == 0) {
    lo[blockIdx.x] = a[0];
    hi[blockIdx.x] = b[0];
  }
}

void run_min_uses_fmax(float* lo, float* hi, const float* x, int n) {
  min_uses_fmax<<<(n + 127) / 128, 128>>>(lo, hi, x, n);
}

// Sum and sum of squares (caller zeroes out[0], out[1]). WRONG: squares the thread's sum instead.
__global__ void square_of_local_sum(const float* x, double* out, int n) {
  double s = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) s += x[i];
  double q = s * s;
  for (int o = 16; o > 0; o >>= 1) {
    s += __shfl_down_sync(0xffffffffu, s, o);
    q += __shfl_down_sync(0xffffffffu, q, o);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(out, s);
    atomicAdd(out + 1, q);
  }
}

void run_square_of_local_sum(const float* x, double* out, int n) {
  square_of_local_sum<<<2, 64>>>(x, out, n);
}

// Sum and count of positive elements (both zeroed). WRONG: the count counts all elements.
__global__ void count_ignores_condition(int n, const float* x, float* sum, int* count) {
  float s = 0.f;
  int c = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] > 0.f) s += x[i];
    ++c;
  }
  for (int o = 16; o > 0; o >>= 1) {
    s += __shfl_xor_sync(0xffffffffu, s, o);
    c += __shfl_xor_sync(0xffffffffu, c, o);
  }
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(sum, s);
    atomicAdd(count, c);
  }
}

// Mean and population variance by one block. WRONG: E[x^2] - mean instead of E[x^2] - mean^2.
__global__ void variance_mean_not_squared(const double* x, int n, double* mean, double* var) {
  __shared__ double s[256], q[256];
  int t = threadIdx.x;
  double a = 0.0, b = 0.0;
  for (int i = t; i < n; i += 256) {
    a += x[i];
    b += x[i] * x[i];
  }
  s[t] = a;
  q[t] = b;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) {
      s[t] += s[t + d];
      q[t] += q[t + d];
    }
    __syncthreads();
  }
  if (t == 0) {
    double m = s[0] / n;
    *mean = m;
    *var = q[0] / n - m;
  }
}

void run_variance_mean_not_squared(const double* x, int n, double* mean, double* var) {
  variance_mean_not_squared<<<1, 256>>>(x, n, mean, var);
}

// Row sums and row maxima, one warp per row. WRONG: both results go to the sums, maxima stay unset.
__global__ void row_max_overwrites_sum(const float* m, float* sums, float* maxima, int rows,
                                       int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float s = 0.f, b = -INFINITY;
  for (int c = lane; c < cols; c += 32) {
    float v = m[(size_t)row * cols + c];
    s += v;
    b = fmaxf(b, v);
  }
  for (int o = 16; o > 0; o >>= 1) {
    s += __shfl_xor_sync(0xffffffffu, s, o);
    b = fmaxf(b, __shfl_xor_sync(0xffffffffu, b, o));
  }
  if (lane == 0) {
    sums[row] = s;
    sums[row] = b;
  }
}
