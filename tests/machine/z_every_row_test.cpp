// Runs last: files are linked in alphabetical order, and tests run in the order of their files.
#include "catch.h"
#include "row_coverage.h"

namespace foldproof::tests {

// The other rows compute or combine: the tests of the instruction set demand those.
TEST_CASE("every row of ptx.def that the machine carries out was executed against an expectation", "[rows]") {
  const auto is_machines = [](const isa::Row& row) {
    using isa::Action;
    switch (row.action) {
      case Action::compute:
      case Action::matrix_multiply:
      case Action::atomic:
      case Action::reduction:
      case Action::warp_reduce:
      case Action::barrier_reduce: return false;
      default: return true;
    }
  };
  CHECK(uncovered_rows(is_machines) == std::vector<std::string>{});
}

}  // namespace foldproof::tests
