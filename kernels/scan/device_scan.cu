// G3: the scan of a whole grid in three launches: blocks scan their elements, one block scans the blocks'
// totals, and every block adds the total of those before it.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_scan.cuh"

/// Each block scans as many elements as it has threads, without those before them.
template <typename Op, typename T, bool exclusive>
__global__ void scan_blocks(const T* input, Wide<T>* scan, Wide<T>* totals, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto [value, total] = scan_block<Op, exclusive>(element_or_identity<Op>(input, i, count));
  if (i < count) scan[i] = value;
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

/// One block converts the totals into those before each block: an exclusive scan, for either kind of result.
template <typename Op, typename T>
__global__ void scan_totals(T* totals, unsigned blocks) {
  T before = Op::template identity<T>();
  // Chunk by chunk, so that one block serves any number of totals, not only as many as it has threads.
  for (unsigned chunk = 0; chunk < blocks; chunk += blockDim.x) {
    const unsigned i = chunk + threadIdx.x;
    const auto [value, total] = scan_block<Op, true>(i < blocks ? totals[i] : Op::template identity<T>());
    if (i < blocks) totals[i] = Op::apply(before, value);
    before = Op::apply(before, total);
  }
}

/// Launched as scan_blocks was. The ends of the launches are the barriers of the whole grid.
template <typename Op, typename T>
__global__ void add_offsets(T* scan, const T* offsets, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) scan[i] = Op::apply(offsets[blockIdx.x], scan[i]);
}
