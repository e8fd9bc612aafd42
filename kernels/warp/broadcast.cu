// B10: the total of a warp, which a tree of shuffles leaves in lane 0 alone, broadcast to every lane.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../tree/coarsened.cuh"
#include "block_shuffle.cuh"

/// Folds one value per lane over the first `lanes` lanes of the warp, exactly those that call; each of them
/// returns the total.
template <typename Op, typename T>
__device__ T reduce_warp_to_all(T value, unsigned lanes) {
  value = reduce_warp<Op>(value, lanes);
  // The other lanes hold what was left over in their part of the tree. One more shuffle, in which all read
  // the register of lane 0, where shared memory would take a store, a warp barrier and a load.
  return __shfl_sync(0xffffffffu >> (32 - lanes), value, 0);
}

/// One warp of 1 to 32 lanes; every lane writes the total of the whole input.
template <typename Op, typename T>
__global__ void broadcast(const T* input, Wide<T>* totals, std::size_t count) {
  totals[threadIdx.x] = reduce_warp_to_all<Op>(fold_block_stride<Op>(input, count), blockDim.x);
}
