#include "devices/cuda/module.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "devices/cuda/driver.h"

namespace foldproof::cuda {
namespace {

/// Limits without opt-in: shared memory per block in bytes, and blocks per cluster.
constexpr std::uint32_t shared_without_asking = 48 << 10;
constexpr std::uint64_t portable_cluster = 8;

bool is_refused_code(CUresult result) {
  return result == CUDA_ERROR_INVALID_PTX || result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION ||
         result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_IMAGE;
}

CUmod_st* loaded(const Image& image) {
  std::array<char, 8192> log{};
  std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_GENERATE_LINE_INFO};
  // Option values that are not pointers are passed as void*.
  std::array<void*, 3> values{log.data(), std::bit_cast<void*>(log.size() - 1),
                              std::bit_cast<void*>(std::uintptr_t{1})};
  CUmod_st* module = nullptr;
  const std::string& code = image.machine_code.empty() ? image.ptx.text() : image.machine_code;
  const CUresult result =
      driver().cuModuleLoadDataEx_(&module, code.c_str(), options.size(), options.data(), values.data());
  if (is_refused_code(result))
    throw InputError(fmt::format("the CUDA driver rejects the {}: {}",
                                 image.machine_code.empty() ? "PTX" : "machine code", log.data()),
                     {image.name()});
  check(result, "loading a module");
  return module;
}

EntryInfo entry_of(CUfunc_st* function) {
  const char* name = nullptr;
  check(driver().cuFuncGetName_(&name, function), "querying a kernel's name");
  EntryInfo entry{name, {}};
  std::size_t offset = 0, bytes = 0;
  for (std::size_t k = 0; driver().cuFuncGetParamInfo_(function, k, &offset, &bytes) == CUDA_SUCCESS; ++k)
    entry.parameter_bytes.push_back(static_cast<std::uint32_t>(bytes));
  return entry;
}

}  // namespace

Module::Module(Context& context, const Image& image)
    : context_(context), name_(image.name()), module_(loaded(image)) {
  try {
    keep_variables(image.ptx.module());
  } catch (...) {
    driver().cuModuleUnload_(module_);
    throw;
  }
}

Module::~Module() { driver().cuModuleUnload_(module_); }

void Module::keep_variables(const ptx::Module& module) {
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space != ptx::Space::global) continue;
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    // Variables that are not used by any kernel have been removed.
    if (driver().cuModuleGetGlobal_(&address, &bytes, module_, variable.name.c_str()) != CUDA_SUCCESS)
      continue;
    variables_.push_back({address, Memory(bytes)});
    context_.copy(variables_.back().initial.address(), address, bytes);
  }
  context_.wait();
}

std::vector<EntryInfo> Module::entries() const {
  unsigned count = 0;
  check(driver().cuModuleGetFunctionCount_(&count, module_), "counting kernels");
  std::vector<CUfunc_st*> functions(count);
  if (count != 0)
    check(driver().cuModuleEnumerateFunctions_(functions.data(), count, module_), "listing kernels");
  std::vector<EntryInfo> all;
  for (CUfunc_st* function : functions) all.push_back(entry_of(function));
  return all;
}

CUfunc_st* Module::function(const std::string& entry, const LaunchShape& shape) const {
  CUfunc_st* function = nullptr;
  if (driver().cuModuleGetFunction_(&function, module_, entry.c_str()) != CUDA_SUCCESS)
    throw InputError(fmt::format("{} does not contain a kernel \"{}\"", name_, entry));
  if (shape.shared_bytes > shared_without_asking &&
      driver().cuFuncSetAttribute_(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   static_cast<int>(shape.shared_bytes)) != CUDA_SUCCESS)
    throw RefusedLaunch{"a block cannot have that much shared memory on this GPU"};
  if (shape.cluster.volume() > portable_cluster)
    check(driver().cuFuncSetAttribute_(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
          "enabling clusters of more than 8 blocks");
  return function;
}

void Module::reset() {
  for (const Variable& variable : variables_)
    context_.copy(variable.address, variable.initial.address(), variable.initial.bytes());
}

}  // namespace foldproof::cuda
