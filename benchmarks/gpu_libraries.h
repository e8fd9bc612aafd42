// The sums of CUB and Thrust, of the library that benchmarks/libraries.cu is compiled to.
#pragma once

#include <cstdint>

#include "benchmarks/contest.h"
#include "oracles/formats.h"

namespace foldproof {

class GpuLibraries {
 public:
  /// Opens it beside the program. Throws InputError where it was not built.
  GpuLibraries();

  /// Of f32 or f64.
  Contender cub(const cuda::Context& context, Element element, std::uint64_t count) const;
  /// Of f32.
  Contender thrust(const cuda::Context& context, std::uint64_t count) const;

 private:
  void* function(const char* name) const;

  void* library_ = nullptr;
};

}  // namespace foldproof
