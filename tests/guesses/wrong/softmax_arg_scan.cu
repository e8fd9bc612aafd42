// Softmax, norms, arg-extrema, scans and dot products with a fault.
#include <cuda_runtime.h>

// Softmax of each row, one warp per row. WRONG: maximum not subtracted, overflows for large values.
__global__ void softmax_no_max(const float* in, float* out, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float s = 0.f;
  for (int c = lane; c < cols; c += 32) s += expf(in[(size_t)row * cols + c]);
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  for (int c = lane; c < cols; c += 32) {
    out[(size_t)row * cols + c] = expf(in[(size_t)row * cols + c]) / s;
  }
}

void run_softmax_no_max(const float* in, float* out, int rows, int cols) {
  softmax_no_max<<<(rows + 7) / 8, 256>>>(in, out, rows, cols);
}

// Softmax of each row, one block of 128. WRONG: sum of exp(x), but numerator exp(x - max).
__global__ void softmax_mixed(float* out, const float* in, int cols) {
  __shared__ float s[128];
  int t = threadIdx.x;
  const float* x = in + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = t; c < cols; c += 128) m = fmaxf(m, x[c]);
  s[t] = m;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();
  float v = 0.f;
  for (int c = t; c < cols; c += 128) v += expf(x[c]);
  s[t] = v;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  v = s[0];
  for (int c = t; c < cols; c += 128) out[(size_t)blockIdx.x * cols + c] = expf(x[c] - m) / v;
}

void run_softmax_mixed(float* out, const float* in, int rows, int cols) {
  softmax_mixed<<<rows, 128>>>(out, in, cols);
}

// RMSNorm of each row, one warp per row. WRONG: the sum of squares is not divided by dim.
__global__ void rms_no_mean(const float* x, const float* w, float* y, int rows, int dim) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float q = 0.f;
  for (int i = threadIdx.x; i < dim; i += 32) {
    float v = x[(size_t)row * dim + i];
    q += v * v;
  }
  for (int o = 16; o > 0; o >>= 1) q += __shfl_xor_sync(0xffffffffu, q, o);
  float r = rsqrtf(q + 1e-6f);
  for (int i = threadIdx.x; i < dim; i += 32) {
    y[(size_t)row * dim + i] = x[(size_t)row * dim + i] * r * w[i];
  }
}

// Index of the maximum by one block. WRONG: the tree moves the value but not the index.
__global__ void argmax_index_stays(const float* x, int n, int* index) {
  __shared__ float sv[256];
  __shared__ int si[256];
  int t = threadIdx.x;
  float best = -INFINITY;
  int at = 0;
  for (int i = t; i < n; i += 256) {
    if (x[i] > best) {
      best = x[i];
      at = i;
    }
  }
  sv[t] = best;
  si[t] = at;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d && sv[t + d] > sv[t]) sv[t] = sv[t + d];
    __syncthreads();
  }
  if (t == 0) *index = si[0];
}

void run_argmax_index_stays(const float* x, int n, int* index) {
  argmax_index_stays<<<1, 256>>>(x, n, index);
}

// Index of each row's minimum, one warp per row. WRONG: stores row * cols + column, not the column.
__global__ void argmin_flat_index(int* where, const float* m, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float best = INFINITY;
  int at = 2147483647;
  for (int c = lane; c < cols; c += 32) {
    float v = m[row * cols + c];
    if (v < best) {
      best = v;
      at = row * cols + c;
    }
  }
  for (int o = 16; o > 0; o >>= 1) {
    float v = __shfl_xor_sync(0xffffffffu, best, o);
    int k = __shfl_xor_sync(0xffffffffu, at, o);
    if (v < best || (v == best && k < at)) {
      best = v;
      at = k;
    }
  }
  if (lane == 0) where[row] = at;
}

// Inclusive scan of n ints over all blocks. WRONG: the sums of the earlier blocks are never added.
__global__ void scan_without_carry(const int* in, int* out, int n) {
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

void run_scan_without_carry(const int* in, int* out, int n) {
  scan_without_carry<<<(n + 255) / 256, 256>>>(in, out, n);
}

// Inclusive scan by one block, tile by tile. WRONG: carry is overwritten by the tile's sum alone.
__global__ void scan_carry_overwritten(int* data, int n) {
  __shared__ int s[128];
  __shared__ int carry;
  int t = threadIdx.x;
  if (t == 0) carry = 0;
  __syncthreads();
  for (int base = 0; base < n; base += 128) {
    int i = base + t;
    s[t] = i < n ? data[i] : 0;
    __syncthreads();
    for (int d = 1; d < 128; d <<= 1) {
      int v = t >= d ? s[t - d] : 0;
      __syncthreads();
      s[t] += v;
      __syncthreads();
    }
    if (i < n) data[i] = carry + s[t];
    __syncthreads();
    if (t == 0) carry = s[127];
    __syncthreads();
  }
}

void run_scan_carry_overwritten(int* data, int n) {
  scan_carry_overwritten<<<1, 128>>>(data, n);
}

// Dot product of a and b (caller zeroes *out). WRONG: multiplies a by itself.
__global__ void dot_a_with_a(const float* a, const float* b, int n, float* out) {
  float v = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    v += a[i] * a[i];
  }
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}
