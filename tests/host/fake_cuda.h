// As much of CUDA's runtime as a host program needs, over the memory of this machine: host programs without a
// GPU, compiled by g++.
#pragma once

namespace foldproof::test {

/// What stands in the place of <cuda_runtime_api.h>.
inline constexpr const char* fake_cuda = R"(#pragma once
#include <cstdlib>
#include <cstring>
enum cudaError_t { cudaSuccess = 0, cudaErrorIllegalAddress = 700, cudaErrorNotSupported = 801 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
inline cudaError_t cudaMalloc(void** to, std::size_t bytes) { *to = std::malloc(bytes); return cudaSuccess; }
inline cudaError_t cudaFree(void* memory) { std::free(memory); return cudaSuccess; }
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorName(cudaError_t) { return "cudaErrorOfSomeKind"; }
inline const char* cudaGetErrorString(cudaError_t) { return "an error of some kind"; }
)";

/// A driver that counts as many GPUs as GPUS says.
inline constexpr const char* fake_driver = R"(
#include <cstdlib>
#include <cstring>
extern "C" int cuInit(unsigned) { return 0; }
extern "C" int cuDeviceGetCount(int* count) { *count = std::atoi(std::getenv("GPUS")); return 0; }
extern "C" int cuDeviceGetName(char* name, int, int) { std::strcpy(name, "a GPU of straw"); return 0; }
)";

/// A program that passes for nvcc, where a host program is to be made of plain C++.
inline constexpr const char* fake_nvcc = R"(#!/bin/sh
[ "$1" = --version ] && { echo "release 0, of straw"; exit; }
for argument; do
  shift
  case "$argument" in
    -gencode*) ;;
    *.cu) set -- "$@" -x c++ "$argument" ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec g++ -std=c++17 "$@"
)";

}  // namespace foldproof::test
