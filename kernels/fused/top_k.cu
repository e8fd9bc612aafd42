// F8: the k largest elements of rows of at most 64, and their indices, one warp per row: how a router chooses experts.
#include <cstddef>
#include <cstdint>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

template <typename W>
struct Candidate {
  W value;
  std::uint32_t column;
};

/// Whether a is chosen before b: NaN before every number, then the larger one, then the first of equal ones.
template <typename W>
__device__ bool precedes(Candidate<W> a, Candidate<W> b) {
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  if (a_nan != b_nan) return a_nan;
  if (!a_nan && a.value != b.value) return a.value > b.value;
  return a.column < b.column;
}

/// The first of a warp's candidates, in every lane.
template <typename W>
__device__ Candidate<W> first_of_warp(Candidate<W> mine) {
  for (unsigned step = 16; step > 0; step /= 2) {
    const Candidate<W> other{__shfl_xor_sync(0xffffffffu, mine.value, step),
                             __shfl_xor_sync(0xffffffffu, mine.column, step)};
    if (precedes(other, mine)) mine = other;
  }
  return mine;
}

/// blockDim.x is a multiple of 32; columns is at most 64, and k at most columns.
template <typename T>
__global__ void top_k(const T* input, std::uint32_t* places, Wide<T>* values, std::size_t rows,
                      std::uint32_t columns, std::uint32_t k) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;  // the whole warp, so that no shuffle waits for it

  // Ordered after every element of the row, whatever its value: a column that does not exist.
  const Candidate<Wide<T>> none{Max::identity<Wide<T>>(), 0xffffffffu};
  Candidate<Wide<T>> mine[2];
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint32_t column = lane + 32 * i;
    mine[i] = column < columns ? Candidate<Wide<T>>{widen(input[row * columns + column]), column} : none;
  }
  for (std::uint32_t rank = 0; rank < k; ++rank) {
    const Candidate<Wide<T>> best = first_of_warp(precedes(mine[1], mine[0]) ? mine[1] : mine[0]);
    if (lane == 0) {
      places[row * k + rank] = best.column;
      values[row * k + rank] = best.value;
    }
    // Columns are distinct, so one candidate alone is taken out, however many have its value.
    for (unsigned i = 0; i < 2; ++i) {
      if (mine[i].column == best.column) mine[i] = none;
    }
  }
}
