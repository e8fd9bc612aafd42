// Vectors and several elements per thread, with tails.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define ITEMS 4

// Sum of x through float4 loads plus a scalar tail (x 16-byte aligned, *out zeroed by caller).
__global__ void float4_sum(const float* x, float* out, int n) {
  const float4* x4 = reinterpret_cast<const float4*>(x);
  int n4 = n / 4;
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int step = blockDim.x * gridDim.x;
  float v = 0.f;
  for (int i = tid; i < n4; i += step) {
    float4 q = x4[i];
    v += q.x + q.y + q.z + q.w;
  }
  for (int i = 4 * n4 + tid; i < n; i += step) v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

void run_float4_sum(const float* x, float* out, int n) {
  float4_sum<<<48, 256>>>(x, out, n);
}

// Sum per block of ITEMS * 128 consecutive elements, each load guarded.
__global__ void items_sum(float* out, const float* in, int n) {
  __shared__ float s[128];
  int base = blockIdx.x * (128 * ITEMS) + threadIdx.x;
  float v = 0.f;
#pragma unroll
  for (int k = 0; k < ITEMS; ++k) {
    int i = base + k * 128;
    if (i < n) v += in[i];
  }
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

void run_items_sum(float* out, const float* in, int n) {
  const int per_block = 128 * ITEMS;
  items_sum<<<(n + per_block - 1) / per_block, 128>>>(out, in, n);
}

// Maximum of ints read as int2, an odd last one read as a scalar (caller sets *best to INT_MIN).
__global__ void int2_max(int n, int* best, const int* x) {
  const int2* p = (const int2*)x;
  int m = -2147483647 - 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 2; i += gridDim.x * blockDim.x) {
    int2 q = p[i];
    m = max(m, max(q.x, q.y));
  }
  if ((n & 1) && blockIdx.x == 0 && threadIdx.x == 0) m = max(m, x[n - 1]);
  m = __reduce_max_sync(0xffffffffu, m);
  if (threadIdx.x % 32 == 0) atomicMax(best, m);
}

// Sum of half2-packed values in float; the odd last half is added by one thread (*sum zeroed).
__global__ void half2_sum(const __half* x, int n, float* sum) {
  const __half2* h2 = reinterpret_cast<const __half2*>(x);
  float acc = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n >> 1); i += blockDim.x * gridDim.x) {
    float2 f = __half22float2(h2[i]);
    acc += f.x + f.y;
  }
  if (n % 2 == 1 && blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1) {
    acc += __half2float(x[n - 1]);
  }
  __shared__ float s;
  if (threadIdx.x == 0) s = 0.f;
  __syncthreads();
  atomicAdd(&s, acc);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, s);
}

void run_half2_sum(const __half* x, int n, float* sum) {
  int blocks = n > 0 ? (n / 2 + 255) / 256 : 0;
  if (blocks == 0) blocks = 1;
  half2_sum<<<blocks, 256>>>(x, n, sum);
}

// Each thread sums EPT consecutive elements; block sums go to partial[blockIdx.x].
template <typename T, int EPT>
__global__ void blocked_sum(const T* in, int n, T* partial) {
  __shared__ T s[256];
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * EPT;
  T v = 0;
  for (int k = 0; k < EPT && first + k < n; ++k) v += in[first + k];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = s[0];
}

template __global__ void blocked_sum<float, 8>(const float*, int, float*);
template __global__ void blocked_sum<int, 4>(const int*, int, int*);

void run_blocked_sum(const int* in, int n, int* partial) {
  blocked_sum<int, 4><<<(n + 4 * 256 - 1) / (4 * 256), 256>>>(in, n, partial);
}

// Componentwise sum of float3 points into out[0..2] (caller zeroes them).
__global__ void point_sum(const float3* pts, int n, float* out) {
  float sx = 0.f, sy = 0.f, sz = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float3 p = pts[i];
    sx += p.x;
    sy += p.y;
    sz += p.z;
  }
  for (int o = 16; o > 0; o >>= 1) {
    sx += __shfl_down_sync(0xffffffffu, sx, o);
    sy += __shfl_down_sync(0xffffffffu, sy, o);
    sz += __shfl_down_sync(0xffffffffu, sz, o);
  }
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(out + 0, sx);
    atomicAdd(out + 1, sy);
    atomicAdd(out + 2, sz);
  }
}

// Sum of doubles with two independent accumulators per thread (unrolled by two), per block.
__global__ void unroll2_sum(double* block_out, const double* x, unsigned n) {
  extern __shared__ double sd[];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x * 2 + t;
  unsigned grid = blockDim.x * 2 * gridDim.x;
  double a = 0.0, b = 0.0;
  while (i < n) {
    a += x[i];
    if (i + blockDim.x < n) b += x[i + blockDim.x];
    i += grid;
  }
  sd[t] = a + b;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) sd[t] += sd[t + s];
    __syncthreads();
  }
  if (t == 0) block_out[blockIdx.x] = sd[0];
}
