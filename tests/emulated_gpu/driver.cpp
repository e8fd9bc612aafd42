// A CUDA driver whose only GPU is the emulated device. It implements what the project uses of libcuda.so.1,
// so that the code around a GPU can be tested without one. LD_LIBRARY_PATH selects it instead of the real
// driver.
//
//   foldproof gpu-worker ──dlopen──► libcuda.so.1 (this) ──► devices/emulated/device.h
//
// Work on a stream is done immediately. A faulting kernel corrupts the context as on a GPU: every later call
// returns its error. A kernel that does not end leaves its stream busy for ever.
//
// EMULATED_GPU_BYTES: size of the GPU's memory. EMULATED_GPU_LAUNCHES: launches per process; the next one
// kills the process. Default of both: unlimited. EMULATED_GPU_HANGS: cuInit does not return.
// EMULATED_GPU_REPLACES=A=B: in the PTX of modules, each A
// becomes B, so that the GPU differs from the emulated device or, if B is not PTX, refuses the module.
#include <cuda.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "gpu.h"

using foldproof::ArgumentBytes;
using namespace foldproof::emulated_gpu;

struct CUevent_st {
  std::chrono::steady_clock::time_point at;
};

namespace {

// No ptxas generates machine code for this capability, so that the driver receives PTX.
constexpr int major_capability = 99, minor_capability = 9;
constexpr std::uint64_t instructions_without_end = 50'000'000;

void say(char* log, std::size_t bytes, std::string_view text) {
  if (log == nullptr || bytes == 0) return;
  const std::size_t said = std::min(text.size(), bytes - 1);
  std::memcpy(log, text.data(), said);
  log[said] = '\0';
}

/// Writes `text` to the error log that the options of a module name, if any.
void log_error(unsigned count, const CUjit_option* options, void** values, const char* text) {
  char* log = nullptr;
  std::size_t bytes = 0;
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] == CU_JIT_ERROR_LOG_BUFFER) log = static_cast<char*>(values[k]);
    if (options[k] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) bytes = reinterpret_cast<std::size_t>(values[k]);
  }
  say(log, bytes, text);
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
  if (std::getenv("EMULATED_GPU_HANGS") != nullptr) pause();
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  static const std::map<CUresult, const char*> names{
      {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto found = names.find(error);
  *name = found == names.end() ? nullptr : found->second;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "the emulated GPU says so";
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
  say(name, static_cast<std::size_t>(bytes), "an emulated GPU");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = major_capability; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = minor_capability; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = multiprocessors; break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = foldproof::largest_shared_memory;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = 1 << 20; break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE: *value = 1000; break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: *value = 64; break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream) { return all_done(); }
CUresult cuStreamQuery(CUstream) { return gpu().state; }

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                            void** values) {
  const auto* const text = static_cast<const char*>(image);
  if (std::string_view(text).starts_with("\x7f"
                                         "ELF"))
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  return unless_spoilt([&] {
    try {
      return load(module, text);
    } catch (const std::runtime_error& refusal) {
      log_error(count, options, values, refusal.what());
      return CUDA_ERROR_INVALID_PTX;
    }
  });
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  for (CUfunc_st& kernel : module->kernels)
    if (kernel.entry.name == name) {
      *function = &kernel;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  *count = static_cast<unsigned>(module->kernels.size());
  return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
  for (CUfunc_st& kernel : module->kernels)
    if (count-- > 0) *functions++ = &kernel;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char*) {
  *address = module->variables;
  *bytes = 1;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  *name = function->entry.name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const auto& all = function->entry.parameter_bytes;
  if (index >= all.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;  // not used by the project
  *bytes = all[index];
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  *value = 0;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute attribute, int value) {
  const bool is_too_much = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
                           static_cast<std::uint32_t>(value) > foldproof::largest_shared_memory;
  return is_too_much ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads, std::size_t) {
  *blocks = std::min(blocks_each, threads_each / threads);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void**) {
  if (gpu().launches_left-- == 0) raise(SIGKILL);
  if (gpu().state == CUDA_ERROR_NOT_READY) return CUDA_SUCCESS;  // queued after a kernel that does not end
  return unless_spoilt([&] {
    const foldproof::LaunchShape shape = shape_of(*config);
    if (shape.cooperative && !is_resident(shape)) return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    std::vector<ArgumentBytes> bytes;
    for (const std::uint32_t size : function->entry.parameter_bytes) {
      const auto* const argument = static_cast<const std::byte*>(arguments[bytes.size()]);
      bytes.emplace_back(argument, argument + size);
    }
    const auto report = gpu().device.launch(function->module->id, function->entry.name, shape, bytes, {},
                                            {instructions_without_end});
    for (const foldproof::Finding& finding : report.findings)
      if (gpu().state == CUDA_SUCCESS) gpu().state = error_of(finding.kind);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  return unless_spoilt([&] {
    if (bytes > gpu().bytes_left) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = gpu().device.allocate(bytes, "memory of the GPU");
    gpu().allocations[*address] = bytes;
    gpu().bytes_left -= bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemFree(CUdeviceptr address) {
  const auto known = gpu().allocations.find(address);
  if (known == gpu().allocations.end()) return CUDA_ERROR_INVALID_VALUE;
  gpu().device.free(address);
  gpu().bytes_left += known->second;
  gpu().allocations.erase(known);
  return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return *memory == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* memory) {
  std::free(memory);
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
  return unless_spoilt([&] {
    gpu().device.write(to, {static_cast<const std::byte*>(from), bytes});
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  return unless_spoilt([&] {
    gpu().device.read(from, {static_cast<std::byte*>(to), bytes});
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  return unless_spoilt([&] {
    if (const CUmod_st* module = module_of_variables(to)) {
      gpu().device.reset(module->id);
      return CUDA_SUCCESS;
    }
    std::vector<std::byte> content(bytes);
    gpu().device.read(from, content);
    gpu().device.write(to, content);
    return CUDA_SUCCESS;
  });
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = new CUevent_st{};
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream) {
  event->at = std::chrono::steady_clock::now();
  return gpu().state == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : gpu().state;
}

CUresult cuEventSynchronize(CUevent) { return all_done(); }

CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - begin->at).count();
  return CUDA_SUCCESS;
}

}  // extern "C"
