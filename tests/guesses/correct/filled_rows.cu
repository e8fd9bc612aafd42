// Rows as long as a block, rows that are never short, constant sizes, and histograms.
#include <cuda_fp16.h>

template <int threads>
__device__ float block_sum(float x) {
  __shared__ float s[threads / 32];
  for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(0xffffffff, x, k);
  __syncthreads();
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = x;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < threads / 32; ++i) sum += s[i];
  return sum;
}

template <int threads>
__device__ float block_max(float x) {
  __shared__ float s[threads / 32];
  for (int k = 16; k > 0; k /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, k));
  __syncthreads();
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = x;
  __syncthreads();
  float largest = s[0];
  for (int i = 1; i < threads / 32; ++i) largest = fmaxf(largest, s[i]);
  return largest;
}

// One row per block, one column per thread: n is the number of all elements.
template <int threads>
__global__ void token_softmax(const float* x, float* y, int n) {
  int i = blockIdx.x * threads + threadIdx.x;
  float value = i < n ? x[i] : -INFINITY;
  float e = expf(value - block_max<threads>(value));
  float sum = block_sum<threads>(e);
  if (i < n) y[i] = e / sum;
}
template __global__ void token_softmax<128>(const float*, float*, int);

// The gain and the offset are numbers; K is the number of columns.
template <int threads>
__global__ void layer_norm_scalars(const float* x, float* y, float g, float b, int N, int K) {
  int i = blockIdx.x * threads + threadIdx.x;
  float value = i < N * K ? x[i] : 0;
  float mean = block_sum<threads>(value) / K;
  float variance = block_sum<threads>((value - mean) * (value - mean)) / K;
  if (i < N * K) y[i] = (value - mean) * rsqrtf(variance + 1e-5f) * g + b;
}
template __global__ void layer_norm_scalars<64>(const float*, float*, float, float, int, int);

// Threads without a column have no maximum, so that rows need at least 32 columns.
__global__ void warp_softmax(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  in += (long)row * columns, out += (long)row * columns;
  float largest = -INFINITY, sum = 0;
  for (int i = lane; i < columns; i += 32) {
    const float next = fmaxf(largest, in[i]);
    sum = sum * expf(largest - next) + expf(in[i] - next);
    largest = next;
  }
  for (int k = 16; k > 0; k /= 2) {
    const float other = __shfl_xor_sync(0xffffffff, largest, k), next = fmaxf(largest, other);
    sum = sum * expf(largest - next) + __shfl_xor_sync(0xffffffff, sum, k) * expf(other - next);
    largest = next;
  }
  for (int i = lane; i < columns; i += 32) out[i] = expf(in[i] - largest) / sum;
}

// A constant number of elements.
constexpr int elements = 3000;
__global__ void dot_constant(const float* a, const float* b, float* c) {
  __shared__ float s[256];
  float x = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < elements; i += gridDim.x * blockDim.x) x += a[i] * b[i];
  s[threadIdx.x] = x;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) c[blockIdx.x] = s[0];
}

__global__ void histogram_of_bytes(const unsigned char* data, long n, unsigned* histogram) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&histogram[i], s[i]);
}

__global__ void histogram_shared(const int* data, int* histogram, int n, int num_bins) {
  extern __shared__ int s_bins[];
  for (int i = threadIdx.x; i < num_bins; i += blockDim.x) s_bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s_bins[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < num_bins; i += blockDim.x) atomicAdd(&histogram[i], s_bins[i]);
}

__global__ void histogram_any(const int* a, int* histogram, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&histogram[a[i]], 1);
}
