// C11: an all-reduce over several GPUs of one machine by NCCL: each brings a row, and each gets the fold of
// all.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <type_traits>
#include <vector>

#include "../reduction_operators.cuh"

struct Mean {};  // NCCL's ncclAvg

/// The few functions of NCCL that it takes, from the library that this machine has: not every one has it.
struct Nccl {
  using Communicator = struct ncclComm*;
  int (*init_all)(Communicator*, int, const int*) = nullptr;
  int (*group_start)() = nullptr, (*group_end)() = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, Communicator, cudaStream_t) = nullptr;
  const char* (*sentence)(int) = nullptr;

  Nccl() {
    // Multicast over NVLink would add on the switch, in an order and a precision of its own.
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    const char* named = std::getenv("FOLDPROOF_NCCL");
    void* library = dlopen(named != nullptr ? named : "libnccl.so.2", RTLD_NOW);
    if (library == nullptr) {
      std::fprintf(stderr, "%s; FOLDPROOF_NCCL may name NCCL's library\n", dlerror());
      return;
    }
    find(library, "ncclCommInitAll", init_all);
    find(library, "ncclGroupStart", group_start);
    find(library, "ncclGroupEnd", group_end);
    find(library, "ncclAllReduce", all_reduce);
    find(library, "ncclGetErrorString", sentence);
  }

  template <typename Function>
  static void find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
  }

  /// Whether a call succeeded; where it failed, says why.
  bool succeeds(int result) const {
    if (result != 0) std::fprintf(stderr, "NCCL: %s\n", sentence(result));
    return result == 0;
  }

  /// One communicator for each of the first GPUs. They take a second to make and stay as long as the program.
  const std::vector<Communicator>& communicators(int ranks) {
    std::vector<Communicator>& made = made_[ranks];
    if (made.empty()) {
      made.resize(static_cast<std::size_t>(ranks));
      if (!succeeds(init_all(made.data(), ranks, nullptr))) made.clear();
    }
    return made;
  }

 private:
  std::map<int, std::vector<Communicator>> made_;
};

inline Nccl& nccl() {
  static Nccl opened;
  return opened;
}

/// ncclDataType_t and ncclRedOp_t, whose values are those of every NCCL that has them.
template <typename T>
constexpr int data_type() {
  if constexpr (std::is_same_v<T, int>) return 2;
  if constexpr (std::is_same_v<T, unsigned>) return 3;
  if constexpr (std::is_same_v<T, long long>) return 4;
  if constexpr (std::is_same_v<T, __half>) return 6;
  if constexpr (std::is_same_v<T, float>) return 7;
  if constexpr (std::is_same_v<T, double>) return 8;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return 9;
  if constexpr (std::is_same_v<T, __nv_fp8_e4m3>) return 10;  // from NCCL 2.24 on, as the next
  if constexpr (std::is_same_v<T, __nv_fp8_e5m2>) return 11;
}

template <typename Op>
constexpr int operation() {
  if constexpr (std::is_same_v<Op, Sum>) return 0;
  if constexpr (std::is_same_v<Op, Prod>) return 1;
  if constexpr (std::is_same_v<Op, Max>) return 2;
  if constexpr (std::is_same_v<Op, Min>) return 3;
  if constexpr (std::is_same_v<Op, Mean>) return 4;
}

/// Input and output, `ranks` rows of `columns` elements, are on the first GPU: row r goes to GPU r, and what
/// that holds in the end becomes row r of the output.
template <typename Op, typename T>
cudaError_t all_reduce(const T* input, T* output, std::size_t columns, int ranks) {
  if (nccl().all_reduce == nullptr) return cudaErrorNotSupported;
  const auto& communicators = nccl().communicators(ranks);
  if (communicators.empty()) return cudaErrorUnknown;

  cudaError_t error = cudaSuccess;
  const auto first_error = [&](cudaError_t of_call) { error = error == cudaSuccess ? of_call : error; };
  std::vector<T*> rows(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    first_error(cudaSetDevice(rank));
    first_error(cudaMalloc(&rows[rank], columns * sizeof(T)));
    first_error(cudaMemcpyPeer(rows[rank], rank, input + rank * columns, 0, columns * sizeof(T)));
    first_error(cudaDeviceSynchronize());
  }

  // One thread speaks for all GPUs, so their calls are a group: the first alone would wait for the others.
  bool done = error == cudaSuccess && nccl().succeeds(nccl().group_start());
  for (int rank = 0; rank < ranks && done; ++rank) {
    first_error(cudaSetDevice(rank));
    done = nccl().succeeds(nccl().all_reduce(rows[rank], rows[rank], columns, data_type<T>(), operation<Op>(),
                                        communicators[rank], nullptr));
  }
  done = done && nccl().succeeds(nccl().group_end());

  for (int rank = 0; rank < ranks; ++rank) {
    first_error(cudaSetDevice(rank));
    first_error(cudaDeviceSynchronize());
    first_error(cudaMemcpyPeer(output + rank * columns, 0, rows[rank], rank, columns * sizeof(T)));
    first_error(cudaFree(rows[rank]));
  }
  first_error(cudaSetDevice(0));
  first_error(cudaDeviceSynchronize());
  return error == cudaSuccess && !done ? cudaErrorUnknown : error;
}
