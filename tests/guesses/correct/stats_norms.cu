// Mean, variance, norms, softmax, LayerNorm, RMSNorm.
#include <cuda_runtime.h>

__device__ float block_sum_256(float v) {
  __shared__ float w[8];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) w[threadIdx.x >> 5] = v;
  __syncthreads();
  float s = 0.f;
  for (int k = 0; k < 8; ++k) s += w[k];
  return s;
}

// Mean and population variance of n > 0 values, one block of 256 threads, two passes.
__global__ void mean_variance(const float* x, int n, float* mean, float* var) {
  float s = 0.f;
  for (int i = threadIdx.x; i < n; i += 256) s += x[i];
  float mu = block_sum_256(s) / n;
  float q = 0.f;
  for (int i = threadIdx.x; i < n; i += 256) {
    float d = x[i] - mu;
    q += d * d;
  }
  q = block_sum_256(q);
  if (threadIdx.x == 0) {
    *mean = mu;
    *var = q / n;
  }
}

void run_mean_variance(const float* x, int n, float* mean, float* var) {
  mean_variance<<<1, 256>>>(x, n, mean, var);
}

// Euclidean norm of each row, one block of 256 threads per row.
__global__ void row_l2_norm(float* norm, const float* m, int cols) {
  const float* row = m + (size_t)blockIdx.x * cols;
  float s = 0.f;
  for (int c = threadIdx.x; c < cols; c += 256) s += row[c] * row[c];
  s = block_sum_256(s);
  if (threadIdx.x == 0) norm[blockIdx.x] = sqrtf(s);
}

void run_row_l2_norm(float* norm, const float* m, int rows, int cols) {
  row_l2_norm<<<rows, 256>>>(norm, m, cols);
}

// Softmax of each row with the maximum subtracted, one warp per row.
__global__ void softmax_warp(const float* in, float* out, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* x = in + (size_t)row * cols;
  float* y = out + (size_t)row * cols;
  float m = -INFINITY;
  for (int c = lane; c < cols; c += 32) m = fmaxf(m, x[c]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  float s = 0.f;
  for (int c = lane; c < cols; c += 32) s += expf(x[c] - m);
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  for (int c = lane; c < cols; c += 32) y[c] = expf(x[c] - m) / s;
}

void run_softmax_warp(const float* in, float* out, int rows, int cols) {
  softmax_warp<<<(rows + 3) / 4, 128>>>(in, out, rows, cols);
}

// LayerNorm of each row with scale and shift, one block of 256 threads per row.
__global__ void layer_norm(float* y, const float* x, const float* gamma, const float* beta,
                           int hidden, float eps) {
  const float* row = x + (size_t)blockIdx.x * hidden;
  float s = 0.f;
  for (int i = threadIdx.x; i < hidden; i += 256) s += row[i];
  const float mu = block_sum_256(s) / hidden;
  float q = 0.f;
  for (int i = threadIdx.x; i < hidden; i += 256) q += (row[i] - mu) * (row[i] - mu);
  const float inv = rsqrtf(block_sum_256(q) / hidden + eps);
  for (int i = threadIdx.x; i < hidden; i += 256) {
    y[(size_t)blockIdx.x * hidden + i] = (row[i] - mu) * inv * gamma[i] + beta[i];
  }
}

void run_layer_norm(float* y, const float* x, const float* g, const float* b, int rows, int h) {
  layer_norm<<<rows, 256>>>(y, x, g, b, h, 1e-5f);
}

// RMSNorm of each row with a weight per column, one block per row, power-of-two block size.
template <int BLOCK>
__global__ void rms_norm(const float* x, const float* weight, float* y, int dim, float eps) {
  __shared__ float s[BLOCK];
  const int t = threadIdx.x;
  const size_t base = (size_t)blockIdx.x * dim;
  float q = 0.f;
  for (int i = t; i < dim; i += BLOCK) q += x[base + i] * x[base + i];
  s[t] = q;
  __syncthreads();
  for (int d = BLOCK / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  const float scale = rsqrtf(s[0] / dim + eps);
  for (int i = t; i < dim; i += BLOCK) y[base + i] = x[base + i] * scale * weight[i];
}

template __global__ void rms_norm<128>(const float*, const float*, float*, int, float);

// Log-sum-exp of each row, one block of 128 threads per row, one pass with a running maximum.
__global__ void row_log_sum_exp(const float* x, float* lse, int cols) {
  __shared__ float sm[128], ss[128];
  const int t = threadIdx.x;
  float m = -INFINITY, s = 0.f;
  for (int c = t; c < cols; c += 128) {
    float v = x[(size_t)blockIdx.x * cols + c];
    if (v > m) {
      s = s * expf(m - v) + 1.f;
      m = v;
    } else if (v > -INFINITY) {
      s += expf(v - m);
    }
  }
  sm[t] = m;
  ss[t] = s;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) {
      float mb = sm[t + d], sb = ss[t + d];
      float mm = fmaxf(sm[t], mb);
      if (mm > -INFINITY) {
        ss[t] = ss[t] * expf(sm[t] - mm) + sb * expf(mb - mm);
        sm[t] = mm;
      }
    }
    __syncthreads();
  }
  if (t == 0) lse[blockIdx.x] = sm[0] + logf(ss[0]);
}

// Sum of absolute values (1-norm) of x, atomics per warp (caller zeroes *norm1).
__global__ void l1_norm(int n, const double* x, double* norm1) {
  double v = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    v += fabs(x[i]);
  }
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) atomicAdd(norm1, v);
}
