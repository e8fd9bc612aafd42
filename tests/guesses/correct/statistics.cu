// Mean, variance, norms, softmax, LayerNorm and RMSNorm.
#include <cuda_runtime.h>
#include <math.h>

#define MASK 0xffffffffu

// Sum over a block of up to 1024 threads (multiple of 32); every thread gets the result.
__device__ float all_sum(float v) {
  __shared__ float w[32];
  __shared__ float total;
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(MASK, v, o);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? w[threadIdx.x] : 0.f;
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(MASK, v, o);
    if (threadIdx.x == 0) total = v;
  }
  __syncthreads();
  float r = total;
  __syncthreads();
  return r;
}

// Mean of n >= 1 values by one block of 256 threads.
__global__ void mean_one_block(const float* x, int n, float* mean) {
  float v = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
  v = all_sum(v);
  if (threadIdx.x == 0) *mean = v / n;
}

// Mean and population variance of each row in two passes, one block per row.
__global__ void row_mean_var(const float* x, float* mean, float* var, int cols) {
  const float* row = x + (size_t)blockIdx.x * cols;
  float v = 0.f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) v += row[c];
  float mu = all_sum(v) / cols;
  v = 0.f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    float d = row[c] - mu;
    v += d * d;
  }
  v = all_sum(v);
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = mu;
    var[blockIdx.x] = v / cols;
  }
}

void run_row_mean_var(const float* x, float* mean, float* var, int rows, int cols) {
  row_mean_var<<<rows, 128>>>(x, mean, var, cols);
}

// Softmax of each row, one block of 128 threads per row, with the maximum subtracted.
__global__ void softmax_block(float* y, const float* x, int cols) {
  __shared__ float s[128];
  int t = threadIdx.x;
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  float m = -INFINITY;
  for (int c = t; c < cols; c += 128) m = fmaxf(m, in[c]);
  s[t] = m;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (t < h) s[t] = fmaxf(s[t], s[t + h]);
    __syncthreads();
  }
  m = s[0];
  float v = 0.f;
  for (int c = t; c < cols; c += 128) v += expf(in[c] - m);
  v = all_sum(v);
  for (int c = t; c < cols; c += 128) out[c] = expf(in[c] - m) / v;
}

void run_softmax(float* y, const float* x, int rows, int cols) {
  softmax_block<<<rows, 128>>>(y, x, cols);
}

// Log-sum-exp of each row, one warp per row, running maximum and scaled sum (cols >= 32).
__global__ void logsumexp_warp(const float* x, float* lse, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* p = x + (size_t)row * cols;
  float m = p[threadIdx.x];
  float s = 1.f;
  for (int c = threadIdx.x + 32; c < cols; c += 32) {
    float v = p[c];
    float nm = fmaxf(m, v);
    s = s * expf(m - nm) + expf(v - nm);
    m = nm;
  }
  for (int o = 16; o > 0; o >>= 1) {
    float om = __shfl_xor_sync(MASK, m, o);
    float os = __shfl_xor_sync(MASK, s, o);
    float nm = fmaxf(m, om);
    s = s * expf(m - nm) + os * expf(om - nm);
    m = nm;
  }
  if (threadIdx.x == 0) lse[row] = m + logf(s);
}

// LayerNorm of each row with weights and bias, one block per row.
__global__ void layer_norm(float* out, const float* in, const float* gamma, const float* beta,
                           int dim, float eps) {
  const float* x = in + (size_t)blockIdx.x * dim;
  float* y = out + (size_t)blockIdx.x * dim;
  float v = 0.f;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) v += x[i];
  float mu = all_sum(v) / dim;
  float q = 0.f;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) q += (x[i] - mu) * (x[i] - mu);
  float inv = rsqrtf(all_sum(q) / dim + eps);
  for (int i = threadIdx.x; i < dim; i += blockDim.x)
    y[i] = (x[i] - mu) * inv * gamma[i] + beta[i];
}

void run_layer_norm(float* out, const float* in, const float* gamma, const float* beta, int rows,
                    int dim) {
  layer_norm<<<rows, 256>>>(out, in, gamma, beta, dim, 1e-5f);
}

// RMSNorm of each row, in place, one block of a multiple of 32 threads per row.
__global__ void rms_norm(float* x, const float* weight, int dim, float eps) {
  float* row = x + (size_t)blockIdx.x * dim;
  float q = 0.f;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) q += row[i] * row[i];
  float scale = rsqrtf(all_sum(q) / (float)dim + eps);
  for (int i = threadIdx.x; i < dim; i += blockDim.x) row[i] = row[i] * scale * weight[i];
}

// Euclidean norm of n values by one block; the root is taken at the end.
__global__ void norm2_one_block(int n, const float* v, float* norm) {
  float q = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) q = fmaf(v[i], v[i], q);
  q = all_sum(q);
  if (threadIdx.x == 0) norm[0] = sqrtf(q);
}
