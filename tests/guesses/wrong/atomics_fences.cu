// Missing atomics, missing fences.
#include <cuda_runtime.h>

// Sum of x (caller zeroes *out). WRONG: plain += by all blocks, no atomic.
__global__ void plain_add_blocks(const float* x, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0.f;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) *out += s[0];
}

void run_plain_add_blocks(const float* x, float* out, int n) {
  cudaMemset(out, 0, sizeof(float));
  plain_add_blocks<<<(n + 255) / 256, 256>>>(x, out, n);
}

// Sum of x. WRONG: every block stores its own sum in out[0], the last one wins.
__global__ void blocks_overwrite(double* out, const double* x, int n) {
  __shared__ double s[128];
  int t = threadIdx.x;
  double v = 0.0;
  for (int i = blockIdx.x * 128 + t; i < n; i += 128 * gridDim.x) v += x[i];
  s[t] = v;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}

void run_blocks_overwrite(double* out, const double* x, int n) {
  int grid = (n + 127) / 128;
  blocks_overwrite<<<grid, 128>>>(out, x, n);
}

// Count of negatives (caller zeroes *count). WRONG: shared counter increased without an atomic.
__global__ void count_plain_shared(int n, const float* x, int* count) {
  __shared__ int c;
  if (threadIdx.x == 0) c = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 0.f) c++;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, c);
}

void run_count_plain_shared(int n, const float* x, int* count) {
  count_plain_shared<<<(n + 255) / 256, 256>>>(n, x, count);
}

// Sum by a last block with a ticket (*ticket = 0). WRONG: no fence between part[] and the ticket.
__global__ void ticket_no_fence(const float* x, int n, float* part, unsigned* ticket, float* out) {
  __shared__ float w[8];
  float v = 0.f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k) v += w[k];
    part[blockIdx.x] = v;
    if (atomicAdd(ticket, 1u) == gridDim.x - 1) {
      float total = 0.f;
      for (int b = 0; b < gridDim.x; ++b) total += part[b];
      *out = total;
      *ticket = 0u;
    }
  }
}

void run_ticket_no_fence(const float* x, int n, float* part, unsigned* ticket, float* out) {
  ticket_no_fence<<<108, 256>>>(x, n, part, ticket, out);
}

// Sum of x into *out. WRONG: block 0 adds the partial sums without waiting for the other blocks.
__global__ void block0_does_not_wait(const float* x, int n, float* part, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0.f;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    if (blockIdx.x == 0) {
      float total = 0.f;
      for (int b = 0; b < gridDim.x; ++b) total += part[b];
      *out = total;
    }
  }
}

// Maximum of ints (caller sets INT_MIN). WRONG: test and store instead of atomicMax.
__global__ void max_check_then_store(const int* x, int n, int* best) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int m = i < n ? x[i] : -2147483647 - 1;
  for (int o = 16; o > 0; o >>= 1) m = max(m, __shfl_xor_sync(0xffffffffu, m, o));
  if ((threadIdx.x & 31) == 0 && m > *best) *best = m;
}

void run_max_check_then_store(const int* x, int n, int* best) {
  max_check_then_store<<<(n + 127) / 128, 128>>>(x, n, best);
}

// Histogram of bytes (caller zeroes bins). WRONG: bins increased without an atomic.
__global__ void histogram_plain(const unsigned char* data, unsigned* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    bins[data[i]] += 1u;
  }
}
