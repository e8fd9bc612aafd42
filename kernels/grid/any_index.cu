// C12: a grid-stride loop whose index never overflows, whatever its type, even for the largest count of that type.
#include "../element_types.cuh"
#include "../reduction_operators.cuh"
#include "../warp/block_shuffle.cuh"

/// `Index` is unsigned, and the count may be its largest value. A narrow one saves registers and
/// instructions: an addition of 64 bits is two of 32.
template <typename Op, typename T, typename Index>
__global__ void any_index(const T* input, Wide<T>* partials, Index count) {
  // In 64 bits, since the threads of a grid may be more than Index can count.
  const unsigned long long first = 1ull * blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned long long stride = 1ull * gridDim.x * blockDim.x;

  Wide<T> value = Op::template identity<Wide<T>>();
  if (first < count) {
    Index i = static_cast<Index>(first);
    value = Op::apply(value, widen(input[i]));
    // The usual `i += stride; i < count` wraps where count is within a stride of the largest Index, and
    // starts again from the beginning. The count that remains after i cannot wrap, since i < count.
    while (stride < static_cast<Index>(count - i)) {
      i = static_cast<Index>(i + stride);
      value = Op::apply(value, widen(input[i]));
    }
  }

  const Wide<T> total = reduce_block<Op>(value);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
