// In-place kernels, and kernels that are not reductions.
#include <cuda_runtime.h>

#define TD 32

// In-place sum of segments of 2 * blockDim.x elements (all full) into each one's first element.
__global__ void inplace_segment_sum(float* data) {
  float* seg = data + (size_t)blockIdx.x * blockDim.x * 2;
  for (unsigned d = blockDim.x; d > 0; d >>= 1) {
    if (threadIdx.x < d) seg[threadIdx.x] += seg[threadIdx.x + d];
    __syncthreads();
  }
}

// In place: subtracts each row's mean from the row, one block of 128 threads per row.
__global__ void inplace_center_rows(float* m, int cols) {
  __shared__ float s[128];
  float* row = m + (size_t)blockIdx.x * cols;
  float v = 0.f;
  for (int c = threadIdx.x; c < cols; c += 128) v += row[c];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  float mean = s[0] / cols;
  for (int c = threadIdx.x; c < cols; c += 128) row[c] -= mean;
}

void run_inplace_center_rows(float* m, int rows, int cols) {
  inplace_center_rows<<<rows, 128>>>(m, cols);
}

// y = a * x + y.
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void run_saxpy(int n, float a, const float* x, float* y) {
  saxpy<<<(n + 255) / 256, 256>>>(n, a, x, y);
}

// Transpose of a rows x cols matrix with 32 x 32 tiles and 32 x 8 blocks.
__global__ void transpose_tile(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[TD][TD + 1];
  int c = blockIdx.x * TD + threadIdx.x;
  int r0 = blockIdx.y * TD;
  for (int k = threadIdx.y; k < TD; k += 8) {
    if (c < cols && r0 + k < rows) tile[k][threadIdx.x] = in[(size_t)(r0 + k) * cols + c];
  }
  __syncthreads();
  int r = r0 + threadIdx.x;
  int c0 = blockIdx.x * TD;
  for (int k = threadIdx.y; k < TD; k += 8) {
    if (r < rows && c0 + k < cols) out[(size_t)(c0 + k) * rows + r] = tile[threadIdx.x][k];
  }
}

void run_transpose_tile(float* out, const float* in, int rows, int cols) {
  dim3 grid((cols + TD - 1) / TD, (rows + TD - 1) / TD);
  transpose_tile<<<grid, dim3(TD, 8)>>>(out, in, rows, cols);
}

// Three-point stencil: out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3, ends copied.
__global__ void stencil3(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i == 0 || i == n - 1) {
    out[i] = in[i];
  } else {
    out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3.0;
  }
}

// Sorts each segment of 256 ints upwards (bitonic); a short last segment is padded with INT_MAX.
__global__ void bitonic_sort_256(int* data, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  s[t] = i < n ? data[i] : 2147483647;
  __syncthreads();
  for (int k = 2; k <= 256; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      int p = t ^ j;
      if (p > t) {
        bool up = (t & k) == 0;
        int a = s[t], b = s[p];
        if ((a > b) == up) {
          s[t] = b;
          s[p] = a;
        }
      }
      __syncthreads();
    }
  }
  if (i < n) data[i] = s[t];
}

void run_bitonic_sort_256(int* data, int n) {
  bitonic_sort_256<<<(n + 255) / 256, 256>>>(data, n);
}

// Histogram of bytes into 256 bins (caller zeroes bins), one shared histogram per block.
__global__ void histogram_bytes(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned h[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) h[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&h[data[i]], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], h[b]);
}

void run_histogram_bytes(const unsigned char* data, int n, unsigned* bins) {
  histogram_bytes<<<24, 128>>>(data, n, bins);
}

// Gather: out[i] = table[idx[i]].
__global__ void gather(float* out, const float* table, const int* idx, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = table[idx[i]];
  }
}
