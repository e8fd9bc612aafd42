// Wrong masks, missing lanes and wrong distances in shuffles.
#include <cuda_runtime.h>

#define ALL 0xffffffffu

// One sum per warp. Wrong: the shuffles start at 8, so lanes 16 to 31 are lost.
__global__ void start_at_8(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.f;
  for (int o = 8; o > 0; o >>= 1) v += __shfl_down_sync(ALL, v, o);
  if ((threadIdx.x & 31) == 0 && i < n) out[i / 32] = v;
}

// One sum per warp. Wrong: the loop ends before distance 1, so odd lanes are lost.
__global__ void stop_before_1(int* out, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (int o = 16; o > 1; o /= 2) v += __shfl_down_sync(ALL, v, o);
  if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = v;
}

// Total into *sum (zeroed by the caller). Wrong: the mask names 16 lanes, all 32 take part.
__global__ void half_mask(const float* x, float* sum, int n) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0x0000ffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, v);
}

void run_half_mask(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  half_mask<<<64, 256>>>(x, sum, n);
}

// Partial sums per block of 256. Wrong: distances 2 and 1 only, four of eight warps' sums are lost.
__global__ void last_shuffle_short(const double* in, double* part, int n) {
  __shared__ double w[8];
  int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
  double v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) v += in[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(ALL, v, o);
  if (lane == 0) w[wid] = v;
  __syncthreads();
  if (wid == 0) {
    v = lane < 8 ? w[lane] : 0.0;
    for (int o = 2; o > 0; o >>= 1) v += __shfl_down_sync(ALL, v, o);
    if (lane == 0) part[blockIdx.x] = v;
  }
}

// Total into *out (zeroed by the caller). Wrong: lane 31 adds, but the sum is in lane 0.
__global__ void wrong_lane_writes(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(ALL, v, o);
  if (threadIdx.x % 32 == 31) atomicAdd(out, v);
}

// Row sums, one warp per row. Wrong: width 16 in the shuffles leaves out the upper half warp.
__global__ void width_16(const float* m, float* sums, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v = 0.f;
  for (int c = lane; c < cols; c += 32) v += m[(size_t)row * cols + c];
  for (int o = 8; o > 0; o >>= 1) v += __shfl_down_sync(ALL, v, o, 16);
  if (lane == 0) sums[row] = v;
}

void run_width_16(const float* m, float* sums, int rows, int cols) {
  width_16<<<(rows + 3) / 4, 128>>>(m, sums, rows, cols);
}

// Maximum per warp. Wrong: each lane exchanges with distance 16 five times, the mask never moves.
__global__ void xor_constant(const int* v, int* warp_max, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int m = i < n ? v[i] : -2147483647 - 1;
  for (int k = 0; k < 5; ++k) m = max(m, __shfl_xor_sync(ALL, m, 16));
  if (threadIdx.x % 32 == 0 && i < n) warp_max[i / 32] = m;
}
