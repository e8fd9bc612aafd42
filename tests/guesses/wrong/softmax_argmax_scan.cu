// Faults in softmax, arg-extrema and scans.
#include <cuda_runtime.h>
#include <float.h>
#include <limits.h>

// Softmax of each row, one block of 128 per row. Wrong for large values: no maximum subtracted.
__global__ void softmax_naive(const float* x, float* y, int cols) {
  __shared__ float s[128];
  const float* p = x + (size_t)blockIdx.x * cols;
  float v = 0.f;
  for (int c = threadIdx.x; c < cols; c += 128) v += expf(p[c]);
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < cols; c += 128)
    y[(size_t)blockIdx.x * cols + c] = expf(p[c]) / s[0];
}

void run_softmax_naive(const float* x, float* y, int rows, int cols) {
  softmax_naive<<<rows, 128>>>(x, y, cols);
}

// Softmax of each row, one warp per row. Wrong: each lane divides by its own sum.
__global__ void softmax_lane_sum(float* y, const float* x, int rows, int cols) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (r >= rows) return;
  const float* p = x + (size_t)r * cols;
  float m = -FLT_MAX;
  for (int c = lane; c < cols; c += 32) m = fmaxf(m, p[c]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  float v = 0.f;
  for (int c = lane; c < cols; c += 32) v += expf(p[c] - m);
  for (int c = lane; c < cols; c += 32) y[(size_t)r * cols + c] = expf(p[c] - m) / v;
}

// Index of the maximum of n values, one block of 256. Wrong: gives the thread, not the element.
__global__ void argmax_thread_number(const float* x, int n, int* where) {
  __shared__ float sv[256];
  __shared__ int si[256];
  int t = threadIdx.x;
  float v = -FLT_MAX;
  for (int i = t; i < n; i += 256) v = fmaxf(v, x[i]);
  sv[t] = v;
  si[t] = t;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t < h && sv[t + h] > sv[t]) {
      sv[t] = sv[t + h];
      si[t] = si[t + h];
    }
    __syncthreads();
  }
  if (t == 0) *where = si[0];
}

// Value and index of the minimum per block of 128. Wrong: the tree moves values, not indices.
__global__ void argmin_index_stays(const int* v, int n, int* lowest, int* index) {
  __shared__ int sv[128], si[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  sv[t] = i < n ? v[i] : INT_MAX;
  si[t] = i;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (t < h && sv[t + h] < sv[t]) sv[t] = sv[t + h];
    __syncthreads();
  }
  if (t == 0) {
    lowest[blockIdx.x] = sv[0];
    index[blockIdx.x] = si[0];
  }
}

void run_argmin_index_stays(const int* v, int n, int* lowest, int* index) {
  argmin_index_stays<<<(n + 127) / 128, 128>>>(v, n, lowest, index);
}

// Inclusive scan of n values. Wrong: every block scans its 256 elements alone, no carry.
__global__ void scan_no_carry(const int* in, int* out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d <<= 1) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
}

void run_scan_no_carry(const int* in, int* out, int n) {
  scan_no_carry<<<(n + 255) / 256, 256>>>(in, out, n);
}

// Inclusive scan per block of 128. Wrong: reads and writes s in the same step without a barrier.
__global__ void scan_racing(float* out, const float* in, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  s[t] = i < n ? in[i] : 0.f;
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  if (i < n) out[i] = s[t];
}

// Inclusive scan by one block, chunks of 256. Wrong: the carry is replaced, not added to.
__global__ void scan_carry_replaced(int n, const int* in, int* out) {
  __shared__ int s[256];
  int t = threadIdx.x;
  int carry = 0;
  for (int base = 0; base < n; base += 256) {
    int i = base + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
      int v = t >= d ? s[t - d] : 0;
      __syncthreads();
      s[t] += v;
      __syncthreads();
    }
    if (i < n) out[i] = carry + s[t];
    carry = s[255];
    __syncthreads();
  }
}

void run_scan_carry_replaced(int n, const int* in, int* out) {
  scan_carry_replaced<<<1, 256>>>(n, in, out);
}
