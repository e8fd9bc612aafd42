// A last block that finishes the work, and kernels for one block or a fixed number of blocks.
#include <cuda_runtime.h>
#define NBLK 64
#define NTHR 256

__device__ unsigned int g_ticket = 0;
__device__ float g_partial[NBLK];
__device__ unsigned int done_blocks = 0;

// Sum of in[0..n) into *out; the last block adds the 64 partial sums and resets the ticket.
__global__ void sum_last_block(const float* in, float* out, int n) {
  __shared__ float s[NTHR];
  __shared__ bool last;
  int t = threadIdx.x;
  float v = 0.f;
  for (int i = blockIdx.x * NTHR + t; i < n; i += NTHR * NBLK) v += in[i];
  s[t] = v;
  __syncthreads();
  for (int h = NTHR / 2; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) {
    g_partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicAdd(&g_ticket, 1u) == NBLK - 1;
  }
  __syncthreads();
  if (!last) return;
  volatile float* parts = g_partial;
  s[t] = t < NBLK ? parts[t] : 0.f;
  __syncthreads();
  for (int h = NTHR / 2; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) {
    *out = s[0];
    g_ticket = 0;
  }
}

void run_sum_last_block(const float* in, float* out, int n) {
  sum_last_block<<<NBLK, NTHR>>>(in, out, n);
}

// Maximum of x into *result; partial has gridDim.x places, *count is 0 at the start and the end.
__global__ void max_last_block(const int* x, int n, volatile int* partial, unsigned* count,
                               int* result) {
  __shared__ int warp_max[32];
  __shared__ unsigned ticket;
  int m = -2147483647 - 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    m = max(m, x[i]);
  for (int o = 16; o > 0; o /= 2) m = max(m, __shfl_xor_sync(0xffffffffu, m, o));
  if ((threadIdx.x & 31) == 0) warp_max[threadIdx.x >> 5] = m;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) m = max(m, warp_max[w]);
    partial[blockIdx.x] = m;
    __threadfence();
    ticket = atomicInc(count, gridDim.x - 1);
  }
  __syncthreads();
  if (ticket == gridDim.x - 1 && threadIdx.x == 0) {
    int best = partial[0];
    for (int b = 1; b < gridDim.x; ++b) best = max(best, partial[b]);
    *result = best;
  }
}

void run_max_last_block(const int* x, int n, int* partial, unsigned* count, int* result) {
  cudaMemset(count, 0, sizeof(unsigned));
  max_last_block<<<(n + 1023) / 1024, 256>>>(x, n, partial, count, result);
}

// Sum of squares into *out by atomics on *acc; the last block takes the root. *acc is 0 at start.
__global__ void norm_last_block(const double* v, int n, double* acc, double* out) {
  double q = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    q += v[i] * v[i];
  for (int o = 16; o; o >>= 1) q += __shfl_down_sync(~0u, q, o);
  if (threadIdx.x % 32 == 0) atomicAdd(acc, q);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned t = atomicAdd(&done_blocks, 1u);
    if (t == gridDim.x - 1) {
      __threadfence();
      *out = sqrt(*(volatile double*)acc);
      done_blocks = 0;
    }
  }
}

// Sum of n values into out[0] by a single block of 1024 threads.
__global__ void one_block_sum(float* out, const float* in, int n) {
  __shared__ float s[1024];
  float v = 0.f;
  for (int i = threadIdx.x; i < n; i += 1024) v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 512; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = s[0];
}

// Adds the partial results of 64 blocks, one warp, two each.
__global__ void combine64(const float* partial, float* total) {
  int lane = threadIdx.x;
  float v = partial[lane] + partial[lane + 32];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) *total = v;
}

void run_combine64(const float* partial, float* total) { combine64<<<1, 32>>>(partial, total); }

// Exactly 16 blocks of 128: block b sums the b-th sixteenth of x (the last one takes the rest).
__global__ void sixteen_slices(const double* x, double* slice_sum, int n) {
  int len = n / 16;
  int lo = blockIdx.x * len;
  int hi = blockIdx.x == 15 ? n : lo + len;
  __shared__ double s[128];
  double v = 0.0;
  for (int i = lo + threadIdx.x; i < hi; i += 128) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) slice_sum[blockIdx.x] = s[0];
}

void run_slices(const double* x, double* slice_sum, int n) {
  sixteen_slices<<<16, 128>>>(x, slice_sum, n);
}

// Sum of a short array by a single thread.
__global__ void serial_sum(const int* v, int n, long long* out) {
  long long s = 0;
  for (int i = 0; i < n; ++i) s += v[i];
  *out = s;
}

void run_serial(const int* v, int n, long long* out) { serial_sum<<<1, 1>>>(v, n, out); }
