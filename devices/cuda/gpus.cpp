#include "devices/gpus.h"

#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/error.h"

namespace foldproof {
namespace {

Gpus none(const std::string& why) { return {0, "", "", "there is no CUDA device here: " + why}; }

/// A function of the driver. Of all GPUs this much can be asked, of those as well whose driver lacks what
/// devices/cuda/driver.h needs to run kernels.
template <typename Function>
Function* function(void* driver, const char* name) {
  return reinterpret_cast<Function*>(dlsym(driver, name));
}

/// "compute capability 9.0, driver of CUDA 13.0" behind the name, and what code for it is made for.
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

/// In this process.
Gpus asked() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return none("the driver's libcuda.so.1 cannot be opened");
  auto* const init = function<decltype(cuInit)>(driver, "cuInit");
  auto* const count = function<decltype(cuDeviceGetCount)>(driver, "cuDeviceGetCount");
  auto* const name = function<decltype(cuDeviceGetName)>(driver, "cuDeviceGetName");
  if (init == nullptr || count == nullptr || name == nullptr)
    return none("libcuda.so.1 is not CUDA's driver");
  if (const CUresult error = init(0); error != CUDA_SUCCESS)
    return none(fmt::format("cuInit returns error {}", static_cast<int>(error)));
  int number = 0;
  if (const CUresult error = count(&number); error != CUDA_SUCCESS)
    return none(fmt::format("cuDeviceGetCount returns error {}", static_cast<int>(error)));
  if (number < 1) return none("the driver counts none");
  std::array<char, 256> text{};
  if (name(text.data(), static_cast<int>(text.size()) - 1, 0) != CUDA_SUCCESS) text[0] = '\0';
  Gpus gpus{static_cast<unsigned>(number), text.data(), "", ""};
  add_capability(driver, gpus);
  return gpus;
}

/// A line each.
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

[[noreturn]] void answer_and_exit(int to) {
  const std::string text = text_of(asked());
  const auto written = write(to, text.data(), text.size());
  _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
}

std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 1024> part{};
  for (;;) {
    const ssize_t got = read(descriptor, part.data(), part.size());
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

Gpus asked_elsewhere() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return none(fmt::format("no pipe can be made: {}", strerror(errno)));
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    for (const int end : ends) close(end);
    return none(fmt::format("no process can be started to ask its driver: {}", strerror(error)));
  }
  if (child == 0) answer_and_exit(ends[1]);
  close(ends[1]);
  const std::string text = all_of(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0 || text.empty()) return none("its driver ends the process that asks for it");
  return read_from(text);
}

}  // namespace

const Gpus& gpus() {
  static const Gpus all = asked_elsewhere();
  return all;
}

const Gpus& present_gpus() {
  if (!gpus().lack.empty()) throw Unsupported(gpus().lack);
  return gpus();
}

}  // namespace foldproof
