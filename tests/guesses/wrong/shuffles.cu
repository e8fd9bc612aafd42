// Wrong shuffle masks, missing lanes, wrong offsets.
#include <cuda_runtime.h>

// Sum of each warp's 32 elements. WRONG: starts at offset 8, so half of the lanes are lost.
__global__ void shuffle_starts_at_8(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = 8; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = v;
}

void run_shuffle_starts_at_8(const float* x, float* out, int n) {
  shuffle_starts_at_8<<<(n + 255) / 256, 256>>>(x, out, n);
}

// Sum of x (caller zeroes *out). WRONG: the loop stops at offset 2, odd lanes are lost.
__global__ void shuffle_stops_at_2(int n, const int* x, int* out) {
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int o = 16; o > 1; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

void run_shuffle_stops_at_2(int n, const int* x, int* out) {
  shuffle_stops_at_2<<<16, 128>>>(n, x, out);
}

// Sum of each warp. WRONG: mask 0xffff names only 16 lanes, but all 32 lanes take part.
__global__ void half_mask(double* out, const double* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = i < n ? x[i] : 0.0;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0x0000ffffu, v, o);
  if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = v;
}

// Sum of x (caller zeroes *sum). WRONG: full-mask shuffle inside if (i < n), lanes past n missing.
__global__ void shuffle_in_guard(const float* x, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if ((threadIdx.x & 31) == 0) atomicAdd(sum, v);
  }
}

void run_shuffle_in_guard(const float* x, float* sum, int n) {
  shuffle_in_guard<<<(n + 127) / 128, 128>>>(x, sum, n);
}

// Sum per block of 256. WRONG: width 16 in the shuffle, the upper half of each warp is lost.
__global__ void shuffle_width_16(float* out, const float* x, int n) {
  __shared__ float part[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = 8; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o, 16);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0.f;
    for (int k = 0; k < 8; ++k) s += part[k];
    out[blockIdx.x] = s;
  }
}

void run_shuffle_width_16(float* out, const float* x, int n) {
  shuffle_width_16<<<(n + 255) / 256, 256>>>(out, x, n);
}

// Sum per warp, stored by lane 31. WRONG: shuffle down leaves the total in lane 0, not lane 31.
__global__ void result_in_wrong_lane(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 31 && i - 31 < n) out[i / 32] = v;
}

// Softmax of each row by a warp. WRONG: shuffle down, so only lane 0 knows the sum it divides by.
__global__ void softmax_down_no_broadcast(const float* in, float* out, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* x = in + (size_t)row * cols;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, x[c]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  float s = 0.f;
  for (int c = threadIdx.x; c < cols; c += 32) s += expf(x[c] - m);
  for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
  for (int c = threadIdx.x; c < cols; c += 32) out[(size_t)row * cols + c] = expf(x[c] - m) / s;
}

void run_softmax_down_no_broadcast(const float* in, float* out, int rows, int cols) {
  dim3 block(32, 4);
  softmax_down_no_broadcast<<<(rows + 3) / 4, block>>>(in, out, rows, cols);
}
