// Rows and columns of a row-major matrix.
#include <cuda_runtime.h>

#define TILE_X 32
#define TILE_Y 8

// Sum of each row, one block per row.
__global__ void row_sum_block(const float* a, float* sums, int rows, int cols) {
  __shared__ float s[256];
  const int r = blockIdx.x;
  const float* p = a + (size_t)r * cols;
  float v = 0.f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) v += p[c];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0 && r < rows) sums[r] = s[0];
}

void run_row_sum_block(const float* a, float* sums, int rows, int cols) {
  row_sum_block<<<rows, 256>>>(a, sums, rows, cols);
}

// Maximum of each row, one warp per row, several rows per block.
__global__ void row_max_warp(int rows, int cols, const float* a, float* row_max) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (warp >= rows) return;
  float m = -INFINITY;
  for (int c = lane; c < cols; c += 32) m = fmaxf(m, a[(size_t)warp * cols + c]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  if (lane == 0) row_max[warp] = m;
}

void run_row_max_warp(int rows, int cols, const float* a, float* row_max) {
  const int warps_per_block = 4;
  row_max_warp<<<(rows + warps_per_block - 1) / warps_per_block, 32 * warps_per_block>>>(
      rows, cols, a, row_max);
}

// Sum of each row, row index in blockIdx.y, atomics across blockIdx.x (caller zeroes out).
__global__ void row_sum_grid_y(double* out, const double* in, int pitch, int cols) {
  const int row = blockIdx.y;
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  double v = c < cols ? in[(size_t)row * pitch + c] : 0.0;
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) atomicAdd(&out[row], v);
}

void run_row_sum_grid_y(double* out, const double* in, int pitch, int rows, int cols) {
  dim3 block(128);
  dim3 grid((cols + block.x - 1) / block.x, rows);
  row_sum_grid_y<<<grid, block>>>(out, in, pitch, cols);
}

// Sum of each row with 32 x 8 blocks: threadIdx.y picks the row, a warp sums it.
__global__ void row_sum_2d(const float* m, int rows, int cols, float* out) {
  int r = blockIdx.x * TILE_Y + threadIdx.y;
  float v = 0.f;
  if (r < rows) {
    for (int c = threadIdx.x; c < cols; c += TILE_X) v += m[(size_t)r * cols + c];
  }
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0 && r < rows) out[r] = v;
}

void run_row_sum_2d(const float* m, int rows, int cols, float* out) {
  row_sum_2d<<<(rows + TILE_Y - 1) / TILE_Y, dim3(TILE_X, TILE_Y)>>>(m, rows, cols, out);
}

// Sum of each column, one thread per column.
__global__ void col_sum_thread(const float* m, float* out, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float s = 0.f;
  for (int r = 0; r < rows; ++r) s += m[(size_t)r * cols + c];
  out[c] = s;
}

void run_col_sum_thread(const float* m, float* out, int rows, int cols) {
  col_sum_thread<<<(cols + 127) / 128, 128>>>(m, out, rows, cols);
}

// Sum of each column with 32 x 8 tiles: eight threads share a column through shared memory.
__global__ void col_sum_tile(int rows, int cols, const float* m, float* out) {
  __shared__ float s[TILE_Y][TILE_X + 1];
  int c = blockIdx.x * TILE_X + threadIdx.x;
  float v = 0.f;
  if (c < cols) {
    for (int r = threadIdx.y; r < rows; r += TILE_Y) v += m[(size_t)r * cols + c];
  }
  s[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int k = 1; k < TILE_Y; ++k) v += s[k][threadIdx.x];
    out[c] = v;
  }
}

void run_col_sum_tile(int rows, int cols, const float* m, float* out) {
  dim3 b(TILE_X, TILE_Y), g((cols + TILE_X - 1) / TILE_X);
  col_sum_tile<<<g, b>>>(rows, cols, m, out);
}

// Mean of each column, one block per column, strided reads (rows > 0).
__global__ void col_mean_block(float* mean, const float* m, int rows, int cols) {
  extern __shared__ float sh[];
  const int c = blockIdx.x;
  float v = 0.f;
  for (int r = threadIdx.x; r < rows; r += blockDim.x) v += m[r * cols + c];
  sh[threadIdx.x] = v;
  __syncthreads();
  for (int d = blockDim.x >> 1; d; d >>= 1) {
    if (threadIdx.x < d) sh[threadIdx.x] += sh[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) mean[c] = sh[0] / rows;
}

// Maximum of each column in int with atomics over blockIdx.y strips (caller sets INT_MIN).
__global__ void col_max_strips(const int* m, int* out, int rows, int cols, int strip) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  int first = blockIdx.y * strip;
  int last = min(first + strip, rows);
  int best = -2147483647 - 1;
  for (int r = first; r < last; ++r) best = max(best, m[r * cols + c]);
  atomicMax(&out[c], best);
}

void run_col_max_strips(const int* m, int* out, int rows, int cols) {
  const int strip = 64;
  dim3 grid((cols + 255) / 256, (rows + strip - 1) / strip);
  col_max_strips<<<grid, 256>>>(m, out, rows, cols, strip);
}
