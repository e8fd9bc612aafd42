// B5: a warp's integers folded by one instruction, redux.sync (sm_80 and later, 32 bits). As always, the mask
// names the lanes that take part, and each of them gets the result.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

template <typename T>
__device__ T redux(Sum, unsigned mask, T value) {
  return __reduce_add_sync(mask, value);
}
template <typename T>
__device__ T redux(Min, unsigned mask, T value) {
  return __reduce_min_sync(mask, value);
}
template <typename T>
__device__ T redux(Max, unsigned mask, T value) {
  return __reduce_max_sync(mask, value);
}
// Bits have no sign: these intrinsics take unsigned integers only.
template <typename T>
__device__ T redux(And, unsigned mask, T value) {
  return static_cast<T>(__reduce_and_sync(mask, static_cast<unsigned>(value)));
}
template <typename T>
__device__ T redux(Or, unsigned mask, T value) {
  return static_cast<T>(__reduce_or_sync(mask, static_cast<unsigned>(value)));
}
template <typename T>
__device__ T redux(Xor, unsigned mask, T value) {
  return static_cast<T>(__reduce_xor_sync(mask, static_cast<unsigned>(value)));
}

/// One partial result per warp; the last warp may have fewer than 32 threads.
template <typename Op, typename T>
__global__ void redux_sync(const T* input, T* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const unsigned warp = threadIdx.x / 32, warps = (blockDim.x + 31) / 32;
  const unsigned existing = 0xffffffffu >> (32 - min(32u, blockDim.x - 32 * warp));

  const T total = redux(Op{}, existing, element_or_identity<Op>(input, i, count));
  if (threadIdx.x % 32 == 0) partials[std::size_t{blockIdx.x} * warps + warp] = total;
}
