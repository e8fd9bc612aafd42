// Uninitialized shared memory or accumulators.
#include <cuda_runtime.h>

// Sum per block. WRONG: threads past n leave their slot of shared memory unset.
__global__ void slot_unset_past_n(const float* x, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  if (i < n) s[t] = x[i];
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

void run_slot_unset_past_n(const float* x, float* out, int n) {
  slot_unset_past_n<<<(n + 255) / 256, 256>>>(x, out, n);
}

// Sum of x (caller zeroes *out). WRONG: the shared accumulator is never set to 0.
__global__ void shared_acc_unset(float* out, const float* x, int n) {
  __shared__ float acc;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&acc, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, acc);
}

void run_shared_acc_unset(float* out, const float* x, int n) {
  shared_acc_unset<<<(n + 127) / 128, 128>>>(out, x, n);
}

// Sum per block. WRONG: reads 32 partial sums, but only blockDim.x / 32 of them are set.
__global__ void partials_unset(int n, const double* x, double* out) {
  __shared__ double part[32];
  int lane = threadIdx.x % 32, w = threadIdx.x / 32;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = i < n ? x[i] : 0.0;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) part[w] = v;
  __syncthreads();
  if (w == 0) {
    v = part[lane];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) out[blockIdx.x] = v;
  }
}

void run_partials_unset(int n, const double* x, double* out) {
  partials_unset<<<(n + 255) / 256, 256>>>(n, x, out);
}

// Sum of x (caller zeroes *sum). WRONG: the local accumulator is declared without a value.
__global__ void local_unset(const int* x, int* sum, int n) {
  int v;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

// Histogram of bytes with 128 threads. WRONG: only bins 0 to 127 of the shared copy are zeroed.
__global__ void histogram_half_zeroed(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned h[256];
  h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&h[data[i]], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], h[b]);
}

void run_histogram_half_zeroed(const unsigned char* data, int n, unsigned* bins) {
  cudaMemset(bins, 0, 256 * sizeof(unsigned));
  histogram_half_zeroed<<<30, 128>>>(data, n, bins);
}

// Sums of segments, several per block. WRONG: v keeps the previous segment's sum.
__global__ void acc_not_reset(float* out, const float* x, int segments, int len) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float v = 0.f;
  for (int g = blockIdx.x; g < segments; g += gridDim.x) {
    for (int i = t; i < len; i += 128) v += x[(size_t)g * len + i];
    s[t] = v;
    __syncthreads();
    for (int d = 64; d > 0; d >>= 1) {
      if (t < d) s[t] += s[t + d];
      __syncthreads();
    }
    if (t == 0) out[g] = s[0];
    __syncthreads();
  }
}

void run_acc_not_reset(float* out, const float* x, int segments, int len) {
  acc_not_reset<<<4, 128>>>(out, x, segments, len);
}
