// Minimum, maximum, arg-extrema.
#include <climits>
#include <cuda_runtime.h>

// Minimum of each block of 256 elements.
__global__ void block_min(const float* x, float* mins, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : INFINITY;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] = fminf(s[threadIdx.x], s[threadIdx.x + d]);
    __syncthreads();
  }
  if (threadIdx.x == 0) mins[blockIdx.x] = s[0];
}

void run_block_min(const float* x, float* mins, int n) {
  block_min<<<(n + 255) / 256, 256>>>(x, mins, n);
}

// Index of the largest element (smallest index on ties), one block; -1 if n is 0.
__global__ void argmax_one_block(const float* x, int n, int* index) {
  __shared__ float sv[256];
  __shared__ int si[256];
  const int t = threadIdx.x;
  float best = -INFINITY;
  int at = -1;
  for (int i = t; i < n; i += 256) {
    if (at < 0 || x[i] > best) {
      best = x[i];
      at = i;
    }
  }
  sv[t] = best;
  si[t] = at;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) {
      float v = sv[t + d];
      int k = si[t + d];
      if (k >= 0 && (si[t] < 0 || v > sv[t] || (v == sv[t] && k < si[t]))) {
        sv[t] = v;
        si[t] = k;
      }
    }
    __syncthreads();
  }
  if (t == 0) *index = si[0];
}

void run_argmax_one_block(const float* x, int n, int* index) {
  argmax_one_block<<<1, 256>>>(x, n, index);
}

// Index of the smallest element of each row, one warp per row, smallest index on ties.
__global__ void row_argmin(int* where, const double* a, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  double best = INFINITY;
  int at = INT_MAX;
  for (int c = threadIdx.x; c < cols; c += 32) {
    double v = a[(size_t)row * cols + c];
    if (v < best || at == INT_MAX) {
      best = v;
      at = c;
    }
  }
  for (int o = 16; o > 0; o >>= 1) {
    double v = __shfl_xor_sync(0xffffffffu, best, o);
    int k = __shfl_xor_sync(0xffffffffu, at, o);
    if (v < best || (v == best && k < at)) {
      best = v;
      at = k;
    }
  }
  if (threadIdx.x == 0) where[row] = at;
}

void run_row_argmin(int* where, const double* a, int rows, int cols) {
  dim3 block(32, 8);
  row_argmin<<<(rows + 7) / 8, block>>>(where, a, rows, cols);
}

// Packed arg-maximum of unsigned values: high word value, low word ~index (caller zeroes *key).
__global__ void argmax_packed(const unsigned* x, unsigned n, unsigned long long* key) {
  unsigned long long best = 0ULL;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long k = ((unsigned long long)x[i] << 32) | (0xffffffffu - i);
    if (k > best) best = k;
  }
  for (int o = 16; o > 0; o >>= 1) {
    unsigned long long other = __shfl_down_sync(0xffffffffu, best, o);
    if (other > best) best = other;
  }
  if ((threadIdx.x & 31) == 0) atomicMax(key, best);
}

// Largest absolute value per block.
template <typename T>
__global__ void block_abs_max(T* out, const T* in, int n) {
  __shared__ T part[32];
  T m = T(0);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    T v = in[i] < T(0) ? -in[i] : in[i];
    m = v > m ? v : m;
  }
  for (int o = 16; o > 0; o >>= 1) {
    T v = __shfl_down_sync(0xffffffffu, m, o);
    m = v > m ? v : m;
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < (blockDim.x + 31) / 32; ++w) m = part[w] > m ? part[w] : m;
    out[blockIdx.x] = m;
  }
}

template __global__ void block_abs_max<float>(float*, const float*, int);
template __global__ void block_abs_max<double>(double*, const double*, int);

// Range (maximum - minimum) of n > 0 values by one block.
__global__ void value_range(float* range, const float* x, int n) {
  __shared__ float lo[128], hi[128];
  const int t = threadIdx.x;
  float a = INFINITY, b = -INFINITY;
  for (int i = t; i < n; i += 128) {
    a = fminf(a, x[i]);
    b = fmaxf(b, x[i]);
  }
  lo[t] = a;
  hi[t] = b;
  for (int d = 64; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      lo[t] = fminf(lo[t], lo[t + d]);
      hi[t] = fmaxf(hi[t], hi[t + d]);
    }
  }
  if (t == 0) *range = hi[0] - lo[0];
}

void run_value_range(float* range, const float* x, int n) {
  value_range<<<1, 128>>>(range, x, n);
}
