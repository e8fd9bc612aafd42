// The record of row_coverage.h as JSON, from which `foldproof-lab instructions --page` generates docs/ptx.md.
#pragma once

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "devices/emulated/isa/type.h"
#include "row_coverage.h"

namespace foldproof::tests {

/// Writes the record to the file that the environment variable FOLDPROOF_RECORD names, if there is one:
///
///   {"program": "isa", "rows": [{"row": "add_int", "type": "u16", "type2": "", "operand_sets": 1789}, …]}
///
/// Returns a sentence if that fails.
inline std::vector<std::string> write_row_record(const std::string& program) {
  const char* const file = std::getenv("FOLDPROOF_RECORD");
  if (file == nullptr || *file == '\0') return {};
  const auto name_of = [](isa::Type type) {
    return std::string(type == isa::Type::none ? std::string_view() : isa::name(type));
  };
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [typed, operand_sets] : covered_rows())
    rows.push_back({{"row", std::string(typed.row)},
                    {"type", name_of(typed.type)},
                    {"type2", name_of(typed.type2)},
                    {"operand_sets", operand_sets}});
  std::ofstream out(file);
  out << nlohmann::ordered_json{{"program", program}, {"rows", std::move(rows)}}.dump(1) << "\n";
  if (!out.flush()) return {"the record of tested rows could not be written to " + std::string(file)};
  return {};
}

}  // namespace foldproof::tests
