// F10: the running maximum of scores, whose chunks may be entirely masked, by one warp: a chunk of 32 at a
// time, with the maximum of all previous ones carried along.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../scan/warp_scan.cuh"

template <typename T>
__global__ void running_max(const T* scores, Wide<T>* maxima, std::size_t count) {
  const unsigned lane = threadIdx.x;
  Wide<T> carried = Max::identity<Wide<T>>();
  for (std::size_t chunk = 0; chunk < count; chunk += 32) {
    const std::size_t i = chunk + lane;
    Wide<T> highest = element_or_identity<Max>(scores, i, count);
    // A masked score is the identity. A chunk of only masked scores changes no maximum and needs no scan; the
    // vote gives all lanes the same answer, which the shuffles require. A NaN differs from the identity too.
    if (__any_sync(0xffffffffu, highest != Max::identity<Wide<T>>())) {
      highest = scan_warp<Max>(highest, 32);
    }
    highest = Max::apply(carried, highest);
    if (i < count) maxima[i] = highest;
    carried = __shfl_sync(0xffffffffu, highest, 31);
  }
}
