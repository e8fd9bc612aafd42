// Vector loads and several elements per thread, with their tails.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define FULL 0xffffffffu

template <int WARPS>
__device__ float block_sum(float v) {
  __shared__ float w[WARPS];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(FULL, v, o);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  float s = 0.f;
  if (threadIdx.x == 0)
    for (int i = 0; i < WARPS; ++i) s += w[i];
  return s;
}

// Partial sums per block of 256; float4 loads (in aligned to 16 bytes), the tail element-wise.
__global__ void sum_float4(const float* in, float* partial, int n) {
  const float4* in4 = reinterpret_cast<const float4*>(in);
  int n4 = n / 4;
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int step = gridDim.x * blockDim.x;
  float v = 0.f;
  for (int i = tid; i < n4; i += step) {
    float4 q = in4[i];
    v += (q.x + q.y) + (q.z + q.w);
  }
  for (int i = n4 * 4 + tid; i < n; i += step) v += in[i];
  float s = block_sum<8>(v);
  if (threadIdx.x == 0) partial[blockIdx.x] = s;
}

void run_sum_float4(const float* in, float* partial, int n) {
  int blocks = (n + 1023) / 1024;
  sum_float4<<<blocks, 256>>>(in, partial, n);
}

// Total into *out (zeroed by the caller), int2 loads, an odd last element taken by one thread.
__global__ void sum_int2(int* out, const int2* pairs, int n) {
  int v = 0;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = i; k < n / 2; k += gridDim.x * blockDim.x) v += pairs[k].x + pairs[k].y;
  if (i == 0 && (n & 1)) v += reinterpret_cast<const int*>(pairs)[n - 1];
  v = __reduce_add_sync(FULL, v);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

// Partial sums, ITEMS strided elements per thread: block b covers 128 * ITEMS elements.
template <int ITEMS>
__global__ void sum_items(const float* x, int n, float* y) {
  int base = blockIdx.x * 128 * ITEMS + threadIdx.x;
  float v = 0.f;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    int i = base + k * 128;
    if (i < n) v += x[i];
  }
  float s = block_sum<4>(v);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
template __global__ void sum_items<4>(const float*, int, float*);
template __global__ void sum_items<8>(const float*, int, float*);

void run_items(const float* x, int n, float* y) {
  sum_items<8><<<(n + 1023) / 1024, 128>>>(x, n, y);
}

// Sum of halves in float, __half2 loads and an odd tail; partial sums per block of 256.
__global__ void sum_half2(const __half* h, float* partial, int n) {
  const __half2* h2 = reinterpret_cast<const __half2*>(h);
  float v = 0.f;
  int first = blockIdx.x * 256 + threadIdx.x;
  for (int i = first; i < n / 2; i += 256 * gridDim.x) {
    float2 f = __half22float2(h2[i]);
    v += f.x + f.y;
  }
  if (n % 2 == 1 && first == 0) v += __half2float(h[n - 1]);
  float s = block_sum<8>(v);
  if (threadIdx.x == 0) partial[blockIdx.x] = s;
}

// Partial sums, 4 consecutive elements per thread, block of 64: block b covers 256 elements.
__global__ void sum_consecutive4(long long* out, const long long* in, int n) {
  __shared__ long long s[64];
  int i0 = (blockIdx.x * 64 + threadIdx.x) * 4;
  long long v = 0;
  for (int k = 0; k < 4; k++)
    if (i0 + k < n) v += in[i0 + k];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 32; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// Component-wise sums of float4 points into out[0..3] (zeroed by the caller).
__global__ void centroid_sum(const float4* pts, int n, float* out) {
  float4 a = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 p = pts[i];
    a.x += p.x;
    a.y += p.y;
    a.z += p.z;
    a.w += p.w;
  }
  for (int o = 16; o > 0; o >>= 1) {
    a.x += __shfl_down_sync(FULL, a.x, o);
    a.y += __shfl_down_sync(FULL, a.y, o);
    a.z += __shfl_down_sync(FULL, a.z, o);
    a.w += __shfl_down_sync(FULL, a.w, o);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(out + 0, a.x);
    atomicAdd(out + 1, a.y);
    atomicAdd(out + 2, a.z);
    atomicAdd(out + 3, a.w);
  }
}

void run_centroid(const float4* pts, int n, float* out) {
  cudaMemset(out, 0, 4 * sizeof(float));
  centroid_sum<<<64, 256>>>(pts, n, out);
}

// Maximum of absolute values per block, four independent accumulators and a tail loop.
__global__ void absmax_unroll4(const double* x, double* m, int n) {
  __shared__ double s[256];
  int step = gridDim.x * 256;
  double a = 0, b = 0, c = 0, d = 0;
  int i = blockIdx.x * 256 + threadIdx.x;
  for (; i + 3 * step < n; i += 4 * step) {
    a = fmax(a, fabs(x[i]));
    b = fmax(b, fabs(x[i + step]));
    c = fmax(c, fabs(x[i + 2 * step]));
    d = fmax(d, fabs(x[i + 3 * step]));
  }
  for (; i < n; i += step) a = fmax(a, fabs(x[i]));
  s[threadIdx.x] = fmax(fmax(a, b), fmax(c, d));
  __syncthreads();
  for (int h = 128; h; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] = fmax(s[threadIdx.x], s[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0) m[blockIdx.x] = s[0];
}
