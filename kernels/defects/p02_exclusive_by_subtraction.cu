// P2: an exclusive scan as the inclusive one minus the element. The difference of two large sums cancels, and of two
// infinities is NaN. Seen in a tensor library. Fixed by storing the sum before the element is added: G1.
#include <cstddef>

__global__ void exclusive_by_subtraction(const float* input, float* output, std::size_t count) {
  float sum = 0.0f;
  for (std::size_t i = 0; i < count; ++i) {
    sum += input[i];
    output[i] = sum - input[i];  // finding: outside-bound
  }
}
