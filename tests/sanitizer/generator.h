// Random small PTX programs, reproducible from a seed: accesses of every kind and size to a few addresses,
// barriers of block, warp and cluster, fences, flags that are set and awaited, threads that exit.
//
// Every thread passes through the same steps in the same order and takes part in some of them. A step waits
// only for earlier steps, so that no program can deadlock.
#pragma once

#include <cstdint>
#include <string>

#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {

struct RandomProgram {
  std::string body;
  Setting setting;
};

RandomProgram random_program(std::uint64_t seed);

}  // namespace foldproof::sanitizer_tests
