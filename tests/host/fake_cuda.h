// The part of the CUDA runtime and of NCCL that host programs need, implemented with host memory: host
// programs run without a GPU and are compiled by g++.
#pragma once

namespace foldproof::test {

/// Replaces <cuda_runtime_api.h>. All GPUs share the host's memory. Work in a stream runs when the stream is
/// synchronized.
inline constexpr const char* fake_cuda = R"(#pragma once
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>
#define __device__
enum cudaError_t { cudaSuccess = 0, cudaErrorIllegalAddress = 700, cudaErrorNotSupported = 801, cudaErrorUnknown = 999 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum { cudaStreamNonBlocking = 1 };
using cudaStream_t = std::vector<std::function<void()>>*;
inline cudaError_t cudaMalloc(void** to, std::size_t bytes) { *to = std::malloc(bytes); return cudaSuccess; }
template <typename T> cudaError_t cudaMalloc(T** to, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(to), bytes);
}
inline cudaError_t cudaFree(void* memory) { std::free(memory); return cudaSuccess; }
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  if (bytes > 0) std::memset(to, value, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned) {
  *made = new std::vector<std::function<void()>>;
  return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  for (const auto& work : *stream) work();
  stream->clear();
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { delete stream; return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorName(cudaError_t) { return "cudaErrorOfSomeKind"; }
inline const char* cudaGetErrorString(cudaError_t) { return "an error of some kind"; }
)";

/// Replaces <cuda_bf16.h>, <cuda_fp16.h> and <cuda_fp8.h>: types without arithmetic.
inline constexpr const char* fake_number_types = R"(#pragma once
struct __half { unsigned short bits; };
struct __nv_bfloat16 { unsigned short bits; };
struct __nv_fp8_e4m3 { unsigned char bits; };
struct __nv_fp8_e5m2 { unsigned char bits; };
)";

/// NCCL for `int` and `float`, without GPUs. As in NCCL's ring, a rank folds its part of the columns with the
/// operator of its own call. The environment variable FAKE_NCCL makes it wrong: "drops-a-rank" ignores the
/// last one.
inline constexpr const char* fake_nccl = R"(
#include <algorithm>
#include <cstdlib>
#include <string>
#include <cuda_runtime_api.h>
struct ncclComm { int rank, ranks; };
namespace {
struct Call { const void* input; void* output; std::size_t count; int type, operation; ncclComm* communicator; cudaStream_t stream; };
std::vector<Call> group;
template <typename T> T folded(T a, T b, int operation) {
  switch (operation) {
    case 1: return a * b;
    case 2: return std::max(a, b);
    case 3: return std::min(a, b);
    default: return a + b;  // 0: sum, 4: mean of shares
  }
}
template <typename T> std::vector<T> result_of(const std::vector<Call>& calls) {
  const char* fault = std::getenv("FAKE_NCCL");
  const std::size_t used = calls.size() - (fault && std::string(fault) == "drops-a-rank" ? 1 : 0);
  std::vector<T> result(calls[0].count);
  for (std::size_t column = 0; column < result.size(); ++column) {
    const int operation = calls[column % calls.size()].operation;
    const auto share = [&](std::size_t rank) {
      const T element = static_cast<const T*>(calls[rank].input)[column];
      return operation == 4 ? element / static_cast<T>(calls.size()) : element;
    };
    result[column] = share(0);
    for (std::size_t rank = 1; rank < used; ++rank) result[column] = folded(result[column], share(rank), operation);
  }
  return result;
}
template <typename T> void run(const std::vector<Call>& calls) {
  const std::vector<T> result = result_of<T>(calls);
  for (const Call& call : calls) {
    const auto write = [=] { std::copy(result.begin(), result.end(), static_cast<T*>(call.output)); };
    if (call.stream) call.stream->push_back(write); else write();
  }
}
}
extern "C" int ncclCommInitAll(ncclComm** made, int ranks, const int*) {
  for (int rank = 0; rank < ranks; ++rank) made[rank] = new ncclComm{rank, ranks};
  return 0;
}
extern "C" int ncclGroupStart() { group.clear(); return 0; }
extern "C" int ncclAllReduce(const void* input, void* output, std::size_t count, int type, int operation,
                             ncclComm* communicator, cudaStream_t stream) {
  if (type != 2 && type != 7) return 4;
  group.push_back({input, output, count, type, operation, communicator, stream});
  return 0;
}
extern "C" int ncclGroupEnd() {
  if (group.empty()) return 0;
  if (static_cast<int>(group.size()) != group[0].communicator->ranks) return 5;
  if (group[0].type == 2) run<int>(group); else run<float>(group);
  return 0;
}
extern "C" const char* ncclGetErrorString(int code) {
  return code == 4 ? "the fake NCCL has no such type" : "a call of some rank is missing";
}
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
inline constexpr const char* nvcc_script = R"(#!/bin/sh
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
