// Gradients, kernels that take their sizes in a struct, channels of tensors and groups of rows.
#include <cuda_runtime.h>

typedef int index_t;
typedef struct MatrixDim_ {
  index_t rows, cols, stride;
} MatrixDim;

__device__ float block_sum(float v) {
  __shared__ float s[256];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 128; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  const float total = s[0];
  __syncthreads();
  return total;
}

// Row sums of a matrix whose rows are `stride` elements apart.
__global__ void row_sums(const float* m, float* out, MatrixDim d) {
  float v = 0;
  for (int c = threadIdx.x; c < d.cols; c += 256) v += m[blockIdx.x * d.stride + c];
  v = block_sum(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
void run_row_sums(const float* m, float* out, MatrixDim d) { row_sums<<<d.rows, 256>>>(m, out, d); }

__global__ void softmax_gradient(const float* y, const float* dy, float* dx, int cols) {
  const size_t row = (size_t)blockIdx.x * cols;
  float v = 0;
  for (int c = threadIdx.x; c < cols; c += 256) v += y[row + c] * dy[row + c];
  v = block_sum(v);
  for (int c = threadIdx.x; c < cols; c += 256) dx[row + c] = y[row + c] * (dy[row + c] - v);
}
void run_softmax_gradient(const float* y, const float* dy, float* dx, int rows, int cols) {
  softmax_gradient<<<rows, 256>>>(y, dy, dx, cols);
}

// One block per channel of a tensor (n, c, s).
__global__ void channel_sums(const float* x, float* out, int n, int c, int s) {
  float v = 0;
  for (int b = 0; b < n; ++b)
    for (int i = threadIdx.x; i < s; i += 256) v += x[((size_t)b * c + blockIdx.x) * s + i];
  v = block_sum(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
void run_channel_sums(const float* x, float* out, int n, int c, int s) { channel_sums<<<c, 256>>>(x, out, n, c, s); }

// Each block normalizes one group of consecutive elements.
__global__ void group_norm(const float* x, float* y, int group_size, int elements, float eps) {
  const int begin = blockIdx.x * group_size, end = min(begin + group_size, elements);
  float v = 0;
  for (int i = begin + threadIdx.x; i < end; i += 256) v += x[i];
  const float mean = block_sum(v) / group_size;
  v = 0;
  for (int i = begin + threadIdx.x; i < end; i += 256) v += (x[i] - mean) * (x[i] - mean);
  const float scale = rsqrtf(block_sum(v) / group_size + eps);
  for (int i = begin + threadIdx.x; i < end; i += 256) y[i] = (x[i] - mean) * scale;
}
void run_group_norm(const float* x, float* y, int groups, int group_size, float eps) {
  group_norm<<<groups, 256>>>(x, y, group_size, groups * group_size, eps);
}
