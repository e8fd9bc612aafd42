// Runs last: files are linked in alphabetical order, and tests run in the order of their files.
#include "catch.h"
#include "row_coverage.h"

namespace foldproof::tests {

TEST_CASE("every row of ptx.def that computes or combines was executed against an expectation", "[rows]") {
  const auto computes = [](const isa::Row& row) {
    using isa::Action;
    return row.action == Action::compute || row.action == Action::matrix_multiply ||
           row.action == Action::atomic || row.action == Action::reduction ||
           row.action == Action::warp_reduce || row.action == Action::barrier_reduce;
  };
  CHECK(uncovered_rows(computes) == std::vector<std::string>{});
}

}  // namespace foldproof::tests
