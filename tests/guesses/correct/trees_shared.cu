// Block reductions with a tree in shared memory.
#include <cuda_runtime.h>

#define BLOCK 256

// Partial sums, one per block: out[b] = sum of the block's 256 elements of in[0..n).
__global__ void tree_sum(const float* in, float* out, int n) {
  __shared__ float sdata[BLOCK];
  int tid = threadIdx.x;
  int i = blockIdx.x * BLOCK + tid;
  sdata[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = BLOCK / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

void run_tree_sum(const float* d_in, float* d_part, int n) {
  int blocks = (n + BLOCK - 1) / BLOCK;
  tree_sum<<<blocks, BLOCK>>>(d_in, d_part, n);
}

// Partial sums per block with interleaved addressing (blockDim.x a power of two).
__global__ void interleaved_sum(int* g_out, const int* g_in, unsigned int n) {
  extern __shared__ int tile[];
  unsigned int t = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + t;
  tile[t] = (i < n) ? g_in[i] : 0;
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    unsigned int k = 2 * s * t;
    if (k + s < blockDim.x) tile[k] += tile[k + s];
    __syncthreads();
  }
  if (t == 0) g_out[blockIdx.x] = tile[0];
}

void run_interleaved(int* g_out, const int* g_in, unsigned int n) {
  const unsigned int threads = 128;
  dim3 grid((n + threads - 1) / threads);
  interleaved_sum<<<grid, threads, threads * sizeof(int)>>>(g_out, g_in, n);
}

// Partial sums per block, two loads per thread: block b covers 2 * blockDim.x elements.
__global__ void first_add_sum(const double* x, double* y, int n) {
  extern __shared__ double buf[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x * 2 + t;
  double v = 0.0;
  if (i < n) v = x[i];
  if (i + (int)blockDim.x < n) v += x[i + blockDim.x];
  buf[t] = v;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) buf[t] += buf[t + s];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = buf[0];
}

// Partial sums per block for any block size: the tree rounds the half up.
__global__ void any_size_sum(const float* __restrict__ src, float* __restrict__ dst, int count) {
  extern __shared__ float work[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  work[t] = i < count ? src[i] : 0.f;
  __syncthreads();
  int live = blockDim.x;
  while (live > 1) {
    int half = (live + 1) / 2;
    if (t < live - half) work[t] += work[t + half];
    __syncthreads();
    live = half;
  }
  if (t == 0) dst[blockIdx.x] = work[0];
}

void run_any_size(const float* src, float* dst, int count) {
  any_size_sum<<<(count + 95) / 96, 96, 96 * sizeof(float)>>>(src, dst, count);
}

// Partial sums per block; tree to 64 in shared memory, the rest by the first warp's shuffles.
template <typename T, int THREADS>
__global__ void tree_then_warp(const T* in, T* out, int n) {
  __shared__ T s[THREADS];
  const int t = threadIdx.x;
  T acc = T(0);
  for (int i = blockIdx.x * THREADS + t; i < n; i += THREADS * gridDim.x) acc += in[i];
  s[t] = acc;
  __syncthreads();
#pragma unroll
  for (int k = THREADS / 2; k >= 64; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t < 32) {
    T v = s[t] + s[t + 32];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (t == 0) out[blockIdx.x] = v;
  }
}
template __global__ void tree_then_warp<float, 256>(const float*, float*, int);
template __global__ void tree_then_warp<int, 128>(const int*, int*, int);

// Partial products per block of 128 threads.
__global__ void tree_product(const double* factors, int n, double* partial) {
  __shared__ double p[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  p[t] = (i < n) ? factors[i] : 1.0;
  __syncthreads();
  for (int h = 64; h >= 1; h >>= 1) {
    double other = (t < h) ? p[t + h] : 1.0;
    __syncthreads();
    p[t] *= other;
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = p[0];
}

// Partial sums per block of 256, unrolled tree with __syncwarp in the last warp.
__global__ void unrolled_sum(const float* a, float* b, int n) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  float v = 0.f;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) v += a[i];
  s[t] = v;
  __syncthreads();
  if (t < 128) s[t] = v = v + s[t + 128];
  __syncthreads();
  if (t < 64) s[t] = v = v + s[t + 64];
  __syncthreads();
  if (t < 32) {
    v += s[t + 32]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 8]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 4]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 2]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 1];
    if (t == 0) b[blockIdx.x] = v;
  }
}
