// Small PTX programs at random, the same for the same seed: accesses of every manner and size to a handful of
// addresses, barriers of block, warp and cluster, fences, flags that are raised and awaited, threads that
// end.
//
// Every thread walks through the same steps in the same order and takes part in some. A step waits only for
// what steps before it do, so that no program can deadlock.
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
