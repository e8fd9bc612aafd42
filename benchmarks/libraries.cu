// The sums of CUB and Thrust, as functions that `foldproof bench kernels` opens and calls on a stream of its own.
#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cstddef>

/// Without `scratch`, only says in `bytes` how much of it there must be.
extern "C" cudaError_t foldproof_cub_sum(const float* input, float* output, std::size_t count, void* scratch,
                                         std::size_t* bytes, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(scratch, *bytes, input, output, count, stream);
}

/// The sum comes back to the host, which waits for it: what Thrust's users pay.
extern "C" cudaError_t foldproof_thrust_sum(const float* input, float* output, std::size_t count, cudaStream_t stream) {
  *output = thrust::reduce(thrust::cuda::par.on(stream), input, input + count, 0.0f);
  return cudaGetLastError();
}
