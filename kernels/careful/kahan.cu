// E2: Kahan's compensated sum: the error of each addition is subtracted from the next element.
#include <cstddef>

#include "../element_types.cuh"
#include "compensated.cuh"

template <typename T>
__global__ void kahan(const T* input, Compensated<Wide<T>>* partials, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Wide<T> sum = 0, excess = 0;  // `sum` is too large by `excess`
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const Wide<T> element = widen(input[i]) - excess;
    const Wide<T> next = sum + element;
    // The amount added to the sum, minus the amount that should have been added. In real arithmetic that is zero, and a
    // compiler that may reorder additions (-ffast-math elsewhere; nvcc never does) leaves a plain sum.
    const Wide<T> too_much = (next - sum) - element;
    excess = isfinite(next) ? too_much : 0;  // inf - inf would make every later sum a NaN
    sum = next;
  }

  const Compensated<Wide<T>> total = reduce_block<Merge>(Compensated<Wide<T>>{sum, -excess});
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
