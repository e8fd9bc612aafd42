// G1: a warp scans an input of any length, 32 elements at a time: each chunk by a Hillis-Steele scan, to
// which the total of the previous chunks is added.
#include "warp_scan.cuh"

#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// One warp. `exclusive`: each result lacks its own element.
template <typename Op, typename T, bool exclusive>
__global__ void warp_scan(const T* input, Wide<T>* scan, std::size_t count) {
  const unsigned lane = threadIdx.x;
  Wide<T> before = Op::template identity<Wide<T>>();
  // The bound is that of the whole chunk, so that no lane leaves while others still shuffle.
  for (std::size_t chunk = 0; chunk < count; chunk += 32) {
    const std::size_t i = chunk + lane;
    const Wide<T> inclusive = scan_warp<Op>(element_or_identity<Op>(input, i, count), 32);
    const Wide<T> value = exclusive ? without_own<Op>(inclusive, 32) : inclusive;
    if (i < count) scan[i] = Op::apply(before, value);
    // The last lane has the fold of the chunk; all lanes take it from there.
    before = Op::apply(before, __shfl_sync(0xffffffffu, inclusive, 31));
  }
}
