// Counts, any / all, logical and bitwise operations; second outputs.
#include <cuda_runtime.h>

// Number of elements greater than limit, one atomic per block (caller zeroes *count).
__global__ void count_above(const float* x, int n, float limit, int* count) {
  __shared__ int c;
  if (threadIdx.x == 0) c = 0;
  __syncthreads();
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] > limit) ++mine;
  }
  if (mine) atomicAdd(&c, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, c);
}

void run_count_above(const float* x, int n, int* count) {
  cudaMemset(count, 0, sizeof(int));
  count_above<<<(n + 511) / 512, 256>>>(x, n, 0.5f, count);
}

// Number of zero elements per block, with __syncthreads_count.
__global__ void count_zeros(int* out, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int c = __syncthreads_count(i < n && in[i] == 0);
  if (threadIdx.x == 0) out[blockIdx.x] = c;
}

void run_count_zeros(int* out, const int* in, int n) {
  count_zeros<<<(n + 127) / 128, 128>>>(out, in, n);
}

// *flag = 1 if any element is NaN (caller sets *flag to 0; all writers store the same value).
__global__ void any_nan(const float* x, int n, int* flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && isnan(x[i])) *flag = 1;
}

// *ok stays 1 if all a[i] == b[i], otherwise 0 (caller sets *ok to 1).
__global__ void all_equal(int* ok, const int* a, const int* b, int n) {
  int same = 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    same &= (a[i] == b[i]);
  }
  if (!__syncthreads_and(same) && threadIdx.x == 0) atomicAnd(ok, 0);
}

void run_all_equal(int* ok, const int* a, const int* b, int n) {
  all_equal<<<20, 256>>>(ok, a, b, n);
}

// Bitwise exclusive or of all words (caller zeroes *sum).
__global__ void xor_checksum(const unsigned* words, size_t n, unsigned* sum) {
  unsigned v = 0;
  size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) v ^= words[i];
  for (int o = 16; o > 0; o >>= 1) v ^= __shfl_xor_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicXor(sum, v);
}

// Bitwise and as well as bitwise or of each block of 128 words; identities ~0 and 0.
__global__ void and_or_block(unsigned* all_bits, unsigned* any_bits, const unsigned* w, int n) {
  __shared__ unsigned sa[128], so[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  sa[t] = i < n ? w[i] : ~0u;
  so[t] = i < n ? w[i] : 0u;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) {
      sa[t] &= sa[t + d];
      so[t] |= so[t + d];
    }
    __syncthreads();
  }
  if (t == 0) {
    all_bits[blockIdx.x] = sa[0];
    any_bits[blockIdx.x] = so[0];
  }
}

void run_and_or_block(unsigned* all_bits, unsigned* any_bits, const unsigned* w, int n) {
  and_or_block<<<(n + 127) / 128, 128>>>(all_bits, any_bits, w, n);
}

// Sum and maximum of each block of 256 elements.
__global__ void sum_and_max(const float* x, int n, float* sums, float* maxima) {
  __shared__ float ss[8], sm[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  float s = i < n ? x[i] : 0.f;
  float m = i < n ? x[i] : -INFINITY;
  for (int o = 16; o > 0; o >>= 1) {
    s += __shfl_down_sync(0xffffffffu, s, o);
    m = fmaxf(m, __shfl_down_sync(0xffffffffu, m, o));
  }
  if (threadIdx.x % 32 == 0) {
    ss[threadIdx.x / 32] = s;
    sm[threadIdx.x / 32] = m;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) {
      s += ss[w];
      m = fmaxf(m, sm[w]);
    }
    sums[blockIdx.x] = s;
    maxima[blockIdx.x] = m;
  }
}

void run_sum_and_max(const float* x, int n, float* sums, float* maxima) {
  sum_and_max<<<(n + 255) / 256, 256>>>(x, n, sums, maxima);
}

// Sum of x and sum of squares of x (caller zeroes out[0] and out[1]).
__global__ void sum_and_squares(double* out, const float* x, int n) {
  double s = 0.0, q = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    double v = x[i];
    s += v;
    q += v * v;
  }
  for (int o = 16; o > 0; o >>= 1) {
    s += __shfl_xor_sync(0xffffffffu, s, o);
    q += __shfl_xor_sync(0xffffffffu, q, o);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&out[0], s);
    atomicAdd(&out[1], q);
  }
}
