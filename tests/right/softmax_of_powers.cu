// Softmax by powers of two of the scaled distances from the maximum.
#include <cmath>

__global__ void softmax_of_powers(const float* scores, float* shares, unsigned count) {
  constexpr float log2_e = 1.44269504f;
  float highest = -INFINITY, sum = 0.0f;
  for (unsigned i = 0; i < count; ++i) highest = fmaxf(highest, scores[i]);
  for (unsigned i = 0; i < count; ++i) sum += exp2f((scores[i] - highest) * log2_e);
  const float each = 1.0f / sum;
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    shares[i] = exp2f((scores[i] - highest) * log2_e) * each;
}
