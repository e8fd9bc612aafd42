// Wrong identity elements.
#include <cuda_runtime.h>
#include <float.h>

// Maximum per block of 256. Wrong: starts at 0, which beats negative numbers.
__global__ void max_from_zero(const float* x, float* m, int n) {
  __shared__ float s[256];
  float v = 0.f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v = fmaxf(v, x[i]);
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0) m[blockIdx.x] = s[0];
}

// Minimum of n ints by one block. Wrong: starts at 9999, larger data give 9999.
__global__ void min_from_9999(int* out, const int* in, int n) {
  __shared__ int s[128];
  int m = 9999;
  for (int i = threadIdx.x; i < n; i += 128) m = min(m, in[i]);
  s[threadIdx.x] = m;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] = min(s[threadIdx.x], s[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}

// Maximum per block of doubles. Wrong: places past n hold DBL_MIN, which is positive.
__global__ void max_from_dbl_min(const double* v, int n, double* block_max) {
  __shared__ double s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? v[i] : DBL_MIN;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] = fmax(s[threadIdx.x], s[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0) block_max[blockIdx.x] = s[0];
}

// Products per block of 128. Wrong: threads past n put 0 in, the last block's product is 0.
__global__ void product_from_zero(const float* f, float* p, int n) {
  __shared__ float s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  s[threadIdx.x] = i < n ? f[i] : 0.f;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] *= s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) p[blockIdx.x] = s[0];
}

void run_product_from_zero(const float* f, float* p, int n) {
  product_from_zero<<<(n + 127) / 128, 128>>>(f, p, n);
}

// Bitwise AND of the words of each block of 256, grid-stride. Wrong: starts at 0, always 0.
__global__ void and_from_zero(unsigned* out, const unsigned* w, int n) {
  __shared__ unsigned s[256];
  unsigned v = 0u;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v &= w[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] &= s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// Sum of n values by one block of 256. Wrong: every thread starts with 1, the sum is 256 too large.
__global__ void sum_from_one(const int* x, int n, int* sum) {
  __shared__ int s[256];
  int v = 1;
  for (int i = threadIdx.x; i < n; i += 256) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = s[0];
}

// Minimum of each row, one warp per row. Wrong: idle lanes of the last step bring 0 in.
__global__ void row_min_zero_fill(const float* a, float* rmin, int rows, int cols) {
  int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (r >= rows) return;
  float m = FLT_MAX;
  for (int c0 = 0; c0 < cols; c0 += 32) {
    int c = c0 + threadIdx.x % 32;
    m = fminf(m, c < cols ? a[(size_t)r * cols + c] : 0.f);
  }
  for (int o = 16; o > 0; o >>= 1) m = fminf(m, __shfl_xor_sync(~0u, m, o));
  if (threadIdx.x % 32 == 0) rmin[r] = m;
}
