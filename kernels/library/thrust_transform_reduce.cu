// C7-transform: thrust::transform_reduce, here for the largest magnitude.
#include <thrust/execution_policy.h>
#include <thrust/transform_reduce.h>

#include <cstddef>

#include "../fused/magnitude.cuh"
#include "functor.cuh"

template <typename T>
struct ToMagnitude {
  __device__ Magnitude<T> operator()(T element) const { return magnitude(element); }
};

template <typename T>
cudaError_t thrust_absmax(const T* input, Magnitude<T>* output, std::size_t count) {
  // Nothing is stored between the two steps: each element is transformed as it is loaded. No magnitude lies
  // below 0.
  const auto largest = thrust::transform_reduce(thrust::device, input, input + count, ToMagnitude<T>{},
                                                Magnitude<T>{0}, Functor<Max, Magnitude<T>>{});
  return cudaMemcpy(output, &largest, sizeof largest, cudaMemcpyHostToDevice);
}
