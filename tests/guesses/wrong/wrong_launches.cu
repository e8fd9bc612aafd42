// Kernels which are right by themselves, with launches which do not suit them.
#include <cuda_runtime.h>

// Sum of x added to *sum (zeroed). Wrong: no blockIdx, but launched with 8 blocks: 8 times it.
__global__ void sum_without_block(const float* x, float* sum, int n) {
  float v = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
  atomicAdd(sum, v);
}

void run_sum_without_block(const float* x, float* sum, int n) {
  cudaMemset(sum, 0, sizeof(float));
  sum_without_block<<<8, 256>>>(x, sum, n);
}

// Partial sums per block, tree that halves. Wrong: launched with 48 threads.
__global__ void halving_tree(const int* in, int* out, int n) {
  extern __shared__ int tree[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  tree[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int h = blockDim.x / 2; h > 0; h >>= 1) {
    if (t < h) tree[t] += tree[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tree[0];
}

void run_halving_tree(const int* in, int* out, int n) {
  halving_tree<<<(n + 47) / 48, 48, 48 * sizeof(int)>>>(in, out, n);
}

// Partial sums per block. Wrong: the launch gives shared memory for 128 of the 256 threads.
__global__ void dynamic_tree(const double* in, double* out, int n) {
  extern __shared__ double node[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  node[t] = i < n ? in[i] : 0.0;
  __syncthreads();
  for (int h = blockDim.x / 2; h > 0; h >>= 1) {
    if (t < h) node[t] += node[t + h];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = node[0];
}

void run_dynamic_tree(const double* in, double* out, int n) {
  int threads = 256;
  dynamic_tree<<<(n + threads - 1) / threads, threads, 128 * sizeof(double)>>>(in, out, n);
}

// Total into *sum (zeroed). Wrong: n / 256 blocks, the last n % 256 elements are lost.
__global__ void one_element_each(const float* x, int n, float* sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, v);
}

void run_one_element_each(const float* x, int n, float* sum) {
  cudaMemset(sum, 0, sizeof(float));
  one_element_each<<<n / 256, 256>>>(x, n, sum);
}

// Sum by one block of 256 with a fixed tree. Wrong: launched with 128 threads, half not set.
__global__ void fixed_tree_256(float* out, const float* in, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = 0.f;
  for (int i = t; i < n; i += 256) v += in[i];
  s[t] = v;
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) *out = s[0];
}

void run_fixed_tree_256(float* out, const float* in, int n) {
  fixed_tree_256<<<1, 128>>>(out, in, n);
}

// Row sums, one warp per row, 4 rows per block. Wrong: launched with rows / 8 blocks.
__global__ void four_rows_per_block(const float* m, float* sums, int rows, int cols) {
  int r = blockIdx.x * 4 + threadIdx.x / 32;
  if (r >= rows) return;
  float v = 0.f;
  for (int c = threadIdx.x % 32; c < cols; c += 32) v += m[(size_t)r * cols + c];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) sums[r] = v;
}

void run_four_rows(const float* m, float* sums, int rows, int cols) {
  four_rows_per_block<<<(rows + 7) / 8, 128>>>(m, sums, rows, cols);
}

// In place sum into data[0] for one block. Wrong: launched with several blocks, which race.
__global__ void fold_in_place(int* data, int n) {
  for (int len = n; len > 1;) {
    int half = (len + 1) / 2;
    for (int i = threadIdx.x; i < len - half; i += blockDim.x) data[i] += data[i + half];
    __syncthreads();
    len = half;
  }
}

void run_fold_in_place(int* data, int n) { fold_in_place<<<(n + 255) / 256, 256>>>(data, n); }

// Two elements per thread. Wrong: launched with enough blocks for a half of the elements only.
__global__ void pairs_per_thread(const float* in, float* part, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 512 + t;
  s[t] = (i < n ? in[i] : 0.f) + (i + 256 < n ? in[i + 256] : 0.f);
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (t < h) s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) part[blockIdx.x] = s[0];
}

void run_pairs_per_thread(const float* in, float* part, int n) {
  pairs_per_thread<<<(n + 1023) / 1024, 256>>>(in, part, n);
}
