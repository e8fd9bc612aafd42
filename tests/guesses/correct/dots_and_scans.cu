// Dot products and scans.
#include <cuda_runtime.h>

#define THREADS 256

// Partial dot products, one per block of 256 threads, grid-stride.
__global__ void dot_partial(const float* a, const float* b, float* c, int n) {
  __shared__ float cache[THREADS];
  float t = 0.f;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    t += a[i] * b[i];
  cache[threadIdx.x] = t;
  __syncthreads();
  int k = blockDim.x / 2;
  while (k != 0) {
    if (threadIdx.x < k) cache[threadIdx.x] += cache[threadIdx.x + k];
    __syncthreads();
    k /= 2;
  }
  if (threadIdx.x == 0) c[blockIdx.x] = cache[0];
}

// Dot product in double precision of float vectors, added to *out (zeroed by the caller).
__global__ void dot_double(double* out, const float* x, const float* y, int n) {
  double v = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v += (double)x[i] * (double)y[i];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

void run_dot_double(double* out, const float* x, const float* y, int n) {
  cudaMemset(out, 0, sizeof(double));
  dot_double<<<(n + 255) / 256, 256>>>(out, x, y, n);
}

// Dot product of strided vectors (incx, incy >= 1) by one block of 256 threads.
__global__ void dot_strided(int n, const double* x, int incx, const double* y, int incy,
                            double* res) {
  __shared__ double s[THREADS];
  double v = 0;
  for (int i = threadIdx.x; i < n; i += THREADS) v += x[(size_t)i * incx] * y[(size_t)i * incy];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = THREADS / 2; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) *res = s[0];
}

void run_dot_strided(int n, const double* x, int incx, const double* y, int incy, double* res) {
  dot_strided<<<1, THREADS>>>(n, x, incx, y, incy, res);
}

// Matrix times vector: y[r] = sum over c of A[r][c] x[c], one warp per row.
__global__ void gemv_warp(const float* A, const float* x, float* y, int rows, int cols) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (r >= rows) return;
  float v = 0.f;
  for (int c = threadIdx.x & 31; c < cols; c += 32) v += A[(size_t)r * cols + c] * x[c];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) y[r] = v;
}

// Inclusive scan inside each block of 256, and the block's total in block_sum.
__global__ void block_inclusive_scan(const int* in, int* out, int* block_sum, int n) {
  __shared__ int s[THREADS];
  int t = threadIdx.x;
  int i = blockIdx.x * THREADS + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < THREADS; d *= 2) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
  if (t == THREADS - 1) block_sum[blockIdx.x] = s[t];
}

// Adds to each element the totals of all earlier blocks of 256, which completes the scan.
__global__ void add_block_offsets(int* data, const int* block_sum, int n) {
  __shared__ int offset;
  if (threadIdx.x == 0) {
    int o = 0;
    for (int b = 0; b < blockIdx.x; ++b) o += block_sum[b];
    offset = o;
  }
  __syncthreads();
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n) data[i] += offset;
}

void run_scan(const int* in, int* out, int* block_sum, int n) {
  int blocks = (n + THREADS - 1) / THREADS;
  block_inclusive_scan<<<blocks, THREADS>>>(in, out, block_sum, n);
  add_block_offsets<<<blocks, THREADS>>>(out, block_sum, n);
}

// Exclusive scan of n values by one block of 1024 threads, chunk by chunk with a carry.
__global__ void exclusive_scan_carry(unsigned* out, const unsigned* in, int n) {
  __shared__ unsigned warp_tot[32];
  unsigned carry = 0;
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  for (int base = 0; base < n; base += 1024) {
    int i = base + threadIdx.x;
    unsigned x = i < n ? in[i] : 0u;
    unsigned v = x;
    for (int d = 1; d < 32; d <<= 1) {
      unsigned u = __shfl_up_sync(0xffffffffu, v, d);
      if (lane >= d) v += u;
    }
    if (lane == 31) warp_tot[w] = v;
    __syncthreads();
    if (w == 0) {
      unsigned s = warp_tot[lane];
      for (int d = 1; d < 32; d <<= 1) {
        unsigned u = __shfl_up_sync(0xffffffffu, s, d);
        if (lane >= d) s += u;
      }
      warp_tot[lane] = s;
    }
    __syncthreads();
    unsigned before = w > 0 ? warp_tot[w - 1] : 0u;
    if (i < n) out[i] = carry + before + v - x;
    carry += warp_tot[31];
    __syncthreads();
  }
}

// Inclusive scan in one pass: blocks of 256 take tickets and wait for the block before (flag
// and prefix per block, flags and *next_block zeroed by the caller).
__global__ void chained_scan(const int* in, int* out, int n, volatile int* prefix,
                             volatile int* flag, int* next_block) {
  __shared__ int s[THREADS];
  __shared__ int b, before;
  int t = threadIdx.x;
  if (t == 0) b = atomicAdd(next_block, 1);
  __syncthreads();
  int i = b * THREADS + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < THREADS; d <<= 1) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (t == 0) {
    int p = 0;
    if (b > 0) {
      while (flag[b - 1] == 0) {
      }
      __threadfence();
      p = prefix[b - 1];
    }
    prefix[b] = p + s[THREADS - 1];
    __threadfence();
    flag[b] = 1;
    before = p;
  }
  __syncthreads();
  if (i < n) out[i] = before + s[t];
}

void run_chained_scan(const int* in, int* out, int n, int* prefix, int* flag, int* next_block) {
  int blocks = (n + THREADS - 1) / THREADS;
  cudaMemset(flag, 0, blocks * sizeof(int));
  cudaMemset(next_block, 0, sizeof(int));
  chained_scan<<<blocks, THREADS>>>(in, out, n, prefix, flag, next_block);
}
