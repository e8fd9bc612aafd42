// Templates, half, long long and other odds and ends with a fault.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// Sum per block of BLOCK elements. WRONG: the grid-stride step is the grid only, not grid * BLOCK.
template <typename T, int BLOCK>
__global__ void tmpl_sum_grid_step(const T* in, T* out, int n) {
  __shared__ T s[BLOCK];
  int t = threadIdx.x;
  T v = T(0);
  for (int i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x) v += in[i];
  s[t] = v;
  __syncthreads();
  for (int d = BLOCK / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

template __global__ void tmpl_sum_grid_step<float, 256>(const float*, float*, int);
template __global__ void tmpl_sum_grid_step<int, 128>(const int*, int*, int);

// Maximum of half values per block of 256. WRONG: elements past n count as 0.
__global__ void half_max_pad_zero(const __half* x, float* out, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? __half2float(x[i]) : 0.f;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + d]);
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

void run_half_max_pad_zero(const __half* x, float* out, int n) {
  half_max_pad_zero<<<(n + 255) / 256, 256>>>(x, out, n);
}

// Sum of long long values per block. WRONG: the tree keeps only 32 bits (int shared memory).
__global__ void long_sum_int_shared(long long* out, const long long* in, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  s[t] = i < n ? (int)in[i] : 0;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

void run_long_sum_int_shared(long long* out, const long long* in, int n) {
  long_sum_int_shared<<<(n + 127) / 128, 128>>>(out, in, n);
}

// Sum of floats (caller zeroes *sum). WRONG: the accumulator is an int, fractions are lost.
__global__ void float_sum_int_acc(int n, const float* x, float* sum) {
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, (float)v);
}

// Sum of float4 elements (caller zeroes *out). WRONG: adds z twice and never w.
__global__ void float4_z_twice(const float4* x, int n4, float* out) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    float4 q = x[i];
    v += q.x + q.y + q.z + q.z;
  }
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

void run_float4_z_twice(const float4* x, int n4, float* out) {
  float4_z_twice<<<40, 256>>>(x, n4, out);
}

// *ok = 1 if all elements are positive. WRONG: the last write decides, no logical and.
template <typename T>
__global__ void tmpl_all_positive(const T* x, int n, int* ok) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) *ok = x[i] > T(0);
}

template __global__ void tmpl_all_positive<double>(const double*, int, int*);
