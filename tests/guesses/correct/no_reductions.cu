// Kernels that are not reductions.
#include <cuda_runtime.h>

#define TILE 32

// y = a x + y.
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

void run_saxpy(int n, float a, const float* x, float* y) {
  saxpy<<<(n + 255) / 256, 256>>>(n, a, x, y);
}

// Transpose of a rows x cols matrix through a padded tile, 32 x 8 threads.
__global__ void transpose_tile(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8)
    if (x < cols && y + j < rows)
      tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * cols + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8)
    if (x < rows && y + j < cols)
      out[(size_t)(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

void run_transpose(float* out, const float* in, int rows, int cols) {
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  dim3 block(TILE, 8);
  transpose_tile<<<grid, block>>>(out, in, rows, cols);
}

// Three-point average; the two ends are copied.
__global__ void stencil3(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i == 0 || i == n - 1)
    out[i] = in[i];
  else
    out[i] = (in[i - 1] + in[i] + in[i + 1]) / 3.0;
}

// Histogram of bytes in 256 bins, added to bins (zeroed by the caller).
__global__ void histogram256(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}

// Gather: out[i] = table[index[i]] (every index inside the table).
template <typename T>
__global__ void gather(T* out, const T* table, const int* index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]];
}
template __global__ void gather<float>(float*, const float*, const int*, int);
template __global__ void gather<int>(int*, const int*, const int*, int);

// Sorts each block's 256 ints in ascending order (bitonic); n is a multiple of 256.
__global__ void bitonic_sort256(int* data) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = data[blockIdx.x * 256 + t];
  __syncthreads();
  for (int k = 2; k <= 256; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      int p = t ^ j;
      if (p > t) {
        bool up = (t & k) == 0;
        if ((s[t] > s[p]) == up) {
          int v = s[t];
          s[t] = s[p];
          s[p] = v;
        }
      }
      __syncthreads();
    }
  data[blockIdx.x * 256 + t] = s[t];
}

void run_bitonic(int* data, int n) { bitonic_sort256<<<n / 256, 256>>>(data); }

// Reverses the order of the n elements.
__global__ void reverse_copy(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[n - 1 - i] = in[i];
}
