// Reductions with warp shuffles and blocks made of warps.
#include <cuda_runtime.h>

constexpr int kWarp = 32;
constexpr unsigned kFull = 0xffffffffu;

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = kWarp / 2; o > 0; o /= 2) v += __shfl_down_sync(kFull, v, o);
  return v;
}

template <typename T>
__device__ __forceinline__ T warp_all_sum(T v) {
  for (int m = 1; m < kWarp; m <<= 1) v += __shfl_xor_sync(kFull, v, m);
  return v;
}

// One sum per warp: out[w] = sum of in[32 w .. 32 w + 31], indices from n on count as zero.
__global__ void sum_per_warp(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.0f;
  v = warp_sum(v);
  if (threadIdx.x % kWarp == 0 && i < n) out[i / kWarp] = v;
}

// Partial sums per block of up to 1024 threads (a multiple of 32), grid-stride.
__global__ void block_of_warps_sum(const float* x, float* partial, size_t n) {
  __shared__ float warps[kWarp];
  int lane = threadIdx.x & 31;
  int wid = threadIdx.x >> 5;
  float v = 0;
  size_t step = (size_t)blockDim.x * gridDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) v += x[i];
  v = warp_sum(v);
  if (lane == 0) warps[wid] = v;
  __syncthreads();
  if (wid == 0) {
    v = lane < blockDim.x / kWarp ? warps[lane] : 0.f;
    v = warp_sum(v);
    if (lane == 0) partial[blockIdx.x] = v;
  }
}

void run_block_of_warps(const float* x, float* partial, size_t n, int blocks) {
  block_of_warps_sum<<<blocks, 512>>>(x, partial, n);
}

// Partial sums per block; every thread learns the block's sum by butterflies, thread 0 writes.
template <typename T>
__global__ void butterfly_sum(T* result, const T* data, int n) {
  __shared__ T part[32];
  T v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v += data[i];
  v = warp_all_sum(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  int warps = blockDim.x / 32;
  v = threadIdx.x % 32 < warps ? part[threadIdx.x % 32] : T(0);
  v = warp_all_sum(v);
  if (threadIdx.x == 0) result[blockIdx.x] = v;
}
template __global__ void butterfly_sum<double>(double*, const double*, int);
template __global__ void butterfly_sum<long long>(long long*, const long long*, int);

// Sum of each segment of 8 consecutive elements, eight lanes per segment.
__global__ void sum_groups_of_8(const int* in, int* out, int groups) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int g = i / 8;
  int v = g < groups ? in[i] : 0;
  v += __shfl_down_sync(kFull, v, 4, 8);
  v += __shfl_down_sync(kFull, v, 2, 8);
  v += __shfl_down_sync(kFull, v, 1, 8);
  if (g < groups && i % 8 == 0) out[g] = v;
}

// Block sums of unsigned values with the warp-reduce instruction; blockDim.x a multiple of 32.
__global__ void hw_reduce_add(const unsigned* v, unsigned n, unsigned* block_sums) {
  __shared__ unsigned total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = __reduce_add_sync(kFull, i < n ? v[i] : 0u);
  if ((threadIdx.x & 31) == 0) atomicAdd(&total, s);
  __syncthreads();
  if (threadIdx.x == 0) block_sums[blockIdx.x] = total;
}

// Total sum of in into *out by one warp (launch <<<1, 32>>>).
__global__ void single_warp_sum(float* out, const float* in, int n) {
  float acc = 0.f;
  for (int i = threadIdx.x; i < n; i += 32) acc += in[i];
  for (int o = 16; o; o >>= 1) acc += __shfl_xor_sync(kFull, acc, o);
  if (threadIdx.x == 0) *out = acc;
}

void run_single_warp(float* out, const float* in, int n) { single_warp_sum<<<1, 32>>>(out, in, n); }

// Partial sums per block of 8 warps as a 2-D block (32, 8): lane in x, warp in y.
__global__ void warps_in_y(const float* a, float* sums, int n) {
  __shared__ float w[8];
  int t = threadIdx.y * 32 + threadIdx.x;
  int i = blockIdx.x * 256 + t;
  float v = warp_sum(i < n ? a[i] : 0.f);
  if (threadIdx.x == 0) w[threadIdx.y] = v;
  __syncthreads();
  if (t == 0) {
    float s = 0.f;
    for (int k = 0; k < 8; ++k) s += w[k];
    sums[blockIdx.x] = s;
  }
}

void run_warps_in_y(const float* a, float* sums, int n) {
  dim3 block(32, 8);
  warps_in_y<<<(n + 255) / 256, block>>>(a, sums, n);
}
