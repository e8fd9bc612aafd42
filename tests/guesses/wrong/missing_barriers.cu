// Missing barriers and barriers in divergent code.
#include <cuda_runtime.h>

#define N_THREADS 256

// Partial sums per block. Wrong: no barrier between filling the tile and the first step.
__global__ void no_sync_after_load(const float* in, float* out, int n) {
  __shared__ float s[N_THREADS];
  int t = threadIdx.x;
  int i = blockIdx.x * N_THREADS + t;
  s[t] = i < n ? in[i] : 0.f;
  for (int h = N_THREADS / 2; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// Partial sums per block. Wrong: no barrier inside the tree's loop.
__global__ void no_sync_in_loop(int* out, const int* in, int n) {
  extern __shared__ int sh[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sh[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int h = blockDim.x >> 1; h > 0; h >>= 1)
    if (threadIdx.x < h) sh[threadIdx.x] += sh[threadIdx.x + h];
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sh[0];
}

void run_no_sync_in_loop(int* out, const int* in, int n) {
  no_sync_in_loop<<<(n + 127) / 128, 128, 128 * sizeof(int)>>>(out, in, n);
}

// Partial sums per block. Wrong: the barrier is inside the branch of the lower half.
__global__ void sync_in_branch(const double* x, double* y, int n) {
  __shared__ double s[N_THREADS];
  int t = threadIdx.x;
  int i = blockIdx.x * N_THREADS + t;
  s[t] = i < n ? x[i] : 0.0;
  __syncthreads();
  for (int h = N_THREADS / 2; h > 0; h /= 2) {
    if (t < h) {
      s[t] += s[t + h];
      __syncthreads();
    }
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

// Partial sums per block. Wrong: threads past n return before the barriers, their places unset.
__global__ void early_return(const float* a, float* r, int n) {
  __shared__ float s[N_THREADS];
  int i = blockIdx.x * N_THREADS + threadIdx.x;
  if (i >= n) return;
  s[threadIdx.x] = a[i];
  __syncthreads();
  for (int h = N_THREADS / 2; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) r[blockIdx.x] = s[0];
}

// Partial sums per block of warps. Wrong: no barrier before thread 0 adds the warps' sums.
__global__ void no_sync_warps(const float* v, float* sums, int n) {
  __shared__ float w[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  float x = i < n ? v[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) x += __shfl_down_sync(0xffffffffu, x, o);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = x;
  if (threadIdx.x == 0) {
    float s = 0.f;
    for (int k = 0; k < 8; ++k) s += w[k];
    sums[blockIdx.x] = s;
  }
}

void run_no_sync_warps(const float* v, float* sums, int n) {
  no_sync_warps<<<(n + 255) / 256, 256>>>(v, sums, n);
}

// Each row divided by its sum, one block per row. Wrong: no barrier before s[0] is read by all.
__global__ void normalize_no_sync(float* m, int cols) {
  __shared__ float total;
  __shared__ float s[128];
  float* row = m + (size_t)blockIdx.x * cols;
  float v = 0.f;
  for (int c = threadIdx.x; c < cols; c += 128) v += row[c];
  s[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float a = 0.f;
    for (int k = 0; k < 128; ++k) a += s[k];
    total = a;
  }
  for (int c = threadIdx.x; c < cols; c += 128) row[c] /= total;
}

// Block sums with atomics on a shared total. Wrong: no barrier between setting it and adding.
__global__ void shared_total_race(const int* in, int n, int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&total, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

void run_shared_total_race(const int* in, int n, int* out) {
  shared_total_race<<<(n + 255) / 256, 256>>>(in, n, out);
}
