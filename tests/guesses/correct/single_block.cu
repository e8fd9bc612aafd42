// Kernels for a single block or a fixed number of blocks.
#include <cuda_runtime.h>

constexpr int kThreads = 512;
#define NBLOCKS 64

// Sum of x by one block of 512 threads.
__global__ void single_block_sum(const float* x, int n, float* y) {
  __shared__ float s[kThreads];
  float acc = 0.f;
  for (int i = threadIdx.x; i < n; i += kThreads) acc += x[i];
  s[threadIdx.x] = acc;
  __syncthreads();
  for (int d = kThreads / 2; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[0] = s[0];
}

void run_single_block_sum(const float* x, int n, float* y) {
  single_block_sum<<<1, kThreads>>>(x, n, y);
}

// Stage 1 of a sum: exactly 64 blocks of 256 threads write 64 partial sums.
__global__ void stage1_sum(double* part, const double* x, int n) {
  __shared__ double s[256];
  double acc = 0.0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += NBLOCKS * 256) acc += x[i];
  s[threadIdx.x] = acc;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) part[blockIdx.x] = s[0];
}

// Stage 2 of a sum: one block of 64 threads adds the 64 partial sums.
__global__ void stage2_sum(double* out, const double* part) {
  __shared__ double s[NBLOCKS];
  s[threadIdx.x] = part[threadIdx.x];
  __syncthreads();
  for (int d = NBLOCKS / 2; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}

void run_two_stage_sum(const double* x, int n, double* part, double* out) {
  stage1_sum<<<NBLOCKS, 256>>>(part, x, n);
  stage2_sum<<<1, NBLOCKS>>>(out, part);
}

// Sum of n ints by a single thread, for reference.
__global__ void serial_sum(const int* x, int n, long long* out) {
  long long s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  *out = s;
}

void run_serial_sum(const int* x, int n, long long* out) {
  serial_sum<<<1, 1>>>(x, n, out);
}

// Sum by eight blocks: each handles one contiguous eighth and adds atomically (*out zeroed).
__global__ void eight_chunks_sum(const float* x, float* out, int n) {
  int chunk = (n + 7) / 8;
  int begin = blockIdx.x * chunk;
  int end = min(begin + chunk, n);
  float v = 0.f;
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

void run_eight_chunks_sum(const float* x, float* out, int n) {
  cudaMemset(out, 0, sizeof(float));
  eight_chunks_sum<<<8, 256>>>(x, out, n);
}

// Combines count block maxima with one block of 128 threads; -INFINITY for count = 0.
__global__ void combine_maxima(const float* block_max, int count, float* result) {
  __shared__ float m[4];
  float v = -INFINITY;
  for (int i = threadIdx.x; i < count; i += blockDim.x) v = fmaxf(v, block_max[i]);
  for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  if (threadIdx.x % 32 == 0) m[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) *result = fmaxf(fmaxf(m[0], m[1]), fmaxf(m[2], m[3]));
}

void run_combine_maxima(const float* block_max, int count, float* result) {
  dim3 one(1, 1, 1), block(128, 1, 1);
  combine_maxima<<<one, block>>>(block_max, count, result);
}

// Sum of at most blockDim.x values by one block whose size is a power of two of at least n.
__global__ void small_sum(float* dst, const float* src, int n) {
  extern __shared__ float tmp[];
  tmp[threadIdx.x] = threadIdx.x < n ? src[threadIdx.x] : 0.0f;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) tmp[threadIdx.x] += tmp[threadIdx.x + half];
  }
  if (threadIdx.x == 0) dst[0] = tmp[0];
}

void run_small_sum(float* dst, const float* src, int n) {
  int threads = 1;
  while (threads < n) threads *= 2;
  if (threads > 1024) return;
  small_sum<<<1, threads, threads * sizeof(float)>>>(dst, src, n);
}
