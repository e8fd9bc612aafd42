// F7: LayerNorm of rows, one block per row: the distance of every element from the mean, divided by the
// deviation, times the weight plus the bias of its column.
#include <cstddef>

#include "../element_types.cuh"
#include "two_pass.cuh"

template <typename T>
__global__ void layer_norm(const T* input, const T* weights, const T* biases, T* output, std::size_t columns,
                           Wide<T> epsilon) {
  const T* row = input + std::size_t{blockIdx.x} * columns;
  const Moments<Wide<T>> moments = two_pass(row, columns);
  const Wide<T> scale = 1 / sqrt(moments.variance + epsilon);
  for (std::size_t c = threadIdx.x; c < columns; c += blockDim.x) {
    // Computes the difference first: (x * scale - mean * scale) would cancel where the mean is large.
    const Wide<T> normalised = (widen(row[c]) - moments.mean) * scale;
    output[std::size_t{blockIdx.x} * columns + c] =
        static_cast<T>(normalised * widen(weights[c]) + widen(biases[c]));
  }
}
