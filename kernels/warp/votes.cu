// B6: questions that a warp answers by votes: is any element set, are all, how many are. An element is set if
// it is not zero, so NaN is set. No value is ever shuffled.
#include <cstddef>

#include "../element_types.cuh"

/// A question: `vote` answers it for 32 elements, one element per lane (is it set, does it exist), `combine`
/// merges two answers, and `none` is the answer for no elements.
struct Any {
  __device__ static unsigned vote(bool set, bool) { return __any_sync(0xffffffffu, set); }
  __device__ static unsigned combine(unsigned a, unsigned b) { return a | b; }
  static constexpr unsigned none = 0;
};

struct All {
  // A lane past the end has nothing to object to.
  __device__ static unsigned vote(bool set, bool exists) { return __all_sync(0xffffffffu, set || !exists); }
  __device__ static unsigned combine(unsigned a, unsigned b) { return a & b; }
  static constexpr unsigned none = 1;
};

struct Count {
  __device__ static unsigned vote(bool set, bool) { return __popc(__ballot_sync(0xffffffffu, set)); }
  __device__ static unsigned combine(unsigned a, unsigned b) { return a + b; }
  static constexpr unsigned none = 0;
};

/// One row per warp; blockDim.x is a multiple of 32.
template <typename Question, typename T>
__global__ void votes(const T* input, unsigned* answers, std::size_t rows, std::size_t columns) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;  // the whole warp, so that no vote waits for it

  unsigned answer = Question::none;
  // The loop's bound is the same for all lanes: each takes part in every vote, even past the end of the row.
  for (std::size_t begin = 0; begin < columns; begin += 32) {
    const std::size_t column = begin + lane;
    const bool exists = column < columns;
    const bool set = exists && widen(input[row * columns + column]) != 0;
    answer = Question::combine(answer, Question::vote(set, exists));
  }
  if (lane == 0) answers[row] = answer;
}
