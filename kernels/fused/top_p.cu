// F10: how many of a row's sorted probabilities make up a mass of p, one warp per row: a scan of 32 at a
// time, cut where the sum passes p.
#include <cstddef>
#include <cstdint>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../scan/warp_scan.cuh"

/// blockDim.x is a multiple of 32. All `columns` where the whole row does not reach p.
template <typename T>
__global__ void top_p(const T* probabilities, std::uint32_t* kept, std::size_t rows, std::uint32_t columns,
                      Wide<T> p) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;  // the whole warp, so that no shuffle waits for it

  Wide<T> before = 0;  // the sum of the chunks so far
  for (std::size_t chunk = 0; chunk < columns; chunk += 32) {
    const std::size_t column = chunk + lane;
    Wide<T> sum = column < columns ? widen(probabilities[row * columns + column]) : Wide<T>{0};
    sum = scan_warp<Sum>(sum, 32);
    // The first lane of all that have reached p; those past the row add nothing and are after it.
    const unsigned reached = __ballot_sync(0xffffffffu, before + sum >= p);
    if (reached != 0) {
      if (lane == 0) kept[row] = static_cast<std::uint32_t>(chunk) + __ffs(reached);
      return;
    }
    before += __shfl_sync(0xffffffffu, sum, 31);
  }
  if (lane == 0) kept[row] = columns;
}
