// A scan of each block's elements, and the blocks' totals; the number 32 is the width of its shuffles.
__global__ void scan_warps(int* data, int width, int* totals) {
  __shared__ int sums[32];
  const int id = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = data[id];
  for (int i = 1; i <= width; i *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, value, i, width);
    if (lane >= i) value += other;
  }
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  int before = 0;
  for (int i = 0; i < warp; ++i) before += sums[i];
  data[id] = value + before;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = value + before;
}
void launch(int* data, int* totals, int n) {
  const int block = 256;
  scan_warps<<<n / block, block>>>(data, 32, totals);
}
