// The last warp, half, or partial result is lost.
#include <cuda_runtime.h>

#define M 0xffffffffu

__device__ float warp_add(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(M, v, o);
  return v;
}

// Partial sums per block of 256. Wrong: thread 0 adds seven of the eight warps' sums.
__global__ void seven_of_eight(const float* x, float* part, int n) {
  __shared__ float w[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = warp_add(i < n ? x[i] : 0.f);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0.f;
    for (int k = 0; k < 7; ++k) s += w[k];
    part[blockIdx.x] = s;
  }
}

// Partial sums per block. Wrong: only warp 0's sum is written, the others are dropped.
__global__ void warp_zero_only(float* part, const float* x, int n) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v += x[i];
  v = warp_add(v);
  if (threadIdx.x == 0) part[blockIdx.x] = v;
}

void run_warp_zero_only(float* part, const float* x, int n) {
  warp_zero_only<<<40, 256>>>(part, x, n);
}

// Tree in shared memory. Wrong: the loop stops at 2, so s[1] is never added.
__global__ void tree_stops_early(const int* in, int* out, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int h = 64; h > 1; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// Tree in shared memory. Wrong: it starts at a quarter of the block, the upper half is lost.
__global__ void tree_starts_low(const double* in, double* out, int n) {
  extern __shared__ double s4[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  s4[t] = i < n ? in[i] : 0.0;
  __syncthreads();
  for (int h = blockDim.x / 4; h > 0; h >>= 1) {
    if (t < h) s4[t] += s4[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s4[0];
}

void run_tree_starts_low(const double* in, double* out, int n) {
  int threads = 256;
  tree_starts_low<<<(n + threads - 1) / threads, threads, threads * sizeof(double)>>>(in, out, n);
}

__device__ unsigned g_count = 0;

// Total by the last block. Wrong: the last block adds all partial sums but the last one.
__global__ void last_block_drops_one(const float* x, int n, float* part, float* out) {
  __shared__ float w[8];
  float v = 0.f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += x[i];
  v = warp_add(v);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0.f;
    for (int k = 0; k < 8; ++k) s += w[k];
    part[blockIdx.x] = s;
    __threadfence();
    if (atomicAdd(&g_count, 1u) == gridDim.x - 1) {
      __threadfence();
      volatile float* p = part;
      float a = 0.f;
      for (int b = 0; b < gridDim.x - 1; ++b) a += p[b];
      *out = a;
      g_count = 0;
    }
  }
}

void run_last_block_drops_one(const float* x, int n, float* part, float* out) {
  last_block_drops_one<<<2, 256>>>(x, n, part, out);
}

// Sum of 1024 partial results by one warp. Wrong: it takes 31 rounds of 32 only.
__global__ void combine_1024(const float* part, float* total) {
  float v = 0.f;
  for (int k = 0; k < 31; ++k) v += part[k * 32 + threadIdx.x];
  v = warp_add(v);
  if (threadIdx.x == 0) *total = v;
}

// Partial sums over a 32 x 8 block. Wrong: the row of threads with y = 7 is not added.
__global__ void last_y_lost(const float* a, float* sums, int n) {
  __shared__ float w[8];
  int i = blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x;
  float v = warp_add(i < n ? a[i] : 0.f);
  if (threadIdx.x == 0) w[threadIdx.y] = v;
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    for (int k = 1; k < blockDim.y - 1; ++k) v += w[k];
    sums[blockIdx.x] = v;
  }
}
