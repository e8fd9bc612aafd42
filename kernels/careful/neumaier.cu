// E2: Neumaier's compensated sum: the errors of the additions are summed separately and added at the end.
#include <cstddef>

#include "../element_types.cuh"
#include "compensated.cuh"

template <typename T>
__global__ void neumaier(const T* input, Compensated<Wide<T>>* partials, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  Wide<T> sum = 0, lost = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const Wide<T> element = widen(input[i]);
    const Wide<T> next = sum + element;
    // The smaller of the two loses digits: the larger minus the result is exact. Kahan's loop always assumes
    // that the sum is larger, so that 1, 1e100, 1, -1e100 gives 0.
    lost += fabs(sum) >= fabs(element) ? (sum - next) + element : (element - next) + sum;
    sum = next;
  }

  const Compensated<Wide<T>> total = reduce_block<Merge>(Compensated<Wide<T>>{sum, lost});
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}
