#include "devices/cuda/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.h"

namespace foldproof::cuda {
namespace {

[[noreturn]] void lack(const std::string& why) { throw Unsupported("no CUDA device available: " + why); }

#define FOLDPROOF_EXPORTED_(name) #name
#define FOLDPROOF_EXPORTED(name) FOLDPROOF_EXPORTED_(name)

Driver opened() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) lack("the driver's libcuda.so.1 cannot be opened");
  Driver driver;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr)
      lack(fmt::format("the driver lacks {}; install a driver that supports CUDA 12.4 or later", name));
  };
#define FOLDPROOF_DRIVER_FUNCTION(function) find(driver.function##_, FOLDPROOF_EXPORTED(function));
#include "devices/cuda/driver.def"
#undef FOLDPROOF_DRIVER_FUNCTION
  if (const CUresult result = driver.cuInit_(0); result != CUDA_SUCCESS)
    lack(fmt::format("cuInit returns error {}", static_cast<int>(result)));
  int count = 0;
  if (const CUresult result = driver.cuDeviceGetCount_(&count); result != CUDA_SUCCESS || count < 1)
    lack("the driver reports no devices");
  return driver;
}

}  // namespace

const Driver& driver() {
  static const Driver only = opened();
  return only;
}

bool Failure::is_for_want_of_memory() const { return result_ == CUDA_ERROR_OUT_OF_MEMORY; }

std::string text_of(CUresult result) {
  const char *name = nullptr, *text = nullptr;
  driver().cuGetErrorName_(result, &name);
  driver().cuGetErrorString_(result, &text);
  return fmt::format("{} ({})", text ? text : "an unknown error",
                     name ? name : std::to_string(static_cast<int>(result)));
}

void check(CUresult result, std::string_view doing) {
  if (result != CUDA_SUCCESS)
    throw Failure(result, fmt::format("GPU error while {}: {}", doing, text_of(result)));
}

}  // namespace foldproof::cuda
