// What is known about a row of ptx.def and its types, and the files that hold it.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "devices/emulated/isa/form.h"
#include "reports/json.h"

namespace foldproof {

/// A row of ptx.def with its types T and U, by name; empty if the row has none.
struct TypedRowName {
  std::string row, type, type2;
  auto operator<=>(const TypedRowName&) const = default;
};

/// The name of a row with these types.
TypedRowName named_row(const isa::Row& row, isa::Type type, isa::Type type2);

/// The comparison of a row's forms on the emulated device and on a GPU.
struct GpuEvidence {
  TypedRowName row;
  std::uint64_t forms = 0;         ///< that ran on both devices
  std::uint64_t operand_sets = 0;  ///< of all forms together
  std::uint64_t equal = 0;         ///< operand sets with the same bits in every destination
  std::uint64_t other_nan = 0;     ///< operand sets that differ only in the sign or payload of f64 NaNs
  std::string why_open;            ///< why PTX leaves the results to the hardware; empty if it does not
  std::string difference;          ///< the first one, as a sentence; empty if there is none
  std::map<std::string, std::uint64_t> refused;  ///< forms that the driver refused, by reason
  std::map<std::string, std::uint64_t> failed;   ///< forms that did not run for another reason, by reason

  std::uint64_t different() const { return operand_sets - equal - other_nan; }
  /// Whether results that PTX defines differ.
  bool is_difference() const { return different() > 0 && why_open.empty(); }
  /// Adds the evidence of other forms of the same row and types.
  void add(const GpuEvidence& more);
};

Json to_json(const GpuEvidence& evidence);
/// Throws InputError, or the exception of a missing field.
GpuEvidence gpu_evidence_from(const Json& json);

/// The record of a comparison.
struct GpuRecord {
  std::string device;
  std::vector<GpuEvidence> rows;

  /// Throws InputError if the file is not a record.
  static GpuRecord load(const std::filesystem::path& file);
  /// One line per row.
  std::string text() const;
};

Json to_json(const GpuRecord& record);

/// The operand sets that the unit tests compared with an expectation; 0: compared, but not set by set.
using TestEvidence = std::map<TypedRowName, std::uint64_t>;

/// Adds the record of a test program (tests/row_record.h). Throws InputError if the file is not a record.
void add_test_record(TestEvidence& evidence, const std::filesystem::path& file);

}  // namespace foldproof
