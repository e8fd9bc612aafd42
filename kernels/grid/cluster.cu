// C10: the first block of a cluster reads the shared memory of the others (distributed shared memory), so
// that one partial result per cluster remains. sm_90.
#include <cooperative_groups.h>

#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

template <typename Op, typename T>
__global__ void cluster(const T* input, Wide<T>* partials, std::size_t count) {
  const auto peers = cooperative_groups::this_cluster();
  __shared__ Wide<T> total;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const Wide<T> value = reduce_block<Op>(element_or_identity<Op>(input, i, count));
  if (threadIdx.x == 0) total = value;
  peers.sync();  // all blocks of the cluster have started, and their totals are complete

  if (peers.block_rank() == 0 && threadIdx.x == 0) {
    Wide<T> folded = total;
    for (unsigned rank = 1; rank < peers.num_blocks(); ++rank) {
      folded = Op::apply(folded, *peers.map_shared_rank(&total, rank));
    }
    partials[blockIdx.x / peers.num_blocks()] = folded;
  }
  // The shared memory of a block disappears when it exits: no block may exit before the first one has read.
  peers.sync();
}
