// Missing atomics and missing fences.
#include <cuda_runtime.h>

// Total into *sum (zeroed by the caller). Wrong: a plain += by all threads.
__global__ void plain_add(const float* x, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *sum += x[i];
}

void run_plain_add(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  plain_add<<<(n + 255) / 256, 256>>>(x, sum, n);
}

// Total over all blocks into *out (zeroed by the caller). Wrong: each block's plain += races.
__global__ void block_plain_add(int* out, const int* in, int n) {
  __shared__ int s[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out += s[0];
}

// Total over all blocks. Wrong: each block stores its own sum to *out, the last store stays.
__global__ void block_overwrites(const double* in, int n, double* out) {
  __shared__ double s[256];
  double v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}

void run_block_overwrites(const double* in, int n, double* out) {
  block_overwrites<<<32, 256>>>(in, n, out);
}

// Count of elements equal to key, per block. Wrong: ++ on a shared counter without an atomic.
__global__ void count_shared_plain(const int* v, int n, int key, int* counts) {
  __shared__ int c;
  if (threadIdx.x == 0) c = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && v[i] == key) c++;
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = c;
}

__device__ unsigned g_arrived = 0;

// Total by the last block. Wrong: no __threadfence between the partial sum and the ticket.
__global__ void ticket_no_fence(const float* x, int n, float* part, float* out) {
  __shared__ float s[256];
  __shared__ bool last;
  int t = threadIdx.x;
  float v = 0.f;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) v += x[i];
  s[t] = v;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    last = atomicAdd(&g_arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    float a = 0.f;
    for (int b = 0; b < gridDim.x; ++b) a += part[b];
    *out = a;
    g_arrived = 0;
  }
}

// Total by block 0. Wrong: block 0 adds the partial sums without waiting for the other blocks.
__global__ void block_zero_does_not_wait(const float* x, int n, float* part, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float v = 0.f;
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) v += x[i];
  s[t] = v;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    if (blockIdx.x == 0) {
      float a = 0.f;
      for (int b = 0; b < gridDim.x; ++b) a += ((volatile float*)part)[b];
      *out = a;
    }
  }
}

void run_block_zero(const float* x, int n, float* part, float* out) {
  block_zero_does_not_wait<<<64, 128>>>(x, n, part, out);
}

// Maximum into *top (INT_MIN at the start). Wrong: compares and stores without atomicMax.
__global__ void max_check_then_store(const int* x, int* top, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (x[i] > *top) *top = x[i];
}
