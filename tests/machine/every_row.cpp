// Requires that every row of ptx.def that the machine executes was compared with an expectation. The other
// rows compute or combine: the tests of the instruction set require those.
#include "row_coverage.h"
#include "row_record.h"
#include "session.h"

namespace foldproof::tests {
namespace {

bool is_machines(const isa::Row& row) {
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
}

const AfterAll every_row([] { return uncovered_rows(is_machines); });
const AfterAll record([] { return write_row_record("machine"); });

}  // namespace
}  // namespace foldproof::tests
