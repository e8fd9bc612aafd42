// How to call CUB's device-wide algorithms.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// Calls CUB twice: without memory, it only returns the required size; then it runs with that much. An
/// application that calls repeatedly would keep the memory.
template <typename Call>
cudaError_t with_scratch(const Call& call) {
  void* scratch = nullptr;
  std::size_t bytes = 0;
  if (const cudaError_t error = call(scratch, bytes); error != cudaSuccess) return error;
  if (const cudaError_t error = cudaMalloc(&scratch, bytes); error != cudaSuccess) return error;
  const cudaError_t error = call(scratch, bytes);
  const cudaError_t freed = cudaFree(scratch);  // waits for what was launched
  return error != cudaSuccess ? error : freed;
}
