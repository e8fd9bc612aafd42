// C6-block: cub::BlockReduce by each of its three algorithms.
#include <cub/block/block_reduce.cuh>

#include <cstddef>

#include "../element_types.cuh"
#include "functor.cuh"

/// A block has exactly `threads`, which need not be a multiple of 32.
template <cub::BlockReduceAlgorithm algorithm, typename Op, typename T, int threads>
__global__ void block_reduce(const T* input, Wide<T>* partials, std::size_t count) {
  using Reduction = cub::BlockReduce<Wide<T>, threads, algorithm>;
  // Shared by the threads of the block; before it is used again, they need a barrier.
  __shared__ typename Reduction::TempStorage scratch;

  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  // All threads of the block call, including those past the end: the library waits for them.
  const Wide<T> value = element_or_identity<Op>(input, i, count);
  const Wide<T> total = Reduction(scratch).Reduce(value, Functor<Op, Wide<T>>{});
  // The return value of the other threads is undefined.
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
