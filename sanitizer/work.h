// A measure of the work of the checks that does not depend on the machine, for tests and benchmarks.
#pragma once

#include <cstdint>

namespace foldproof {

/// Accesses compared and nodes of vector clocks visited by the checks of this thread so far.
inline thread_local std::uint64_t steps_of_checks = 0;

}  // namespace foldproof
