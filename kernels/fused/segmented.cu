// F9: a reduction of each segment of an input, one warp per segment. Segments differ in length, and may be empty.
#include <cstddef>
#include <cstdint>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// Segment s holds the elements from offsets[s] up to offsets[s + 1]. blockDim.x is a multiple of 32.
template <typename Op, typename T>
__global__ void segmented(const T* input, const std::uint64_t* offsets, Wide<T>* results,
                          std::size_t segments) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t segment = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (segment >= segments) return;  // the whole warp, so that no shuffle waits for it

  Wide<T> value = Op::template identity<Wide<T>>();  // the result of an empty segment
  for (std::uint64_t i = offsets[segment] + lane; i < offsets[segment + 1]; i += 32) {
    value = Op::apply(value, widen(input[i]));
  }
  value = reduce_warp<Op>(value, 32);
  if (lane == 0) results[segment] = value;
}
