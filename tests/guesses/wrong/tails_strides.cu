// Lost tails and wrong strides.
#include <cuda_runtime.h>

// Sum of x by float4 loads (caller zeroes *out). WRONG: the last n % 4 elements are lost.
__global__ void float4_no_tail(const float4* x, float* out, int n) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    float4 q = x[i];
    v += q.x + q.y + q.z + q.w;
  }
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

void run_float4_no_tail(const float* x, float* out, int n) {
  float4_no_tail<<<32, 256>>>(reinterpret_cast<const float4*>(x), out, n);
}

// Sum of x in contiguous chunks (*out zeroed). WRONG: chunk = n / threads loses the rest.
__global__ void chunk_rounds_down(double* out, const double* x, int n) {
  int threads = gridDim.x * blockDim.x;
  int chunk = n / threads;
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  double v = 0.0;
  for (int k = 0; k < chunk; ++k) v += x[first + k];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

void run_chunk_rounds_down(double* out, const double* x, int n) {
  chunk_rounds_down<<<4, 128>>>(out, x, n);
}

// Sum of x (caller zeroes *sum). WRONG: stride blockDim.x, so blocks add each other's elements.
__global__ void stride_block_only(const float* x, float* sum, int n) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, v);
}

void run_stride_block_only(const float* x, float* sum, int n) {
  int blocks = (n + 255) / 256;
  stride_block_only<<<blocks, 256>>>(x, sum, n);
}

// Sum per block over a grid-stride loop. WRONG: stride is twice the grid, half of x is lost.
__global__ void stride_double(int n, const int* x, int* out) {
  __shared__ int s[256];
  int v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 2 * 256 * gridDim.x) v += x[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

void run_stride_double(int n, const int* x, int* out) {
  stride_double<<<2, 256>>>(n, x, out);
}

// Sum of 2 * blockDim.x elements per block. WRONG: blocks start at blockDim.x steps and overlap.
__global__ void first_add_overlap(const float* in, float* out, unsigned n) {
  extern __shared__ float sd[];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + t;
  float v = i < n ? in[i] : 0.f;
  if (i + blockDim.x < n) v += in[i + blockDim.x];
  sd[t] = v;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) sd[t] += sd[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sd[0];
}

void run_first_add_overlap(const float* in, float* out, unsigned n) {
  first_add_overlap<<<(n + 511) / 512, 256, 256 * sizeof(float)>>>(in, out, n);
}

// Sum of four items per thread and block. WRONG: the item stride 32 repeats and skips elements.
__global__ void items_wrong_stride(float* out, const float* in, int n) {
  __shared__ float s[128];
  int base = blockIdx.x * 512 + threadIdx.x;
  float v = 0.f;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    int i = base + k * 32;
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

// Matrix-vector product, one warp per row. WRONG: lanes step by 31 instead of 32 along the row.
__global__ void row_dot_stride_31(const float* a, const float* b, float* out, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v = 0.f;
  for (int c = lane; c < cols; c += 31) v += a[(size_t)row * cols + c] * b[c];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (lane == 0) out[row] = v;
}
