// The sums of CUB and Thrust, as functions that `foldproof-lab bench` loads and calls on its own stream.
// Device addresses are passed as integers.
#include <cub/device/device_reduce.cuh>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cstddef>
#include <cstdint>

/// Without `scratch`, only sets `bytes` to its required size.
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

/// The sum is returned to the host, which waits for it: the cost for users of Thrust.
extern "C" cudaError_t foldproof_thrust_sum(std::uint64_t input, float* output, std::size_t count, cudaStream_t stream) {
  const auto* const first = reinterpret_cast<const float*>(input);
  *output = thrust::reduce(thrust::cuda::par.on(stream), first, first + count, 0.0f);
  return cudaGetLastError();
}
