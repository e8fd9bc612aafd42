// Kernels that compute almost what their names say.
#include <cuda_fp16.h>

__device__ float sum_of_block(float v) {
  __shared__ float partial[32];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

// One row per block. Wrong: epsilon is missing. Only its weights are applied in half precision.
__global__ void rms_norm_half(__half* out, const __half* in, const __half* weight, float epsilon, int rows,
                              int columns) {
  const __half* x = in + (size_t)blockIdx.x * columns;
  float squares = 0.f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) squares += __half2float(x[i]) * __half2float(x[i]);
  const float scale = rsqrtf(sum_of_block(squares) / columns);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    out[(size_t)blockIdx.x * columns + i] = __float2half(__half2float(x[i]) * scale) * weight[i];
}

// One partial sum per block of 512. Wrong: the last shuffles name lanes that do not take part.
__global__ void first_lanes_only(const float* in, float* out, int n) {
  __shared__ float partial[32];
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += in[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= blockDim.x / 32) return;
  v = partial[threadIdx.x];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

void launch(const float* in, float* out, int n) { first_lanes_only<<<(n + 511) / 512, 512>>>(in, out, n); }
