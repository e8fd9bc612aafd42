// What an all-reduce over the GPUs of one machine needs: NCCL, which is opened at run time because not every machine has
// it, and a matrix with one row on each GPU.
#pragma once

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

struct Mean {};  // ncclAvg

/// ncclDataType_t. The values are the same in all versions that have the type.
template <typename T>
constexpr int data_type() {
  if constexpr (std::is_same_v<T, int>) return 2;
  if constexpr (std::is_same_v<T, unsigned>) return 3;
  if constexpr (std::is_same_v<T, long long>) return 4;
  if constexpr (std::is_same_v<T, __half>) return 6;
  if constexpr (std::is_same_v<T, float>) return 7;
  if constexpr (std::is_same_v<T, double>) return 8;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) return 9;
  if constexpr (std::is_same_v<T, __nv_fp8_e4m3>) return 10;  // since NCCL 2.24
  if constexpr (std::is_same_v<T, __nv_fp8_e5m2>) return 11;  // since NCCL 2.24
}

/// ncclRedOp_t. The values are the same in all versions that have the operator.
template <typename Op>
constexpr int operation() {
  if constexpr (std::is_same_v<Op, Sum>) return 0;
  if constexpr (std::is_same_v<Op, Prod>) return 1;
  if constexpr (std::is_same_v<Op, Max>) return 2;
  if constexpr (std::is_same_v<Op, Min>) return 3;
  if constexpr (std::is_same_v<Op, Mean>) return 4;
}

/// The NCCL library: the file in the variable FOLDPROOF_NCCL, or libnccl.so.2 if the variable is not set.
class Nccl {
 public:
  using Communicator = struct ncclComm*;

  static Nccl& library() {
    static Nccl opened;
    return opened;
  }

  bool is_present() const { return init_all_ && group_start_ && group_end_ && all_reduce_ && error_string_; }

  /// Communicators of the first `ranks` GPUs. Their creation takes a second, so they are kept.
  const std::vector<Communicator>& communicators(int ranks) {
    std::vector<Communicator>& kept = communicators_[ranks];
    if (kept.empty()) {
      kept.resize(static_cast<std::size_t>(ranks));
      if (!succeeds(init_all_(kept.data(), ranks, nullptr))) kept.clear();
    }
    return kept;
  }

  /// Calls `enqueue(rank)`, which calls all_reduce, for each rank. One thread serves all GPUs, so the calls form a
  /// group: a single call would wait for the other ranks. Returns whether all calls succeeded.
  template <typename Enqueue>
  bool for_each_rank(int ranks, const Enqueue& enqueue) {
    if (!succeeds(group_start_())) return false;
    bool done = true;
    for (int rank = 0; rank < ranks && done; ++rank) done = cudaSetDevice(rank) == cudaSuccess && enqueue(rank);
    return succeeds(group_end_()) && done;
  }

  template <typename T>
  bool all_reduce(T* row, std::size_t columns, int operation, Communicator communicator, cudaStream_t stream) {
    return succeeds(all_reduce_(row, row, columns, data_type<T>(), operation, communicator, stream));
  }

 private:
  Nccl() {
    // With multicast, the NVLink switch would add, in an order and a precision of its own.
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    const char* file = std::getenv("FOLDPROOF_NCCL");
    void* library = dlopen(file != nullptr ? file : "libnccl.so.2", RTLD_NOW);
    if (library == nullptr) {
      std::fprintf(stderr, "%s; FOLDPROOF_NCCL can name the NCCL library\n", dlerror());
      return;
    }
    find(library, "ncclCommInitAll", init_all_);
    find(library, "ncclGroupStart", group_start_);
    find(library, "ncclGroupEnd", group_end_);
    find(library, "ncclAllReduce", all_reduce_);
    find(library, "ncclGetErrorString", error_string_);
  }

  template <typename Function>
  static void find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
  }

  /// Whether a call succeeded. If not, prints the reason.
  bool succeeds(int result) const {
    if (result != 0) std::fprintf(stderr, "NCCL: %s\n", error_string_(result));
    return result == 0;
  }

  int (*init_all_)(Communicator*, int, const int*) = nullptr;
  int (*group_start_)() = nullptr;
  int (*group_end_)() = nullptr;
  int (*all_reduce_)(const void*, void*, std::size_t, int, int, Communicator, cudaStream_t) = nullptr;
  const char* (*error_string_)(int) = nullptr;
  std::map<int, std::vector<Communicator>> communicators_;
};

/// A matrix of `ranks` rows and `columns` columns whose row r is in the memory of GPU r.
template <typename T>
class RowPerGpu {
 public:
  RowPerGpu(std::size_t columns, int ranks) : columns_(columns), rows_(static_cast<std::size_t>(ranks)) {
    for_each([&](int rank) { keep(cudaMalloc(&rows_[rank], columns * sizeof(T))); });
  }
  RowPerGpu(const RowPerGpu&) = delete;
  RowPerGpu& operator=(const RowPerGpu&) = delete;
  ~RowPerGpu() {
    for_each([&](int rank) { cudaFree(rows_[rank]); });
    cudaSetDevice(0);
  }

  T* operator[](int rank) const { return rows_[rank]; }

  /// Copies a matrix that is on the first GPU.
  void load(const T* matrix) {
    for_each([&](int rank) {
      keep(cudaMemcpyPeer(rows_[rank], rank, matrix + rank * columns_, 0, columns_ * sizeof(T)));
      keep(cudaDeviceSynchronize());
    });
  }

  /// Copies to a matrix that is on the first GPU.
  void store(T* matrix) {
    for_each([&](int rank) {
      keep(cudaMemcpyPeer(matrix + rank * columns_, 0, rows_[rank], rank, columns_ * sizeof(T)));
    });
    keep(cudaSetDevice(0));
    keep(cudaDeviceSynchronize());
  }

  void synchronize() {
    for_each([&](int) { keep(cudaDeviceSynchronize()); });
  }

  /// The first error of all calls.
  cudaError_t error() const { return error_; }

 private:
  void keep(cudaError_t error) { error_ = error_ == cudaSuccess ? error : error_; }

  template <typename Call>
  void for_each(const Call& call) {
    for (int rank = 0; rank < static_cast<int>(rows_.size()); ++rank) {
      keep(cudaSetDevice(rank));
      call(rank);
    }
  }

  std::size_t columns_;
  std::vector<T*> rows_;
  cudaError_t error_ = cudaSuccess;
};

/// Calls `run(nccl, communicators, rows)`, which returns whether the calls of NCCL succeeded, with a row on each of the
/// first `ranks` GPUs. Returns the first error of CUDA, or cudaErrorUnknown for an error of NCCL.
template <typename T, typename Run>
cudaError_t with_row_per_gpu(std::size_t columns, int ranks, const Run& run) {
  Nccl& nccl = Nccl::library();
  if (!nccl.is_present()) return cudaErrorNotSupported;
  const auto& communicators = nccl.communicators(ranks);
  if (communicators.empty()) return cudaErrorUnknown;
  RowPerGpu<T> rows(columns, ranks);
  const bool done = run(nccl, communicators, rows);
  return rows.error() == cudaSuccess && !done ? cudaErrorUnknown : rows.error();
}
