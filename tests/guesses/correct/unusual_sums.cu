// Sums of a less usual kind.
#include <cuda_runtime.h>

__constant__ float c_weights[8] = {1.f, 0.5f, 0.25f, 0.125f, 2.f, 4.f, -1.f, 3.f};
__constant__ float c_scale = 0.5f;

#define NT 128

template <typename T>
__device__ T tree128(T v) {
  __shared__ T s[NT];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = NT / 2; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  return s[0];
}

// Sum of the positive elements, partial sums per block of 128.
__global__ void sum_positive(const float* x, float* part, int n) {
  float v = 0.f;
  for (int i = blockIdx.x * NT + threadIdx.x; i < n; i += gridDim.x * NT)
    if (x[i] > 0.f) v += x[i];
  v = tree128(v);
  if (threadIdx.x == 0) part[blockIdx.x] = v;
}

// Sum of |x| over the elements with |x| below the limit, partial sums per block of 128.
__global__ void sum_abs_below(double limit, const double* x, int n, double* part) {
  double v = 0;
  for (int i = blockIdx.x * NT + threadIdx.x; i < n; i += gridDim.x * NT) {
    double a = fabs(x[i]);
    if (a < limit) v += a;
  }
  v = tree128(v);
  if (threadIdx.x == 0) part[blockIdx.x] = v;
}

// start + sum of x, by one block of 128 threads.
__global__ void sum_from_start(int* out, const int* x, int n, int start) {
  int v = threadIdx.x == 0 ? start : 0;
  for (int i = threadIdx.x; i < n; i += NT) v += x[i];
  v = tree128(v);
  if (threadIdx.x == 0) *out = v;
}

void run_sum_from_start(int* out, const int* x, int n, int start) {
  sum_from_start<<<1, NT>>>(out, x, n, start);
}

// Sum of x[i] * (1 + 2 k + k * k) with k = i % 10, partial sums per block of 128.
__global__ void sum_polynomial(const long long* x, long long* part, int n) {
  int i = blockIdx.x * NT + threadIdx.x;
  long long v = 0;
  if (i < n) {
    int k = i % 10;
    v = x[i] * (1 + 2 * k + k * k);
  }
  v = tree128(v);
  if (threadIdx.x == 0) part[blockIdx.x] = v;
}

void run_sum_polynomial(const long long* x, long long* part, int n) {
  sum_polynomial<<<(n + NT - 1) / NT, NT>>>(x, part, n);
}

// Total variation: sum of |x[i + 1] - x[i]|, partial sums per block of 128 (0 for n < 2).
__global__ void total_variation(const float* x, int n, float* part) {
  int i = blockIdx.x * NT + threadIdx.x;
  float v = tree128(i + 1 < n ? fabsf(x[i + 1] - x[i]) : 0.f);
  if (threadIdx.x == 0) part[blockIdx.x] = v;
}

// Sum over the upper triangle with the diagonal of an n x n matrix; block r gives row r's part.
__global__ void upper_triangle(const float* A, float* row_part, int n) {
  int r = blockIdx.x;
  float v = 0.f;
  for (int c = r + threadIdx.x; c < n; c += NT) v += A[(size_t)r * n + c];
  v = tree128(v);
  if (threadIdx.x == 0) row_part[r] = v;
}

void run_upper_triangle(const float* A, float* row_part, int n) {
  upper_triangle<<<n, NT>>>(A, row_part, n);
}

// Compensated (Kahan) sum of each thread's elements, plain tree; partial sums per block of 128.
__global__ void kahan_sum(const float* x, float* part, int n) {
  float s = 0.f, c = 0.f;
  for (int i = blockIdx.x * NT + threadIdx.x; i < n; i += gridDim.x * NT) {
    float y = __fsub_rn(x[i], c);
    float t = __fadd_rn(s, y);
    c = __fsub_rn(__fsub_rn(t, s), y);
    s = t;
  }
  s = tree128(s);
  if (threadIdx.x == 0) part[blockIdx.x] = s;
}

// Weighted sum with eight weights in constant memory, in turn, times a constant scale.
__global__ void constant_weights(const float* x, float* part, int n) {
  float v = 0.f;
  for (int i = blockIdx.x * NT + threadIdx.x; i < n; i += gridDim.x * NT)
    v += c_weights[i & 7] * x[i];
  v = tree128(v);
  if (threadIdx.x == 0) part[blockIdx.x] = v * c_scale;
}

void run_constant_weights(const float* x, float* part, int n) {
  constant_weights<<<16, NT>>>(x, part, n);
}
