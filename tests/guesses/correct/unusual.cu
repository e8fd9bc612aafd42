// Reductions that compute something unusual.
#include <cuda_runtime.h>

__constant__ float c_weights[8];

#define WARP_ADD(v) \
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o)

// Sum of the positive elements of each block of 256.
__global__ void positive_sum(const float* x, float* out, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = (i < n && x[i] > 0.f) ? x[i] : 0.f;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

void run_positive_sum(const float* x, float* out, int n) {
  positive_sum<<<(n + 255) / 256, 256>>>(x, out, n);
}

// Sum of |x| over the elements with |x| < limit (caller zeroes *out).
__global__ void small_abs_sum(float* out, const float* x, int n, float limit) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float a = fabsf(x[i]);
    if (a < limit) v += a;
  }
  WARP_ADD(v);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

// init + sum of x by one block of 128 threads.
__global__ void sum_from_init(double init, const double* x, int n, double* out) {
  __shared__ double part[4];
  double v = 0.0;
  for (int i = threadIdx.x; i < n; i += 128) v += x[i];
  WARP_ADD(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) *out = init + part[0] + part[1] + part[2] + part[3];
}

void run_sum_from_init(const double* x, int n, double* out) {
  sum_from_init<<<1, 128>>>(1.0, x, n, out);
}

// Sum of i * i * x[i] (weights are the squares of the indices; caller zeroes *out).
__global__ void index_square_weighted(const float* x, double* out, int n) {
  double v = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    v += (double)i * (double)i * x[i];
  }
  WARP_ADD(v);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

void run_index_square_weighted(const float* x, double* out, int n) {
  cudaMemset(out, 0, sizeof(double));
  index_square_weighted<<<(n + 1023) / 1024, 256>>>(x, out, n);
}

// Total variation: sum of |x[i + 1] - x[i]| over i < n - 1 (caller zeroes *tv).
__global__ void total_variation(int n, const float* x, float* tv) {
  __shared__ float s;
  if (threadIdx.x == 0) s = 0.f;
  __syncthreads();
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + 1 < n; i += gridDim.x * blockDim.x) {
    v += fabsf(x[i + 1] - x[i]);
  }
  atomicAdd(&s, v);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(tv, s);
}

// Sum over the upper triangle (diagonal included) of an n x n matrix, one block per row (*out = 0).
__global__ void upper_triangle_sum(const float* a, int n, float* out) {
  const int r = blockIdx.x;
  float v = 0.f;
  for (int c = r + threadIdx.x; c < n; c += blockDim.x) v += a[(size_t)r * n + c];
  WARP_ADD(v);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

void run_upper_triangle_sum(const float* a, int n, float* out) {
  upper_triangle_sum<<<n, 64>>>(a, n, out);
}

// Kahan-compensated sum: every thread compensates, thread 0 adds the 256 sums in double.
__global__ void kahan_sum(const float* x, int n, double* out) {
  __shared__ double s[256];
  float sum = 0.f, comp = 0.f;
  for (int i = threadIdx.x; i < n; i += 256) {
    float y = __fsub_rn(x[i], comp);
    float t = __fadd_rn(sum, y);
    comp = __fsub_rn(__fsub_rn(t, sum), y);
    sum = t;
  }
  s[threadIdx.x] = (double)sum - (double)comp;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0.0;
    for (int k = 0; k < 256; ++k) total += s[k];
    *out = total;
  }
}

void run_kahan_sum(const float* x, int n, double* out) {
  kahan_sum<<<1, 256>>>(x, n, out);
}

// Weighted sum with period-8 weights from __constant__ memory (caller zeroes *out).
__global__ void constant_weighted_sum(float* out, int n, const float* x) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    v += c_weights[i & 7] * x[i];
  }
  WARP_ADD(v);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

void run_constant_weighted_sum(float* out, int n, const float* x, const float* w8) {
  cudaMemcpyToSymbol(c_weights, w8, 8 * sizeof(float));
  constant_weighted_sum<<<40, 160>>>(out, n, x);
}
