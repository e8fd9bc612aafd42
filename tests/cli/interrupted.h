// What holds for every interrupted run.
#pragma once

#include "catch.h"
#include "cli/program.h"

namespace foldproof::test {

/// The run must have ended within two seconds of the signal, with status 130 and no process left.
template <typename AnyRan>
void check_is_interrupted(const AnyRan& ran) {
  using namespace std::chrono_literals;
  CHECK(ran.status == 130);
  CHECK(ran.after_interrupt.time < 4s);  // two seconds more, for a loaded machine
  CHECK(ran.after_interrupt.processes == 0);
}

}  // namespace foldproof::test
