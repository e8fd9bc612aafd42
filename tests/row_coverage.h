// Records which rows of ptx.def this test program executed and compared with an expectation, and with how
// many operand sets.
//
// Every test that does so calls covers(form, sets), or covers("shfl_sync") if what it compares is not one
// result per operand set. After all test cases, in any order, the program requires the rows that it is
// responsible for (every_row.cpp), names those that were never executed, and writes its record
// (row_record.h).
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "devices/emulated/isa/form.h"

namespace foldproof::tests {

/// A row with its types T and U; Type::none if the row has none or the test did not say.
struct TypedRow {
  std::string_view row;
  isa::Type type = isa::Type::none, type2 = isa::Type::none;
  auto operator<=>(const TypedRow&) const = default;
};

/// Operand sets that were compared. 0: the row was executed and compared, but not set by set.
inline std::map<TypedRow, std::uint64_t>& covered_rows() {
  static std::map<TypedRow, std::uint64_t> rows;
  return rows;
}

/// `id` must be a row of ptx.def.
inline void covers(std::string_view id) {
  const auto rows = isa::rows();
  const auto row = std::ranges::find(rows, id, &isa::Row::id);
  if (row == rows.end()) throw std::logic_error("ptx.def has no row " + std::string(id));
  covered_rows()[{row->id}];
}

/// The form was compared with an expectation for so many operand sets.
inline void covers(const isa::Form& form, std::size_t operand_sets) {
  covered_rows()[{isa::rows()[form.row].id, form.type, form.type2}] += operand_sets;
}

/// One sentence for each row for which `responsible` is true and that no test covered.
template <class Responsible>
std::vector<std::string> uncovered_rows(Responsible responsible) {
  std::vector<std::string> missing;
  const auto is_covered = [](std::string_view id) {
    return std::ranges::any_of(covered_rows(), [&](const auto& entry) { return entry.first.row == id; });
  };
  for (const isa::Row& row : isa::rows())
    if (responsible(row) && !is_covered(row.id))
      missing.push_back("no test executed the row " + std::string(row.id) +
                        " of ptx.def against an expectation");
  return missing;
}

}  // namespace foldproof::tests
