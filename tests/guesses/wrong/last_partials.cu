// Last warp, last block or last partial result lost.
#include <cuda_runtime.h>

#define WARPS 8

// Sum per block of 256. WRONG: adds only 7 of the 8 partial sums, the last warp is lost.
__global__ void last_warp_lost(const float* x, float* out, int n) {
  __shared__ float part[WARPS];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = part[0];
    for (int w = 1; w < WARPS - 1; ++w) s += part[w];
    out[blockIdx.x] = s;
  }
}

void run_last_warp_lost(const float* x, float* out, int n) {
  last_warp_lost<<<(n + 255) / 256, 32 * WARPS>>>(x, out, n);
}

// Sum per block of 256. WRONG: second level shuffles from offset 2, partial sums 4 to 7 are lost.
__global__ void second_level_short(float* out, const float* x, int n) {
  __shared__ float part[WARPS];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) part[w] = v;
  __syncthreads();
  if (w == 0) {
    v = lane < WARPS ? part[lane] : 0.f;
    for (int o = 2; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) out[blockIdx.x] = v;
  }
}

// Sum of x (caller zeroes *sum). WRONG: only warp 0 of each block adds its result.
__global__ void only_warp_zero_adds(int n, const int* x, int* sum) {
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) atomicAdd(sum, v);
}

void run_only_warp_zero_adds(int n, const int* x, int* sum) {
  only_warp_zero_adds<<<20, 128>>>(n, x, sum);
}

// Sum per block by a tree. WRONG: the loop stops at d > 1, so s[1] is never added.
__global__ void tree_stops_early(double* out, const double* in, int n) {
  __shared__ double s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0;
  __syncthreads();
  for (int d = 128; d > 1; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

void run_tree_stops_early(double* out, const double* in, int n) {
  dim3 block(256), grid((n + 255) / 256);
  tree_stops_early<<<grid, block>>>(out, in, n);
}

// Combines count partial sums with one block of 128. WRONG: no loop, partial sums from 128 on lost.
__global__ void combine_first_128(const float* part, int count, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = t < count ? part[t] : 0.f;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) *out = s[0];
}

void run_combine_first_128(const float* part, float* out) {
  const int blocks = 512;
  combine_first_128<<<1, 128>>>(part, blocks, out);
}

// Sum by a last block with a ticket (*ticket = 0). WRONG: adds gridDim.x - 1 of the partial sums.
__global__ void last_block_loses_one(const float* x, int n, float* part, unsigned* ticket,
                                     float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = 0.f;
  for (int i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x) v += x[i];
  s[t] = v;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    if (atomicAdd(ticket, 1u) == gridDim.x - 1) {
      __threadfence();
      float total = 0.f;
      for (int b = 0; b < gridDim.x - 1; ++b) total += ((volatile float*)part)[b];
      *out = total;
      *ticket = 0u;
    }
  }
}

void run_last_block_loses_one(const float* x, int n, float* part, unsigned* ticket, float* out) {
  last_block_loses_one<<<8, 256>>>(x, n, part, ticket, out);
}

// Maximum per block, unrolled tree of 256. WRONG: the step with distance 64 is missing.
__global__ void unrolled_step_missing(const int* x, int* out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : -2147483647 - 1;
  __syncthreads();
  if (t < 128) s[t] = max(s[t], s[t + 128]);
  __syncthreads();
  if (t < 32) {
    int v = max(s[t], s[t + 32]);
    v = __reduce_max_sync(0xffffffffu, v);
    if (t == 0) out[blockIdx.x] = v;
  }
}
