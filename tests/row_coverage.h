// Records which rows of ptx.def this test program executed and compared with an expectation.
//
// Every test that does so calls covers("shfl_sync"). After all test cases, in any order, the program requires
// the rows that it is responsible for (every_row.cpp) and names those that were never executed.
#pragma once

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "devices/emulated/isa/form.h"

namespace foldproof::tests {

inline std::set<std::string_view>& covered_rows() {
  static std::set<std::string_view> rows;
  return rows;
}

/// `id` must be a row of ptx.def.
inline void covers(std::string_view id) {
  const auto rows = isa::rows();
  const auto row = std::ranges::find(rows, id, &isa::Row::id);
  if (row == rows.end()) throw std::logic_error("ptx.def has no row " + std::string(id));
  covered_rows().insert(row->id);
}

/// One sentence for each row for which `responsible` is true and that no test covered.
template <class Responsible>
std::vector<std::string> uncovered_rows(Responsible responsible) {
  std::vector<std::string> missing;
  for (const isa::Row& row : isa::rows())
    if (responsible(row) && !covered_rows().contains(row.id))
      missing.push_back("no test executed the row " + std::string(row.id) +
                        " of ptx.def against an expectation");
  return missing;
}

}  // namespace foldproof::tests
