// C6-warp: cub::WarpReduce over the whole of a warp, or over logical warps of fewer lanes.
#include <cub/warp/warp_reduce.cuh>

#include <cstddef>

#include "../element_types.cuh"
#include "functor.cuh"

/// One partial result per `width` lanes; blockDim.x is a multiple of 32.
template <typename Op, typename T, int width>
__global__ void warp_reduce(const T* input, Wide<T>* partials, std::size_t count) {
  using Reduction = cub::WarpReduce<Wide<T>, width>;
  __shared__ typename Reduction::TempStorage scratch[1024 / width];  // one for each that a block may hold

  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // All lanes call. The library folds only the first `valid` values, so no identity is needed, except if
  // there are no values: lane 0's own value is then the total.
  const std::size_t first = i / width * width;
  const int valid = first < count ? static_cast<int>(min(count - first, std::size_t{width})) : 0;
  Wide<T> value = element_or_identity<Op>(input, i, count);
  value = Reduction(scratch[threadIdx.x / width]).Reduce(value, Functor<Op, Wide<T>>{}, valid);
  if (i == first) partials[i / width] = value;
}
