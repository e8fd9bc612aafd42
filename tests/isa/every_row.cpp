// Requires that every computing or combining row of ptx.def was executed and compared with an expectation.
#include "row_coverage.h"
#include "row_record.h"
#include "session.h"

namespace foldproof::tests {
namespace {

bool computes(const isa::Row& row) {
  using isa::Action;
  return row.action == Action::compute || row.action == Action::matrix_multiply ||
         row.action == Action::atomic || row.action == Action::reduction ||
         row.action == Action::warp_reduce || row.action == Action::barrier_reduce;
}

const AfterAll every_row([] { return uncovered_rows(computes); });
const AfterAll record([] { return write_row_record("isa"); });

}  // namespace
}  // namespace foldproof::tests
