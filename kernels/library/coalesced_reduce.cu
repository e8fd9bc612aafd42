// C8-coalesced: cooperative_groups::reduce on the threads that are converged inside a branch.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstddef>

#include "../atomic_operators.cuh"
#include "../element_types.cuh"
#include "functor.cuh"

namespace cg = cooperative_groups;

/// `result` holds the identity before the launch.
template <typename Op, typename T>
__global__ void coalesced_reduce(const T* input, Wide<T>* result, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) {
    // The lanes converged at this point, which need not be all that take the branch: others may form a group
    // of their own. A group's total is therefore not that of the warp; each is folded in separately.
    const auto together = cg::coalesced_threads();
    const Wide<T> total = cg::reduce(together, widen(input[i]), Functor<Op, Wide<T>>{});
    if (together.thread_rank() == 0) atomic_apply(Op{}, result, total);
  }
}
