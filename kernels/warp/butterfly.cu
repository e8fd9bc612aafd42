// B2: a butterfly of shuffles, after which every lane has the total.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// Folds one value a lane; every lane returns the total. All 32 lanes call.
template <typename Op, typename T>
__device__ T reduce_butterfly(T value) {
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    // Lanes whose numbers differ in this one bit exchange their values and fold the same two. No lane is
    // left without a partner, so all work to the end, where a tree of shuffles down lets half fall idle:
    // the total costs no broadcast.
    value = Op::apply(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  // The same bits in every lane: partners fold in opposite order, and Op does not mind.
  return value;
}

/// One warp, each of whose lanes leaves the total of the whole input.
template <typename Op, typename T>
__global__ void butterfly(const T* input, Wide<T>* totals, std::size_t count) {
  Wide<T> value = Op::template identity<Wide<T>>();
  for (std::size_t i = threadIdx.x; i < count; i += 32) value = Op::apply(value, widen(input[i]));

  totals[threadIdx.x] = reduce_butterfly<Op>(value);
}
