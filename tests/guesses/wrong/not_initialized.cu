// Shared memory and accumulators that are never initialized.
#include <cuda_runtime.h>

// Partial sums per block of 256. Wrong: places of threads past n are not set.
__global__ void tail_not_set(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  if (i < n) s[t] = in[i];
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// Block sums by shared atomics. Wrong: the shared total is never set to zero.
__global__ void shared_total_not_set(const int* in, int* out, int n) {
  __shared__ int total;
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v += in[i];
  atomicAdd(&total, v);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

void run_shared_total_not_set(const int* in, int* out, int n) {
  shared_total_not_set<<<32, 256>>>(in, out, n);
}

// Sum by one block of 128. Wrong: s[] is added to without a first value.
__global__ void add_into_unset(double* out, const double* x, int n) {
  __shared__ double s[128];
  for (int i = threadIdx.x; i < n; i += 128) s[threadIdx.x] += x[i];
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}

void run_add_into_unset(double* out, const double* x, int n) {
  add_into_unset<<<1, 128>>>(out, x, n);
}

// Sum per block of 256 by warps. Wrong: warp 0 reads 32 warp sums, only eight were written.
__global__ void reads_32_of_8(const float* x, float* part, int n) {
  __shared__ float w[32];
  int lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) w[wid] = v;
  __syncthreads();
  if (wid == 0) {
    v = w[lane];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) part[blockIdx.x] = v;
  }
}

// Dot product by one block of 256. Wrong: only the lower half of the accumulators is cleared.
__global__ void half_cleared(int n, const float* a, const float* b, float* dot) {
  __shared__ float acc[256];
  int t = threadIdx.x;
  if (t < 128) acc[t] = 0.f;
  for (int i = t; i < n; i += 256) acc[t] += a[i] * b[i];
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t < h) acc[t] += acc[t + h];
    __syncthreads();
  }
  if (t == 0) *dot = acc[0];
}

// Row sums, one warp per row, several rows per warp. Wrong: v is not reset between rows.
__global__ void accumulator_kept(const float* m, float* sums, int rows, int cols) {
  int lane = threadIdx.x % 32;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int warps = gridDim.x * blockDim.x / 32;
  float v = 0.f;
  for (int r = warp; r < rows; r += warps) {
    for (int c = lane; c < cols; c += 32) v += m[(size_t)r * cols + c];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    if (lane == 0) sums[r] = v;
  }
}

void run_accumulator_kept(const float* m, float* sums, int rows, int cols) {
  accumulator_kept<<<2, 128>>>(m, sums, rows, cols);
}

// Maximum per block of 128. Wrong: m has no value before the loop's first comparison.
__global__ void max_unset(const int* x, int n, int* block_max) {
  __shared__ int s[128];
  int t = threadIdx.x;
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) s[t] = max(s[t], x[i]);
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (t < h) s[t] = max(s[t], s[t + h]);
    __syncthreads();
  }
  if (t == 0) block_max[blockIdx.x] = s[0];
}
