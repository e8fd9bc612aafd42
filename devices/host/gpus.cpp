#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

#include "devices/host_program.h"

namespace foldproof {
namespace {

/// A function of the driver; CUresult is an enumeration, 0 for success.
template <typename Function>
Function* function(void* driver, const char* name) {
  return reinterpret_cast<Function*>(dlsym(driver, name));
}

Gpus none(const std::string& why) { return {0, "", "there is no CUDA device here: " + why}; }

}  // namespace

Gpus gpus() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return none("the driver's libcuda.so.1 cannot be opened");
  auto* const init = function<int(unsigned)>(driver, "cuInit");
  auto* const count = function<int(int*)>(driver, "cuDeviceGetCount");
  auto* const name = function<int(char*, int, int)>(driver, "cuDeviceGetName");
  if (init == nullptr || count == nullptr || name == nullptr)
    return none("libcuda.so.1 is not CUDA's driver");
  if (const int error = init(0); error != 0) return none(fmt::format("cuInit returns error {}", error));
  int number = 0;
  if (const int error = count(&number); error != 0)
    return none(fmt::format("cuDeviceGetCount returns error {}", error));
  if (number < 1) return none("the driver counts none");
  std::array<char, 256> text{};
  if (name(text.data(), static_cast<int>(text.size()) - 1, 0) != 0) text[0] = '\0';
  return {static_cast<unsigned>(number), text.data(), ""};
}

}  // namespace foldproof
