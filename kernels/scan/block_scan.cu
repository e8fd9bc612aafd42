// G2: a block's scan: each warp scans its lanes by shuffles, the first warp scans the warps' totals, and
// every warp adds the total of those before it.
#include "block_scan.cuh"

#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// One block, with at most one element per thread. `exclusive`: each result lacks its own element.
template <typename Op, typename T, bool exclusive>
__global__ void block_scan(const T* input, Wide<T>* scan, std::size_t count) {
  const std::size_t i = threadIdx.x;
  const Wide<T> value = scan_block<Op, exclusive>(element_or_identity<Op>(input, i, count)).value;
  if (i < count) scan[i] = value;
}
