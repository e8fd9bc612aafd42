// The sums of CUB and Thrust, as functions that `foldproof bench kernels` opens and calls on a stream of its own.
// Addresses of the device come as numbers.
#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cstddef>
#include <cstdint>

/// Without `scratch`, only says in `bytes` how much of it there must be.
extern "C" cudaError_t foldproof_cub_sum(std::uint64_t input, std::uint64_t output, std::size_t count,
                                         std::uint64_t scratch, std::size_t* bytes, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(reinterpret_cast<void*>(scratch), *bytes, reinterpret_cast<const float*>(input),
                                reinterpret_cast<float*>(output), count, stream);
}

/// The sum comes back to the host, which waits for it: what Thrust's users pay.
extern "C" cudaError_t foldproof_thrust_sum(std::uint64_t input, float* output, std::size_t count, cudaStream_t stream) {
  const auto* const first = reinterpret_cast<const float*>(input);
  *output = thrust::reduce(thrust::cuda::par.on(stream), first, first + count, 0.0f);
  return cudaGetLastError();
}
