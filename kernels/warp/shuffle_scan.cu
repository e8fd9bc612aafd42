// B10: an inclusive scan of a warp by shuffle-up instructions, for any number of lanes.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../scan/warp_scan.cuh"

/// One warp of 1 to 32 lanes, with at most one element per lane.
template <typename Op, typename T>
__global__ void shuffle_scan(const T* input, Wide<T>* scan, std::size_t count) {
  const std::size_t i = threadIdx.x;
  // Lanes past the end contribute the identity instead of returning: the shuffles name them.
  const Wide<T> value = scan_warp<Op>(element_or_identity<Op>(input, i, count), blockDim.x);
  if (i < count) scan[i] = value;
}
