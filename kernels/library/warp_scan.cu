// C6-scan: cub::WarpScan, inclusive and exclusive; a warp walks through the input and carries the total so
// far.
#include <cub/warp/warp_scan.cuh>

#include <cstddef>

#include "../element_types.cuh"
#include "functor.cuh"

/// One warp. `exclusive`: each result lacks its own element.
template <typename Op, typename T, bool exclusive>
__global__ void warp_scan(const T* input, Wide<T>* scan, std::size_t count) {
  using Scan = cub::WarpScan<Wide<T>>;
  __shared__ typename Scan::TempStorage scratch;
  const Functor<Op, Wide<T>> fold;

  Wide<T> before = Op::template identity<Wide<T>>();
  // The bound is that of the warp, not of the lane: all lanes take part in every scan.
  for (std::size_t first = 0; first < count; first += 32) {
    const std::size_t i = first + threadIdx.x;
    Wide<T> value = element_or_identity<Op>(input, i, count), total;
    if constexpr (exclusive) {
      // Without the identity lane 0, which nothing precedes, would be left undefined.
      Scan(scratch).ExclusiveScan(value, value, Op::template identity<Wide<T>>(), fold, total);
    } else {
      Scan(scratch).InclusiveScan(value, value, fold, total);
    }
    if (i < count) scan[i] = fold(before, value);
    before = fold(before, total);
    __syncwarp();  // the library may only now use its scratch memory again
  }
}
