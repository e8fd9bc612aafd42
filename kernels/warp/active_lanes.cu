// B6: how many elements are set, by warp-aggregated atomics: one for all lanes that happen to be together in
// the branch.
#include <cstddef>

#include "../element_types.cuh"

template <typename T>
__global__ void active_lanes(const T* input, unsigned* count_of_set, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count || widen(input[i]) == 0) return;
  // The hardware chooses which lanes are converged here, and any choice is correct: each set lane is in one
  // group, and is counted by the first lane of it. __activemask() is safe if any set of members is correct;
  // as the mask of a shuffle or a barrier that others must join (D10, H10) it is not.
  const unsigned group = __activemask();
  const unsigned lane = threadIdx.x % 32;
  if (lane == __ffs(group) - 1) atomicAdd(count_of_set, __popc(group));
}
