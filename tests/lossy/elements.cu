// A thread computes a result for each element, or counts them one by one, and loses the last one or uses it twice.
#include "lossy.cuh"

template <typename Op, typename T, Fault fault>
__global__ void scan(const T* input, T* output, std::size_t count) {
  T total = Op::template identity<T>();
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    if (!(fault == Fault::drop && last)) total = Op::apply(total, input[i]);
    if (fault == Fault::repeat && last) total = Op::apply(total, input[i]);
    if (fault == Fault::beyond && !last) total = Op::apply(total, input[i + 1]);
    output[i] = total;  // finding: wrong-value, input-not-used?, input-used-twice?, contract-violation?
  }
}

template <Fault fault>
__global__ void histogram(const unsigned char* input, unsigned* bins, std::size_t count) {
  for (std::size_t i = 0; i + (fault == Fault::drop ? 1 : 0) < count; ++i) {
    bins[input[i]] += fault == Fault::repeat && i + 1 == count ? 2 : 1;
  }
}
