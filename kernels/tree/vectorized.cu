// A13: 16-byte loads, several in flight per thread, independent accumulators, and a shuffle tail.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../vectors.cuh"
#include "../warp/block_shuffle.cuh"
#include "coarsened.cuh"

// The bound keeps blocks of 1024 threads possible where the accumulators of 8-bit elements would take more than 64
// registers.
template <typename Op, typename T>
__global__ void __launch_bounds__(1024) vectorized(const T* input, Wide<T>* partials, std::size_t count) {
  constexpr unsigned width = Vector<T>::width, unroll = 4;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;

  const std::size_t head = elements_before_boundary(input, count);
  const std::size_t vectors = (count - head) / width;
  const Vector<T>* body = reinterpret_cast<const Vector<T>*>(input + head);

  // One accumulator for each element in flight: no addition waits for the one before.
  Wide<T> sums[unroll][width];
#pragma unroll
  for (unsigned u = 0; u < unroll; ++u) {
#pragma unroll
    for (unsigned e = 0; e < width; ++e) sums[u][e] = Op::template identity<Wide<T>>();
  }

  std::size_t i = first;
  for (; i + (unroll - 1) * stride < vectors; i += unroll * stride) {
    Vector<T> loaded[unroll];  // all loads first, so that memory serves them together
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) loaded[u] = body[i + u * stride];
#pragma unroll
    for (unsigned u = 0; u < unroll; ++u) {
#pragma unroll
      for (unsigned e = 0; e < width; ++e) sums[u][e] = Op::apply(sums[u][e], widen(loaded[u].element[e]));
    }
  }
  for (; i < vectors; i += stride) {
    const Vector<T> loaded = body[i];
#pragma unroll
    for (unsigned e = 0; e < width; ++e) sums[0][e] = Op::apply(sums[0][e], widen(loaded.element[e]));
  }

  // The few elements before and after the vectors, one by one.
  const std::size_t tail = head + vectors * width;
  Wide<T> value = fold_grid_stride<Op>(input, head);
  value = Op::apply(value, fold_grid_stride<Op>(input + tail, count - tail));

#pragma unroll
  for (unsigned u = 0; u < unroll; ++u) {
#pragma unroll
    for (unsigned e = 0; e < width; ++e) value = Op::apply(value, sums[u][e]);
  }

  const Wide<T> total = reduce_block<Op>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
