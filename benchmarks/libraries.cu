// The sums of CUB and Thrust, as functions that `foldproof-lab bench` opens and calls on a stream of its own.
// Addresses of the device come as numbers.
#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cstddef>
#include <cstdint>

/// Without `scratch`, only says in `bytes` how much of it there must be.
template <typename T>
cudaError_t cub_sum(std::uint64_t input, std::uint64_t output, std::size_t count, std::uint64_t scratch,
                    std::size_t* bytes, cudaStream_t stream) {
  return cub::DeviceReduce::Sum(reinterpret_cast<void*>(scratch), *bytes, reinterpret_cast<const T*>(input),
                                reinterpret_cast<T*>(output), count, stream);
}

extern "C" cudaError_t foldproof_cub_sum_f32(std::uint64_t input, std::uint64_t output, std::size_t count,
                                             std::uint64_t scratch, std::size_t* bytes, cudaStream_t stream) {
  return cub_sum<float>(input, output, count, scratch, bytes, stream);
}

extern "C" cudaError_t foldproof_cub_sum_f64(std::uint64_t input, std::uint64_t output, std::size_t count,
                                             std::uint64_t scratch, std::size_t* bytes, cudaStream_t stream) {
  return cub_sum<double>(input, output, count, scratch, bytes, stream);
}

/// The sum comes back to the host, which waits for it: what Thrust's users pay.
extern "C" cudaError_t foldproof_thrust_sum(std::uint64_t input, float* output, std::size_t count, cudaStream_t stream) {
  const auto* const first = reinterpret_cast<const float*>(input);
  *output = thrust::reduce(thrust::cuda::par.on(stream), first, first + count, 0.0f);
  return cudaGetLastError();
}
