// The part of the CUDA runtime that host programs need, implemented with host memory: host programs run
// without a GPU and are compiled by g++.
#pragma once

namespace foldproof::test {

/// Replaces <cuda_runtime_api.h>.
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

/// A driver with as many GPUs as the environment variable GPUS says.
inline constexpr const char* fake_driver = R"(
#include <cstdlib>
#include <cstring>
extern "C" int cuInit(unsigned) { return 0; }
extern "C" int cuDeviceGetCount(int* count) { *count = std::atoi(std::getenv("GPUS")); return 0; }
extern "C" int cuDeviceGetName(char* name, int, int) { std::strcpy(name, "a GPU of straw"); return 0; }
)";

/// A replacement for nvcc that compiles a host program of plain C++.
inline constexpr const char* fake_nvcc = R"(#!/bin/sh
[ "$1" = --version ] && { echo "release 0, of straw"; exit; }
for argument; do
  shift
  case "$argument" in
    -gencode*|--keep*) ;;
    *.cu) set -- "$@" -x c++ "$argument" ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec g++ -std=c++17 "$@"
)";

}  // namespace foldproof::test
