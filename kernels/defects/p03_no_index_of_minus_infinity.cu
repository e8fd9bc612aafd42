// P3: the index of the largest element starts at -1, and an element replaces it only if it is greater than -infinity: a
// row of -infinity has the index -1. Seen in a tensor library. Fixed by starting from the first element: F3.
#include <cmath>

__global__ void no_index_of_minus_infinity(const float* input, int* output, int count) {
  float largest = -INFINITY;
  int index = -1;
  for (int i = 0; i < count; ++i)
    if (input[i] > largest) largest = input[i], index = i;
  *output = index;  // finding: wrong-value
}
