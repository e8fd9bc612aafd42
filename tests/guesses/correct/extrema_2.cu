// Minimum, maximum and the places where they are.
#include <cuda_runtime.h>
#include <float.h>
#include <limits.h>

// Maximum per block of 256 threads, -FLT_MAX where nothing is left.
__global__ void max_block(const float* v, float* block_max, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? v[i] : -FLT_MAX;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + h]);
    __syncthreads();
  }
  if (threadIdx.x == 0) block_max[blockIdx.x] = s[0];
}

// Minimum of n >= 1 unsigned values by one block of 512 threads.
__global__ void min_one_block(unsigned* out, const unsigned* in, int n) {
  __shared__ unsigned w[16];
  unsigned m = UINT_MAX;
  for (int i = threadIdx.x; i < n; i += blockDim.x) m = min(m, in[i]);
  m = __reduce_min_sync(0xffffffffu, m);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x < 32) {
    m = threadIdx.x < 16 ? w[threadIdx.x] : UINT_MAX;
    m = __reduce_min_sync(0xffffffffu, m);
    if (threadIdx.x == 0) *out = m;
  }
}

void run_min_one_block(unsigned* out, const unsigned* in, int n) {
  min_one_block<<<1, 512>>>(out, in, n);
}

// Value and first index of the maximum of n >= 1 floats, one block of 256 threads.
__global__ void argmax_first(const float* x, int n, float* best, int* where) {
  __shared__ float sv[256];
  __shared__ int si[256];
  int t = threadIdx.x;
  float v = -FLT_MAX;
  int k = INT_MAX;
  for (int i = t; i < n; i += 256)
    if (x[i] > v || (x[i] == v && i < k)) {
      v = x[i];
      k = i;
    }
  sv[t] = v;
  si[t] = k;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t < h) {
      float ov = sv[t + h];
      int oi = si[t + h];
      if (ov > sv[t] || (ov == sv[t] && oi < si[t])) {
        sv[t] = ov;
        si[t] = oi;
      }
    }
    __syncthreads();
  }
  if (t == 0) {
    *best = sv[0];
    *where = si[0];
  }
}

// First index of the smallest int by a packed 64-bit atomicMin (*key all ones at the start).
__global__ void argmin_packed(const int* v, int n, unsigned long long* key) {
  unsigned long long k = ~0ull;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long c = ((unsigned long long)((unsigned)v[i] ^ 0x80000000u) << 32) | (unsigned)i;
    if (c < k) k = c;
  }
  atomicMin(key, k);
}

void run_argmin_packed(const int* v, int n, unsigned long long* key) {
  cudaMemset(key, 0xff, sizeof(*key));
  argmin_packed<<<96, 128>>>(v, n, key);
}

// Last index of the maximum of each row, one warp per row (cols >= 1, no NaN).
__global__ void row_argmax_last(int* idx, const double* a, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x & 31;
  if (row >= rows) return;
  double v = -DBL_MAX;
  int k = -1;
  for (int c = lane; c < cols; c += 32) {
    double e = a[(size_t)row * cols + c];
    if (e >= v) {
      v = e;
      k = c;
    }
  }
  for (int o = 16; o > 0; o >>= 1) {
    double ov = __shfl_xor_sync(0xffffffffu, v, o);
    int ok = __shfl_xor_sync(0xffffffffu, k, o);
    if (ov > v || (ov == v && ok > k)) {
      v = ov;
      k = ok;
    }
  }
  if (lane == 0) idx[row] = k;
}

// Range (maximum - minimum) of each block's 128 elements; places past n repeat the last element.
__global__ void range_block(const int* in, int* range, int n) {
  __shared__ int lo[128], hi[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  lo[t] = hi[t] = in[i < n ? i : n - 1];
  __syncthreads();
  for (int h = 64; h > 0; h /= 2) {
    if (t < h) {
      lo[t] = min(lo[t], lo[t + h]);
      hi[t] = max(hi[t], hi[t + h]);
    }
    __syncthreads();
  }
  if (t == 0) range[blockIdx.x] = hi[0] - lo[0];
}

// Largest and second largest of n >= 2 values, one warp (a repeated maximum counts twice).
__global__ void top_two(const float* x, int n, float* first, float* second) {
  float a = -FLT_MAX, b = -FLT_MAX;
  for (int i = threadIdx.x; i < n; i += 32) {
    float v = x[i];
    if (v > a) {
      b = a;
      a = v;
    } else if (v > b) {
      b = v;
    }
  }
  for (int o = 16; o > 0; o >>= 1) {
    float oa = __shfl_xor_sync(~0u, a, o);
    float ob = __shfl_xor_sync(~0u, b, o);
    float lose = fminf(a, oa);
    a = fmaxf(a, oa);
    b = fmaxf(lose, fmaxf(b, ob));
  }
  if (threadIdx.x == 0) {
    *first = a;
    *second = b;
  }
}

void run_top_two(const float* x, int n, float* first, float* second) {
  top_two<<<1, 32>>>(x, n, first, second);
}
