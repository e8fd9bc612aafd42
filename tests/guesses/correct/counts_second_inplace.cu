// Counts, logical and bitwise reductions, second outputs, and kernels that work in place.
#include <cuda_runtime.h>
#include <math.h>

// Number of elements above the limit, added to *count (zeroed by the caller), with ballots.
__global__ void count_above(const float* x, int n, float limit, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned b = __ballot_sync(0xffffffffu, i < n && x[i] > limit);
  if ((threadIdx.x & 31) == 0) atomicAdd(count, __popc(b));
}

void run_count_above(const float* x, int n, float limit, int* count) {
  cudaMemset(count, 0, sizeof(int));
  count_above<<<(n + 255) / 256, 256>>>(x, n, limit, count);
}

// Number of zeros in each block's slice of 128 elements, with __syncthreads_count.
__global__ void count_zeros(unsigned* out, const int* in, unsigned n) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  int c = __syncthreads_count(i < n && in[i] == 0);
  if (threadIdx.x == 0) out[blockIdx.x] = c;
}

// *found becomes 1 if any element is NaN (the caller sets it to 0).
__global__ void any_nan(const double* v, size_t n, int* found) {
  bool bad = false;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)blockDim.x * gridDim.x)
    bad |= isnan(v[i]) != 0;
  if (__syncthreads_or(bad) && threadIdx.x == 0) *found = 1;
}

// result = 1 if all n flags are non-zero, else 0 (1 for n = 0); one block.
__global__ void all_set(const int* flags, int n, int* result) {
  int ok = 1;
  for (int i = threadIdx.x; i < n; i += blockDim.x) ok &= flags[i] != 0;
  ok = __syncthreads_and(ok);
  if (threadIdx.x == 0) *result = ok ? 1 : 0;
}

void run_all_set(const int* flags, int n, int* result) { all_set<<<1, 256>>>(flags, n, result); }

// XOR (a checksum) of the words of each block's slice, grid-stride, 256 threads.
__global__ void xor_checksum(const unsigned* words, unsigned* sums, int n) {
  __shared__ unsigned s[256];
  unsigned v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v ^= words[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] ^= s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}

// Bitwise AND of all words into *mask (set to all ones by the caller).
__global__ void and_mask(unsigned* mask, const unsigned* words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = __reduce_and_sync(0xffffffffu, i < n ? words[i] : 0xffffffffu);
  if (threadIdx.x % 32 == 0) atomicAnd(mask, v);
}

// Sum and maximum per block of 256 elements.
__global__ void sum_and_max(const float* x, float* sum, float* mx, int n) {
  __shared__ float ss[256], sm[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  ss[t] = i < n ? x[i] : 0.f;
  sm[t] = i < n ? x[i] : -INFINITY;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t < h) {
      ss[t] += ss[t + h];
      sm[t] = fmaxf(sm[t], sm[t + h]);
    }
    __syncthreads();
  }
  if (t == 0) {
    sum[blockIdx.x] = ss[0];
    mx[blockIdx.x] = sm[0];
  }
}

void run_sum_and_max(const float* x, float* sum, float* mx, int n) {
  sum_and_max<<<(n + 255) / 256, 256>>>(x, sum, mx, n);
}

// In place: the sum of n values ends in data[0], the other elements are overwritten; one block.
__global__ void sum_in_place(double* data, int n) {
  for (int len = n; len > 1;) {
    int half = (len + 1) / 2;
    for (int i = threadIdx.x; i < len - half; i += blockDim.x) data[i] += data[i + half];
    __syncthreads();
    len = half;
  }
}

// In place: every row is divided by its sum (rows with sums other than 0), one warp per row.
__global__ void normalize_rows(float* m, int rows, int cols) {
  int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (r >= rows) return;
  float* p = m + (size_t)r * cols;
  float v = 0.f;
  for (int c = lane; c < cols; c += 32) v += p[c];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  for (int c = lane; c < cols; c += 32) p[c] /= v;
}
