// A last block, found with a ticket, finishes the work.
#include <cuda_runtime.h>

__device__ unsigned int g_ticket = 0;

// Sum of x into *out; the last block adds the partial sums (part has gridDim.x entries).
__global__ void sum_last_block(const float* x, int n, float* part, float* out) {
  __shared__ float s[256];
  __shared__ bool last;
  const int t = threadIdx.x;
  float v = 0.f;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) v += x[i];
  s[t] = v;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    unsigned int k = atomicAdd(&g_ticket, 1u);
    last = (k == gridDim.x - 1);
  }
  __syncthreads();
  if (last) {
    __threadfence();
    volatile float* vp = part;
    v = 0.f;
    for (int i = t; i < gridDim.x; i += 256) v += vp[i];
    s[t] = v;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
      if (t < d) s[t] += s[t + d];
      __syncthreads();
    }
    if (t == 0) {
      *out = s[0];
      g_ticket = 0;
    }
  }
}

void run_sum_last_block(const float* x, int n, float* part, float* out) {
  sum_last_block<<<128, 256>>>(x, n, part, out);
}

// Maximum of x with atomicInc as a ticket that wraps to 0 by itself (*counter starts at 0).
__global__ void max_last_block(int* result, int* scratch, unsigned* counter, const int* x, int n) {
  __shared__ int warp_best[32];
  __shared__ unsigned ticket;
  int m = -2147483647 - 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    m = max(m, x[i]);
  }
  m = __reduce_max_sync(0xffffffffu, m);
  if (threadIdx.x % 32 == 0) warp_best[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; ++w) m = max(m, warp_best[w]);
    scratch[blockIdx.x] = m;
    __threadfence();
    ticket = atomicInc(counter, gridDim.x - 1);
  }
  __syncthreads();
  if (ticket == gridDim.x - 1 && threadIdx.x == 0) {
    __threadfence();
    int best = ((volatile int*)scratch)[0];
    for (int b = 1; b < gridDim.x; ++b) best = max(best, ((volatile int*)scratch)[b]);
    *result = best;
  }
}

void run_max_last_block(int* result, int* scratch, unsigned* counter, const int* x, int n) {
  int blocks = n > 0 ? (n + 1023) / 1024 : 1;
  max_last_block<<<blocks, 256>>>(result, scratch, counter, x, n);
}

// Mean of n > 0 values: atomic sum in *acc, the last block divides (*acc, *ticket start at 0).
__global__ void mean_last_block(const double* x, int n, double* acc, unsigned* ticket,
                                double* mean) {
  double v = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += x[i];
  __shared__ double s[1024];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    atomicAdd(acc, s[0]);
    __threadfence();
    if (atomicAdd(ticket, 1u) == gridDim.x - 1) {
      double total = atomicAdd(acc, 0.0);
      *mean = total / n;
      *acc = 0.0;
      *ticket = 0u;
    }
  }
}

// Sum per row of a matrix split over gridDim.x blocks; one ticket per row (tickets start at 0).
__global__ void row_sum_split(const float* m, int cols, float* part, unsigned* tickets,
                              float* out) {
  const int row = blockIdx.y;
  __shared__ float w[8];
  __shared__ int is_last;
  float v = 0.f;
  for (int c = blockIdx.x * 256 + threadIdx.x; c < cols; c += gridDim.x * 256) {
    v += m[(size_t)row * cols + c];
  }
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) w[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    float s = 0.f;
    for (int k = 0; k < 8; ++k) s += w[k];
    part[row * gridDim.x + blockIdx.x] = s;
    __threadfence();
    is_last = atomicAdd(&tickets[row], 1u) == gridDim.x - 1;
    if (is_last) {
      __threadfence();
      const volatile float* p = part + row * gridDim.x;
      float total = 0.f;
      for (int b = 0; b < gridDim.x; ++b) total += p[b];
      out[row] = total;
      tickets[row] = 0u;
    }
  }
}

void run_row_sum_split(const float* m, int rows, int cols, float* part, unsigned* t, float* out) {
  dim3 grid(4, rows);
  row_sum_split<<<grid, 256>>>(m, cols, part, t, out);
}

// Dot product of a and b; all threads fence, the last block sums (*done starts at 0).
__global__ void dot_last_block(float* out, const float* a, const float* b, int n, float* part,
                               unsigned int* done) {
  __shared__ float s[128];
  __shared__ unsigned int order;
  float v = 0.f;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) v += a[i] * b[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) part[blockIdx.x] = s[0];
  __threadfence();
  if (threadIdx.x == 0) order = atomicAdd(done, 1u);
  __syncthreads();
  if (order == gridDim.x - 1 && threadIdx.x < 32) {
    __threadfence();
    float r = 0.f;
    for (int k = threadIdx.x; k < gridDim.x; k += 32) r += ((volatile float*)part)[k];
    for (int o = 16; o > 0; o >>= 1) r += __shfl_down_sync(0xffffffffu, r, o);
    if (threadIdx.x == 0) {
      *out = r;
      *done = 0;
    }
  }
}
