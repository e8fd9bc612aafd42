#include "devices/gpus.h"

#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>

#include "base/bytes.h"
#include "base/child.h"
#include "base/error.h"

namespace foldproof {
namespace {

Gpus none(const std::string& why) { return {0, "", "", "no CUDA device available: " + why}; }

/// Looks up a driver function. Querying the GPUs also works with a driver that lacks functions that
/// devices/cuda/driver.h needs to run kernels.
template <typename Function>
Function* function(void* driver, const char* name) {
  return reinterpret_cast<Function*>(dlsym(driver, name));
}

/// Appends "compute capability 9.0, driver of CUDA 13.0" to the name, and sets the architecture to compile
/// for.
void add_capability(void* driver, Gpus& gpus) {
  auto* const attribute = function<decltype(cuDeviceGetAttribute)>(driver, "cuDeviceGetAttribute");
  auto* const version = function<decltype(cuDriverGetVersion)>(driver, "cuDriverGetVersion");
  int major = 0, minor = 0, number = 0;
  if (attribute == nullptr || version == nullptr ||
      attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) != CUDA_SUCCESS ||
      attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0) != CUDA_SUCCESS ||
      version(&number) != CUDA_SUCCESS)
    return;
  gpus.name += fmt::format(", compute capability {}.{}, driver of CUDA {}.{}", major, minor, number / 1000,
                           number % 1000 / 10);
  gpus.architecture = fmt::format("sm_{}{}", major, minor);
}

/// Queries the driver in this process.
Gpus asked() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return none("the driver's libcuda.so.1 cannot be opened");
  auto* const init = function<decltype(cuInit)>(driver, "cuInit");
  auto* const count = function<decltype(cuDeviceGetCount)>(driver, "cuDeviceGetCount");
  auto* const name = function<decltype(cuDeviceGetName)>(driver, "cuDeviceGetName");
  if (init == nullptr || count == nullptr || name == nullptr)
    return none("libcuda.so.1 is not the CUDA driver");
  if (const CUresult error = init(0); error != CUDA_SUCCESS)
    return none(fmt::format("cuInit returns error {}", static_cast<int>(error)));
  int number = 0;
  if (const CUresult error = count(&number); error != CUDA_SUCCESS)
    return none(fmt::format("cuDeviceGetCount returns error {}", static_cast<int>(error)));
  if (number < 1) return none("the driver reports no devices");
  std::array<char, 256> text{};
  if (name(text.data(), static_cast<int>(text.size()) - 1, 0) != CUDA_SUCCESS) text[0] = '\0';
  Gpus gpus{static_cast<unsigned>(number), text.data(), "", ""};
  add_capability(driver, gpus);
  return gpus;
}

/// One field per line.
std::string text_of(const Gpus& all) {
  return fmt::format("{}\n{}\n{}\n{}\n", all.count, all.name, all.architecture, all.lack);
}

Gpus read_from(const std::string& text) {
  Gpus all;
  std::istringstream lines(text);
  std::string count;
  std::getline(lines, count);
  std::getline(lines, all.name);
  std::getline(lines, all.architecture);
  std::getline(lines, all.lack);
  all.count = static_cast<unsigned>(std::stoul(count));
  return all;
}

/// Queries the driver in a fork: a process that has initialized the driver must not fork afterwards.
Gpus asked_elsewhere(Deadline deadline) {
  // Less than a pipe holds, so that the child does not wait for a reader.
  constexpr std::size_t max_text = 4096;
  constexpr std::chrono::seconds patience{30};
  try {
    Pipe answer;
    const auto ask = [&] {
      const std::string text = text_of(asked());
      write_all(answer.to.number(), text.data(), text.size());
    };
    Child child(ask, ProcessGroup::parent);
    answer.to.reset();
    const std::optional<ExitStatus> status = child.wait(patient_until(patience, deadline));
    if (!status) {
      child.abandon();
      return none("the driver did not answer in time");
    }
    const std::string text = read_to_end(answer.from.number(), max_text);
    if (status->signal != 0 || status->code != 0 || text.empty())
      return none("the process that queried the driver ended abnormally");
    return read_from(text);
  } catch (const Unsupported& error) {
    return none(error.sentence());
  }
}

}  // namespace

const Gpus& gpus(Deadline deadline) {
  static const Gpus all = asked_elsewhere(deadline);
  return all;
}

const Gpus& present_gpus(Deadline deadline) {
  const Gpus& all = gpus(deadline);
  if (!all.lack.empty()) throw Unsupported(all.lack);
  return all;
}

}  // namespace foldproof
