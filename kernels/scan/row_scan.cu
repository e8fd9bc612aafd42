// G7: scans of rows, one block per row: tiles of one element per thread, each scanned by the block. The fold of the
// tiles so far is carried to the next.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "block_scan.cuh"

/// `exclusive`: each result lacks its own element.
template <typename Op, typename T, bool exclusive>
__global__ void row_scan(const T* input, Wide<T>* scans, std::size_t columns) {
  const std::size_t first = std::size_t{blockIdx.x} * columns;
  Wide<T> carried = Op::template identity<Wide<T>>();
  for (std::size_t begin = 0; begin < columns; begin += blockDim.x) {
    const std::size_t c = begin + threadIdx.x;
    const auto tile = scan_block<Op, exclusive>(element_or_identity<Op>(input + first, c, columns));
    if (c < columns) scans[first + c] = Op::apply(carried, tile.value);
    carried = Op::apply(carried, tile.total);
  }
}
