// Missing __syncthreads; barriers in divergent code.
#include <cuda_runtime.h>

// Sum per block of 256. WRONG: no barrier between filling shared memory and the tree.
__global__ void no_sync_after_load(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.f;
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

void run_no_sync_after_load(const float* in, float* out, int n) {
  no_sync_after_load<<<(n + 255) / 256, 256>>>(in, out, n);
}

// Sum per block. WRONG: no barrier inside the tree loop.
__global__ void no_sync_in_tree(double* sums, const double* x, int n) {
  extern __shared__ double sd[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  sd[t] = i < n ? x[i] : 0.0;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) sd[t] += sd[t + d];
  }
  if (t == 0) sums[blockIdx.x] = sd[0];
}

void run_no_sync_in_tree(double* sums, const double* x, int n) {
  const int threads = 512;
  no_sync_in_tree<<<(n + threads - 1) / threads, threads, threads * sizeof(double)>>>(sums, x, n);
}

// Sum per block. WRONG: the barrier of the tree stands inside the if, not all threads reach it.
__global__ void sync_in_branch(const int* x, int* out, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) {
      s[t] += s[t + d];
      __syncthreads();
    }
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// Sum per block. WRONG: threads past n return before the barriers and leave their slots unset.
__global__ void early_return_sync(int n, const float* x, float* out) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

void run_early_return_sync(int n, const float* x, float* out) {
  early_return_sync<<<(n + 255) / 256, 256>>>(n, x, out);
}

// Sum per block of warps. WRONG: no barrier between writing and reading the warps' partial sums.
__global__ void no_sync_warp_partials(const float* x, float* out, int n) {
  __shared__ float part[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  if (threadIdx.x == 0) {
    float s = 0.f;
    for (int k = 0; k < 8; ++k) s += part[k];
    out[blockIdx.x] = s;
  }
}

void run_no_sync_warp_partials(const float* x, float* out, int n) {
  no_sync_warp_partials<<<(n + 255) / 256, 256>>>(x, out, n);
}

// Inclusive scan of each block of 256. WRONG: no barrier between reading s[t - d] and writing s[t].
__global__ void scan_no_sync_between(int* data, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = i < n ? data[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d <<= 1) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  if (i < n) data[i] = s[t];
}

// Row mean subtracted in place. WRONG: no barrier before total is read by the whole block.
__global__ void center_no_sync(float* m, int cols) {
  __shared__ float total;
  float* row = m + (size_t)blockIdx.x * cols;
  if (threadIdx.x == 0) total = 0.f;
  __syncthreads();
  float v = 0.f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) v += row[c];
  atomicAdd(&total, v);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) row[c] -= total / cols;
}
