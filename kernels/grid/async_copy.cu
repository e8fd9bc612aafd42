// C13: asynchronous copies to shared memory in two stages: while a thread folds one vector, the next one is
// being copied.
#include <cuda_pipeline.h>

#include <cstddef>

#include "../dynamic_shared.cuh"
#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../tree/coarsened.cuh"
#include "../vectors.cuh"
#include "../warp/block_shuffle.cuh"

template <typename Op, typename T>
__global__ void async_copy(const T* input, Wide<T>* partials, std::size_t count) {
  constexpr unsigned width = Vector<T>::width;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;

  // An asynchronous copy moves 4, 8 or 16 bytes at their alignment, never one narrow element.
  const std::size_t head = elements_before_boundary(input, count);
  const std::size_t vectors = (count - head) / width;
  const Vector<T>* body = reinterpret_cast<const Vector<T>*>(input + head);

  // Two slots per thread, which no other thread uses: it waits for its own copies and needs no barrier.
  Vector<T>* slots = dynamic_shared<Vector<T>>();
  const auto slot = [&](unsigned stage) { return slots + stage * blockDim.x + threadIdx.x; };
  const auto fetch = [&](std::size_t i, unsigned stage) {
    if (i < vectors) __pipeline_memcpy_async(slot(stage), body + i, sizeof(Vector<T>));
    // Past the end too: the wait below counts groups, an empty one among them.
    __pipeline_commit();
  };

  Wide<T> value = Op::template identity<Wide<T>>();
  unsigned stage = 0;
  fetch(first, stage);
  for (std::size_t i = first; i < vectors; i += stride) {
    fetch(i + stride, stage ^ 1);
    __pipeline_wait_prior(1);  // all groups but the newest have arrived, so this round's has
    const Vector<T> arrived = *slot(stage);
#pragma unroll
    for (unsigned e = 0; e < width; ++e) value = Op::apply(value, widen(arrived.element[e]));
    stage ^= 1;
  }

  // The few elements before and after the vectors, one by one.
  const std::size_t tail = head + vectors * width;
  value = Op::apply(value, fold_grid_stride<Op>(input, head));
  value = Op::apply(value, fold_grid_stride<Op>(input + tail, count - tail));

  const Wide<T> total = reduce_block<Op>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
