// Launches that do not suit the kernel.
#include <cuda_runtime.h>

// Sum of x (*out zeroed). WRONG: no blockIdx but launched with 8 blocks, gives 8 times the sum.
__global__ void block_local_loop(const float* x, float* out, int n) {
  float v = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}

void run_block_local_loop(const float* x, float* out, int n) {
  cudaMemset(out, 0, sizeof(float));
  block_local_loop<<<8, 256>>>(x, out, n);
}

// Sum per block by halving. WRONG: launched with 48 threads, the tree (24, 12, 6, 3, 1) loses one.
__global__ void halving_tree(const int* x, int* out, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

void run_halving_tree(const int* x, int* out, int n) {
  const int threads = 48;
  halving_tree<<<(n + threads - 1) / threads, threads, threads * sizeof(int)>>>(x, out, n);
}

// Sum per block in dynamic shared memory. WRONG: the launch gives room for half of the doubles.
__global__ void dynamic_double_sum(double* out, const double* x, int n) {
  extern __shared__ double sd[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  sd[t] = i < n ? x[i] : 0.0;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) sd[t] += sd[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sd[0];
}

void run_dynamic_double_sum(double* out, const double* x, int n) {
  int threads = 256;
  int blocks = (n + threads - 1) / threads;
  dynamic_double_sum<<<blocks, threads, threads * sizeof(float)>>>(out, x, n);
}

// Sum of x by one block of 128. WRONG: launched with 256 threads, writes past s[128].
__global__ void fixed_128_sum(const float* x, int n, float* out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float v = 0.f;
  for (int i = t; i < n; i += blockDim.x) v += x[i];
  s[t] = v;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) *out = s[0];
}

void run_fixed_128_sum(const float* x, int n, float* out) {
  fixed_128_sum<<<1, 256>>>(x, n, out);
}

// Sum in place by one block, result in data[0]. WRONG: launched with several blocks that race.
__global__ void inplace_one_block(float* data, int n) {
  for (int len = n; len > 1;) {
    int half = (len + 1) / 2;
    for (int i = threadIdx.x; i < len / 2; i += blockDim.x) data[i] += data[i + half];
    __syncthreads();
    len = half;
  }
}

void run_inplace_one_block(float* data, int n) {
  inplace_one_block<<<(n + 255) / 256, 256>>>(data, n);
}

// Sum of x (*total zeroed). WRONG: the grid n / 256 is rounded down, the last n % 256 are lost.
__global__ void one_element_per_thread(const float* x, float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) atomicAdd(total, v);
}

void run_one_element_per_thread(const float* x, float* total, int n) {
  cudaMemset(total, 0, sizeof(float));
  one_element_per_thread<<<n / 256, 256>>>(x, total, n);
}

// Sum of each row, one block per row. WRONG: launched with 8 blocks for 100 rows.
__global__ void row_sum_by_block(const double* m, double* out, int rows, int cols) {
  __shared__ double s[256];
  int t = threadIdx.x;
  if (blockIdx.x >= rows) return;
  double v = 0.0;
  for (int c = t; c < cols; c += 256) v += m[(size_t)blockIdx.x * cols + c];
  s[t] = v;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

#define ROWS 100
#define ROW_BLOCKS 8

void run_row_sum_by_block(const double* m, double* out, int cols) {
  row_sum_by_block<<<ROW_BLOCKS, 256>>>(m, out, ROWS, cols);
}
