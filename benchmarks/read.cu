// The benchmark's own kernels: one only reads an input, at the bandwidth with which sums are compared; one
// folds the partial sums of a kernel, so that all contenders end with one value.
#include <cstddef>

/// `vectors` of 16 bytes. `bits` is nonzero and stays so: nothing is stored, which only the caller knows.
extern "C" __global__ void read_all(const uint4* input, unsigned* never, std::size_t vectors, unsigned bits) {
  constexpr int unrolled = 8;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (unrolled - 1) * stride < vectors; i += unrolled * stride) {
    uint4 read[unrolled];
#pragma unroll
    for (int k = 0; k < unrolled; ++k) read[k] = __ldcs(&input[i + k * stride]);
#pragma unroll
    for (int k = 0; k < unrolled; ++k) bits |= read[k].x | read[k].y | read[k].z | read[k].w;
  }
  for (; i < vectors; i += stride) bits |= input[i].x | input[i].y | input[i].z | input[i].w;
  if (bits == 0) *never = bits;
}

/// For one block of 1024 threads. May start before the kernel that writes the partials has ended, and waits
/// for it.
extern "C" __global__ void fold_partials(const float* partials, float* total, std::size_t count) {
  __shared__ float warps[32];
  cudaGridDependencySynchronize();
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) sum += partials[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = warps[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x == 0) *total = sum;
}
