// The only GPU of the driver: its memory, its modules, and the error that a kernel left.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <list>
#include <map>
#include <new>

#include "base/error.h"
#include "devices/emulated/device.h"

struct CUfunc_st {
  CUmod_st* module;
  foldproof::EntryInfo entry;
};

struct CUmod_st {
  foldproof::emulated::ModuleId id;
  std::list<CUfunc_st> kernels;
  /// Represents all variables of the module: a copy to it restores their initial values.
  foldproof::Address variables;
};

namespace foldproof::emulated_gpu {

constexpr int multiprocessors = 2, threads_each = 2048, blocks_each = 32;

/// The value of an environment variable; UINT64_MAX if it is not set.
std::uint64_t number_in(const char* variable);

struct Gpu {
  emulated::Device device;
  std::list<CUmod_st> modules;
  std::map<Address, std::uint64_t> allocations;
  std::uint64_t bytes_left = number_in("EMULATED_GPU_BYTES"),
                launches_left = number_in("EMULATED_GPU_LAUNCHES");
  CUresult state =
      CUDA_SUCCESS;  ///< the error that a kernel left in the context; NOT_READY: a kernel does not end
};

Gpu& gpu();

/// Does the work unless the context is corrupted.
template <typename Work>
CUresult unless_spoilt(const Work& work) {
  if (gpu().state != CUDA_SUCCESS && gpu().state != CUDA_ERROR_NOT_READY) return gpu().state;
  try {
    return work();
  } catch (const InputError&) {
    return CUDA_ERROR_INVALID_VALUE;
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

CUresult error_of(Kind kind);

/// The end of the stream; a kernel that hangs never reaches it.
CUresult all_done();

LaunchShape shape_of(const CUlaunchConfig& config);
bool is_resident(const LaunchShape& shape);

CUresult load(CUmodule* module, const char* text);
CUmod_st* module_of_variables(Address address);

}  // namespace foldproof::emulated_gpu
