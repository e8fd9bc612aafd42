// Sums, minima and counts by atomics and grid-stride loops. The caller initializes the outputs.
#include <cuda_runtime.h>

// Adds the sum of x[0..n) to *sum, one atomic per thread (*sum set to 0 by the caller).
__global__ void atomic_sum_simple(const float* x, float* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, x[i]);
}

void run_atomic_simple(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  atomic_sum_simple<<<(n + 255) / 256, 256>>>(x, sum, n);
}

// Adds the sum of in to *out, grid-stride, one atomic per warp (*out set to 0 by the caller).
__global__ void atomic_sum_warp(float* out, const float* in, long long n) {
  float v = 0.f;
  long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    v += in[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

void run_atomic_warp(float* out, const float* in, long long n) {
  cudaMemset(out, 0, sizeof(float));
  atomic_sum_warp<<<1024, 256>>>(out, in, n);
}

// Adds the sum of data to *total, tree per block, one atomic per block (*total 0 at the start).
__global__ void atomic_sum_block(int n, const int* data, int* total) {
  __shared__ int s[128];
  int acc = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) acc += data[i];
  s[threadIdx.x] = acc;
  __syncthreads();
  for (int h = 64; h > 0; h /= 2) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(total, s[0]);
}

// Minimum of values into *lowest by atomicMin (the caller sets *lowest to INT_MAX).
__global__ void atomic_min_int(const int* values, int n, int* lowest) {
  int m = 2147483647;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    m = min(m, values[i]);
  atomicMin(lowest, m);
}

// Sum of doubles with a compare-and-swap loop, added to *acc (0 at the start).
__global__ void cas_sum_double(const double* v, double* acc, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long* p = (unsigned long long*)acc;
  unsigned long long old = *p, seen;
  do {
    seen = old;
    old = atomicCAS(p, seen, __double_as_longlong(v[i] + __longlong_as_double(seen)));
  } while (old != seen);
}

// Sum of unsigned bytes in 64 bits, added to *sum (0 at the start), block total in shared memory.
__global__ void byte_sum(unsigned long long* sum, const unsigned char* bytes, size_t len) {
  __shared__ unsigned long long block_sum;
  if (threadIdx.x == 0) block_sum = 0ull;
  __syncthreads();
  unsigned long long mine = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < len;
       i += (size_t)gridDim.x * blockDim.x)
    mine += bytes[i];
  atomicAdd(&block_sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, block_sum);
}

// Maximum of floats of any sign into *top (the caller sets *top to -infinity), signed-int trick.
__global__ void atomic_max_float(const float* x, float* top, int n) {
  float m = -INFINITY;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    m = fmaxf(m, x[i]);
  int* p = (int*)top;
  int old = *p;
  while (__int_as_float(old) < m) {
    int seen = old;
    old = atomicCAS(p, seen, __float_as_int(m));
    if (old == seen) break;
  }
}
