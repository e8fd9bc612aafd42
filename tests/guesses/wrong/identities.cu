// Wrong identities and wrong padding values.
#include <cfloat>
#include <cuda_runtime.h>

#define BIG 9999.0f

// Maximum of each block. WRONG: pads and starts with 0, wrong when all elements are negative.
__global__ void max_from_zero(const float* x, float* out, int n) {
  __shared__ float s[256];
  float m = 0.f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) m = fmaxf(m, x[i]);
  s[threadIdx.x] = m;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + d]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

void run_max_from_zero(const float* x, float* out, int n) {
  max_from_zero<<<32, 256>>>(x, out, n);
}

// Minimum of each block. WRONG: starts with 9999, wrong when all elements are larger.
__global__ void min_from_9999(float* out, const float* x, int n) {
  __shared__ float part[32];
  float m = BIG;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) m = x[i];
  m = fminf(m, BIG);
  for (int o = 16; o > 0; o >>= 1) m = fminf(m, __shfl_xor_sync(0xffffffffu, m, o));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) m = fminf(m, part[w]);
    out[blockIdx.x] = m;
  }
}

void run_min_from_9999(float* out, const float* x, int n) {
  min_from_9999<<<(n + 127) / 128, 128>>>(out, x, n);
}

// Product per block of 128. WRONG: elements past n count as 0, so a short block gives 0.
__global__ void product_pad_zero(const double* x, double* prod, int n) {
  __shared__ double p[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  p[threadIdx.x] = i < n ? x[i] : 0.0;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (threadIdx.x < d) p[threadIdx.x] *= p[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) prod[blockIdx.x] = p[0];
}

// Bitwise and of all words (caller sets all ones). WRONG: starts at 0, the result is always 0.
__global__ void and_from_zero(unsigned* out, const unsigned* w, int n) {
  unsigned v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v &= w[i];
  v = __reduce_and_sync(0xffffffffu, v);
  if (threadIdx.x % 32 == 0) atomicAnd(&out[0], v);
}

void run_and_from_zero(unsigned* out, const unsigned* w, int n) {
  cudaMemset(out, 0xff, sizeof(unsigned));
  and_from_zero<<<8, 256>>>(out, w, n);
}

// Row maximum, one block per row. WRONG: starts with FLT_MIN (positive), not with -FLT_MAX.
__global__ void row_max_flt_min(const float* m, int cols, float* out) {
  __shared__ float s[256];
  const float* row = m + (size_t)blockIdx.x * cols;
  float v = FLT_MIN;
  for (int c = threadIdx.x; c < cols; c += 256) v = fmaxf(v, row[c]);
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + d]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

void run_row_max_flt_min(const float* m, int rows, int cols, float* out) {
  row_max_flt_min<<<rows, 256>>>(m, cols, out);
}

// Sum of x (caller zeroes *sum). WRONG: every thread starts at 1 instead of 0.
__global__ void sum_from_one(int n, const float* x, float* sum) {
  float v = 1.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, v);
}

// Minimum of ints (caller sets *lo to INT_MAX). WRONG: threads without an element contribute 0.
__global__ void min_pad_zero(const int* x, int n, int* lo) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? x[i] : 0;
  v = __reduce_min_sync(0xffffffffu, v);
  if ((threadIdx.x & 31) == 0) atomicMin(lo, v);
}

void run_min_pad_zero(const int* x, int n, int* lo) {
  min_pad_zero<<<(n + 255) / 256, 256>>>(x, n, lo);
}
