// The sums of CUB and Thrust, from the library to which benchmarks/libraries.cu is compiled.
#pragma once

#include <cstdint>

#include "benchmarks/contest.h"
#include "oracles/formats.h"

namespace foldproof {

class GpuLibraries {
 public:
  /// Opens the library next to the program. Throws InputError if it was not built.
  GpuLibraries();

  /// For f32 or f64.
  Contender cub(const cuda::Context& context, Element element, std::uint64_t count) const;
  /// For f32.
  Contender thrust(const cuda::Context& context, std::uint64_t count) const;

 private:
  void* function(const char* name) const;

  void* library_ = nullptr;
};

}  // namespace foldproof
