// B1: one warp folds its 32 values by shuffles, as a loop and unrolled by hand.
#include <cstddef>

#include "../element_types.cuh"
#include "../reduction_operators.cuh"

/// Folds one value per lane; lane 0 returns the total, the other lanes partial results. All 32 lanes call.
template <typename Op>
struct Looped {
  template <typename T>
  __device__ static T reduce(T value) {
    for (unsigned step = 16; step > 0; step /= 2) {
      // A lane reads the register of the lane `step` above it: no shared memory, and no barrier, since the
      // shuffle synchronizes the lanes named by the mask. A lane without a lane above it gets its own value,
      // which affects only results that are not used.
      value = Op::apply(value, __shfl_down_sync(0xffffffffu, value, step));
    }
    return value;
  }
};

template <typename Op>
struct Unrolled {
  template <typename T>
  __device__ static T reduce(T value) {
    value = Op::apply(value, __shfl_down_sync(0xffffffffu, value, 16));
    value = Op::apply(value, __shfl_down_sync(0xffffffffu, value, 8));
    value = Op::apply(value, __shfl_down_sync(0xffffffffu, value, 4));
    value = Op::apply(value, __shfl_down_sync(0xffffffffu, value, 2));
    value = Op::apply(value, __shfl_down_sync(0xffffffffu, value, 1));
    return value;
  }
};

/// Every warp of the grid writes the total of its 32 elements.
template <template <typename> class Form, typename Op, typename T>
__global__ void shuffle_down(const T* input, Wide<T>* partials, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // Lanes past the end contribute the identity instead of returning: the mask names them.
  const Wide<T> value = element_or_identity<Op>(input, i, count);

  const Wide<T> total = Form<Op>::reduce(value);
  if (threadIdx.x % 32 == 0) partials[i / 32] = total;
}
