// Lost tails and wrong strides.
#include <cuda_runtime.h>

#define T 256

__device__ float tree_of_256(float v) {
  __shared__ float s[T];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = T / 2; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  return s[0];
}

// Partial sums with float4 loads. Wrong: the last n % 4 elements are never read.
__global__ void float4_no_tail(const float4* in, float* out, int n) {
  float v = 0.f;
  for (int i = blockIdx.x * T + threadIdx.x; i < n / 4; i += gridDim.x * T) {
    float4 q = in[i];
    v += q.x + q.y + q.z + q.w;
  }
  v = tree_of_256(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

// Total into *sum (zeroed by the caller). Wrong: stride blockDim.x, so blocks repeat elements.
__global__ void stride_of_block(const float* x, int n, float* sum) {
  float v = 0.f;
  for (int i = blockIdx.x * T + threadIdx.x; i < n; i += blockDim.x) v += x[i];
  v = tree_of_256(v);
  if (threadIdx.x == 0) atomicAdd(sum, v);
}

void run_stride_of_block(const float* x, int n, float* sum) {
  cudaMemset(sum, 0, sizeof(float));
  stride_of_block<<<(n + T - 1) / T, T>>>(x, n, sum);
}

// Partial sums, grid-stride. Wrong: the stride is twice the grid, half of the elements are lost.
__global__ void stride_doubled(float* part, const float* x, int n) {
  float v = 0.f;
  for (int i = blockIdx.x * T + threadIdx.x; i < n; i += 2 * T * gridDim.x) v += x[i];
  v = tree_of_256(v);
  if (threadIdx.x == 0) part[blockIdx.x] = v;
}

void run_stride_doubled(float* part, const float* x, int n) {
  stride_doubled<<<2, T>>>(part, x, n);
}

// Two elements per thread, block b covers 512. Wrong: blocks start 256 apart and overlap.
__global__ void overlapping_blocks(const float* in, float* out, int n) {
  int i = blockIdx.x * T + threadIdx.x;
  float v = i < n ? in[i] : 0.f;
  if (i + T < n) v += in[i + T];
  v = tree_of_256(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

void run_overlapping_blocks(const float* in, float* out, int n) {
  overlapping_blocks<<<(n + 2 * T - 1) / (2 * T), T>>>(in, out, n);
}

// Sum of n values by one block. Wrong: every thread takes n / 256 elements, the rest is lost.
__global__ void equal_shares(const float* x, int n, float* total) {
  int share = n / T;
  float v = 0.f;
  for (int k = 0; k < share; ++k) v += x[threadIdx.x * share + k];
  v = tree_of_256(v);
  if (threadIdx.x == 0) *total = v;
}

// Four elements per thread. Wrong: all four are dropped if the last of them is past n.
__global__ void drop_partial_quad(const float* in, int n, float* out) {
  int i = (blockIdx.x * T + threadIdx.x) * 4;
  float v = 0.f;
  if (i + 3 < n) v = in[i] + in[i + 1] + in[i + 2] + in[i + 3];
  v = tree_of_256(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

// Dot product's partial sums. Wrong: b is read at the thread's number, not at the element's.
__global__ void dot_wrong_index(const float* a, const float* b, float* part, int n) {
  int i = blockIdx.x * T + threadIdx.x;
  float v = i < n ? a[i] * b[threadIdx.x] : 0.f;
  v = tree_of_256(v);
  if (threadIdx.x == 0) part[blockIdx.x] = v;
}
