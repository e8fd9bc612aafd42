// Trees in shared memory.
#include <cuda_runtime.h>

#define TREE_BLOCK 256

// Sum of each block's 256 elements into partial[blockIdx.x]; a short last block is padded with 0.
__global__ void tree_sum_static(const float* in, float* partial, int n) {
  __shared__ float s[TREE_BLOCK];
  int t = threadIdx.x;
  int i = blockIdx.x * TREE_BLOCK + t;
  s[t] = (i < n) ? in[i] : 0.0f;
  __syncthreads();
  for (int d = TREE_BLOCK / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = s[0];
}

void run_tree_sum_static(const float* in, float* partial, int n) {
  tree_sum_static<<<(n + TREE_BLOCK - 1) / TREE_BLOCK, TREE_BLOCK>>>(in, partial, n);
}

// Sum of each block's 2 * blockDim.x elements into out[blockIdx.x] (blockDim.x a power of two).
template <typename T>
__global__ void tree_sum_first_add(T* out, const T* __restrict__ in, unsigned int n) {
  extern __shared__ unsigned char raw[];
  T* sdata = reinterpret_cast<T*>(raw);
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + tid;
  T v = T(0);
  if (i < n) v = in[i];
  if (i + blockDim.x < n) v += in[i + blockDim.x];
  sdata[tid] = v;
  __syncthreads();
  for (unsigned int s = blockDim.x >> 1; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

template __global__ void tree_sum_first_add<int>(int*, const int*, unsigned int);
template __global__ void tree_sum_first_add<double>(double*, const double*, unsigned int);

void run_tree_sum_first_add(double* out, const double* in, unsigned int n) {
  const unsigned int threads = 128;
  unsigned int blocks = (n + 2 * threads - 1) / (2 * threads);
  tree_sum_first_add<double><<<blocks, threads, threads * sizeof(double)>>>(out, in, n);
}

// Sum per block by interleaved addressing; any block size, one output per block.
__global__ void tree_sum_interleaved(int n, const int* values, int* block_sums) {
  extern __shared__ int cache[];
  int tid = threadIdx.x;
  int gid = blockIdx.x * blockDim.x + threadIdx.x;
  cache[tid] = gid < n ? values[gid] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (tid % (2 * step) == 0 && tid + step < blockDim.x) cache[tid] += cache[tid + step];
    __syncthreads();
  }
  if (tid == 0) block_sums[blockIdx.x] = cache[0];
}

// Maximum per block, tree with a rounded-up half so that any block size works.
__global__ void tree_max_any_block(const float* src, int count, float* dst) {
  __shared__ float buf[1024];
  const int t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  buf[t] = i < count ? src[i] : -INFINITY;
  __syncthreads();
  int active = blockDim.x;
  while (active > 1) {
    int half = (active + 1) / 2;
    if (t < active / 2) buf[t] = fmaxf(buf[t], buf[t + half]);
    __syncthreads();
    active = half;
  }
  if (t == 0) dst[blockIdx.x] = buf[0];
}

void run_tree_max_any_block(const float* src, int count, float* dst) {
  dim3 block(96);
  dim3 grid((count + block.x - 1) / block.x);
  tree_max_any_block<<<grid, block>>>(src, count, dst);
}

// Sum in gridDim.x parts: grid-stride loop, unrolled tree, last warp with __syncwarp.
template <int BLOCK>
__global__ void tree_sum_unrolled(const float* a, float* sums, int n) {
  __shared__ float sh[BLOCK];
  const int t = threadIdx.x;
  float acc = 0.0f;
  for (int i = blockIdx.x * BLOCK + t; i < n; i += BLOCK * gridDim.x) acc += a[i];
  sh[t] = acc;
  __syncthreads();
  if (BLOCK >= 512) {
    if (t < 256) sh[t] += sh[t + 256];
    __syncthreads();
  }
  if (BLOCK >= 256) {
    if (t < 128) sh[t] += sh[t + 128];
    __syncthreads();
  }
  if (BLOCK >= 128) {
    if (t < 64) sh[t] += sh[t + 64];
    __syncthreads();
  }
  if (t < 32) {
    float v = sh[t] + sh[t + 32];
    __syncwarp();
    for (int d = 16; d > 0; d >>= 1) {
      sh[t] = v;
      __syncwarp();
      if (t < d) v += sh[t + d];
      __syncwarp();
    }
    if (t == 0) sums[blockIdx.x] = v;
  }
}

template __global__ void tree_sum_unrolled<512>(const float*, float*, int);

void run_tree_sum_unrolled(const float* a, float* sums, int n) {
  tree_sum_unrolled<512><<<64, 512>>>(a, sums, n);
}

// Product of all elements of each block of 128 into prod[blockIdx.x].
__global__ void tree_product(double* prod, const double* x, int n) {
  __shared__ double p[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  p[threadIdx.x] = (i < n) ? x[i] : 1.0;
  for (int d = 64; d >= 1; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) p[threadIdx.x] *= p[threadIdx.x + d];
  }
  if (threadIdx.x == 0) prod[blockIdx.x] = p[0];
}

// Sum of all elements: grid-stride loop, tree, one atomicAdd per block (caller sets *total to 0).
__global__ void tree_sum_atomic(const double* x, double* total, long long n) {
  extern __shared__ double scratch[];
  const int tid = threadIdx.x;
  double local = 0.0;
  const long long stride = (long long)blockDim.x * gridDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + tid; i < n; i += stride) local += x[i];
  scratch[tid] = local;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (tid < d) scratch[tid] += scratch[tid + d];
    __syncthreads();
  }
  if (tid == 0) atomicAdd(total, scratch[0]);
}
