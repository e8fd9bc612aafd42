// Dot products and scans.
#include <cuda_runtime.h>

#define SCAN_BLOCK 256

// Dot product of a and b: one partial result per block of 256 threads.
__global__ void dot_partial(const float* a, const float* b, float* c, int n) {
  __shared__ float cache[256];
  int tid = threadIdx.x + blockIdx.x * blockDim.x;
  float temp = 0.f;
  while (tid < n) {
    temp += a[tid] * b[tid];
    tid += blockDim.x * gridDim.x;
  }
  cache[threadIdx.x] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
    i /= 2;
  }
  if (threadIdx.x == 0) c[blockIdx.x] = cache[0];
}

void run_dot_partial(const float* a, const float* b, float* c, int n) {
  int blocks = min(32, (n + 255) / 256);
  dot_partial<<<blocks, 256>>>(a, b, c, n);
}

// Dot product in double of float vectors with strides incx and incy (caller zeroes *result).
__global__ void dot_strided(int n, const float* x, int incx, const float* y, int incy,
                            double* result) {
  double v = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    v += (double)x[(size_t)i * incx] * (double)y[(size_t)i * incy];
  }
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) atomicAdd(result, v);
}

// Matrix-vector product y = A x, one warp per row.
__global__ void matvec_warp(float* y, const float* A, const float* x, int rows, int cols) {
  const int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  const int lane = threadIdx.x & 31;
  if (row < rows) {
    float v = 0.f;
    for (int c = lane; c < cols; c += 32) v += A[(size_t)row * cols + c] * x[c];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) y[row] = v;
  }
}

void run_matvec_warp(float* y, const float* A, const float* x, int rows, int cols) {
  constexpr int kWarps = 8;
  matvec_warp<<<(rows + kWarps - 1) / kWarps, kWarps * 32>>>(y, A, x, rows, cols);
}

// Inclusive scan of each block of 256 elements (Hillis-Steele), block totals to totals[].
__global__ void scan_block_inclusive(const int* in, int* out, int* totals, int n) {
  __shared__ int s[SCAN_BLOCK];
  const int t = threadIdx.x;
  const int i = blockIdx.x * SCAN_BLOCK + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < SCAN_BLOCK; d <<= 1) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
  if (t == SCAN_BLOCK - 1) totals[blockIdx.x] = s[t];
}

// Adds to each block's elements the sum of the totals of the earlier blocks, in place.
__global__ void scan_add_offsets(int* data, const int* totals, int n) {
  __shared__ int offset;
  if (threadIdx.x == 0) {
    int s = 0;
    for (int b = 0; b < blockIdx.x; ++b) s += totals[b];
    offset = s;
  }
  __syncthreads();
  int i = blockIdx.x * SCAN_BLOCK + threadIdx.x;
  if (i < n) data[i] += offset;
}

void run_full_scan(const int* in, int* out, int* totals, int n) {
  int blocks = (n + SCAN_BLOCK - 1) / SCAN_BLOCK;
  scan_block_inclusive<<<blocks, SCAN_BLOCK>>>(in, out, totals, n);
  scan_add_offsets<<<blocks, SCAN_BLOCK>>>(out, totals, n);
}

// Exclusive scan of any n by one block of 256 threads, tile by tile with a carried sum.
__global__ void scan_exclusive_carry(float* out, const float* in, int n) {
  __shared__ float warp_tot[8];
  __shared__ float carry;
  const int t = threadIdx.x, lane = t & 31, w = t >> 5;
  if (t == 0) carry = 0.f;
  for (int base = 0; base < n; base += 256) {
    int i = base + t;
    float v = i < n ? in[i] : 0.f;
    for (int d = 1; d < 32; d <<= 1) {
      float u = __shfl_up_sync(0xffffffffu, v, d);
      if (lane >= d) v += u;
    }
    if (lane == 31) warp_tot[w] = v;
    __syncthreads();
    float before = carry;
    for (int k = 0; k < w; ++k) before += warp_tot[k];
    float excl = __shfl_up_sync(0xffffffffu, v, 1);
    if (lane == 0) excl = 0.f;
    if (i < n) out[i] = before + excl;
    __syncthreads();
    if (t == 255) carry = before + v;
    __syncthreads();
  }
}

void run_scan_exclusive_carry(float* out, const float* in, int n) {
  scan_exclusive_carry<<<1, 256>>>(out, in, n);
}

// Inclusive scan in one pass with look-back (caller zeroes flags and *next): 1 agg, 2 pre is set.
__global__ void scan_look_back(const unsigned* in, unsigned* out, int n, int* next,
                               volatile int* flags, volatile unsigned* agg,
                               volatile unsigned* pre) {
  __shared__ unsigned s[SCAN_BLOCK];
  __shared__ int tile;
  __shared__ unsigned prefix;
  const int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(next, 1);
  __syncthreads();
  const int b = tile;
  const int i = b * SCAN_BLOCK + t;
  s[t] = i < n ? in[i] : 0u;
  __syncthreads();
  for (int d = 1; d < SCAN_BLOCK; d <<= 1) {
    unsigned v = t >= d ? s[t - d] : 0u;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (t == 0) {
    unsigned total = s[SCAN_BLOCK - 1];
    agg[b] = total;
    __threadfence();
    flags[b] = 1;
    unsigned sum = 0;
    for (int k = b - 1; k >= 0; --k) {
      int f;
      while ((f = flags[k]) == 0) {
      }
      __threadfence();
      if (f == 2) {
        sum += pre[k];
        break;
      }
      sum += agg[k];
    }
    pre[b] = sum + total;
    __threadfence();
    flags[b] = 2;
    prefix = sum;
  }
  __syncthreads();
  if (i < n) out[i] = prefix + s[t];
}

void run_scan_look_back(const unsigned* in, unsigned* out, int n, int* next, int* flags,
                        unsigned* agg, unsigned* pre) {
  int blocks = (n + SCAN_BLOCK - 1) / SCAN_BLOCK;
  cudaMemset(next, 0, sizeof(int));
  cudaMemset(flags, 0, blocks * sizeof(int));
  scan_look_back<<<blocks, SCAN_BLOCK>>>(in, out, n, next, flags, agg, pre);
}
