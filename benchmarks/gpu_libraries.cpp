#include "benchmarks/gpu_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "base/error.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;

// Must match benchmarks/libraries.cu; an int is a cudaError_t.
using Cub = int(Address, Address, std::size_t, Address, std::size_t*, CUstream_st*);
using Thrust = int(Address, float*, std::size_t, CUstream_st*);

void check(int error) {
  if (error != 0) throw std::runtime_error(fmt::format("a library's sum returns CUDA error {}", error));
}

}  // namespace

GpuLibraries::GpuLibraries() {
  std::error_code error;
  const fs::path file = fs::read_symlink("/proc/self/exe", error).parent_path() / "libfoldproof_libraries.so";
  library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr)
    throw InputError(
        fmt::format("CUB's and Thrust's sums are missing ({}); build the target foldproof_libraries, which "
                    "makes {}",
                    dlerror(), file.string()));
}

void* GpuLibraries::function(const char* name) const {
  void* const found = dlsym(library_, name);
  if (found == nullptr)
    throw InputError(
        fmt::format("the library of CUB's and Thrust's sums has no {}; build the target "
                    "foldproof_libraries again",
                    name));
  return found;
}

Contender GpuLibraries::cub(const cuda::Context& context, Element element, std::uint64_t count) const {
  auto* const sum = reinterpret_cast<Cub*>(
      function(element == Element::f64 ? "foldproof_cub_sum_f64" : "foldproof_cub_sum_f32"));
  std::size_t bytes = 0;
  check(sum(0, 0, count, 0, &bytes, context.stream()));
  const auto scratch = std::make_shared<cuda::Memory>(std::max<std::size_t>(bytes, 1));
  const auto output = std::make_shared<cuda::Memory>(size_of(element));
  return {"CUB", [=, stream = context.stream()](Address input) {
            std::size_t size = bytes;
            check(sum(input, output->address(), count, scratch->address(), &size, stream));
          }};
}

Contender GpuLibraries::thrust(const cuda::Context& context, std::uint64_t count) const {
  auto* const sum = reinterpret_cast<Thrust*>(function("foldproof_thrust_sum"));
  return {"Thrust", [=, stream = context.stream()](Address input) {
            float total = 0;
            check(sum(input, &total, count, stream));
          }};
}

}  // namespace foldproof
