// Reference contracts: what a kernel without a contract is audited as (--as). A reference contract says what
// is computed; element types, parameters and the launch are those of the kernel.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contracts/contract.h"

namespace foldproof {

/// What a reference contract may be called: every operator, and the rows of problems.def.
struct Problem {
  std::string_view name;
  Operator op = Operator::sum;
  ResultShape whole = ResultShape::value;  ///< the result if the input has no rows, columns or segments
  std::string_view keys;                   ///< as written after --as
  std::string_view synopsis;
};
std::vector<Problem> problems();
/// The words after the colon that the problem supports: "whole", "rows", …
std::vector<std::string_view> shapes_of(const Problem& problem);

/// A chosen reference contract.
struct Reference {
  std::string as, map;  ///< as the user wrote them
  Operator op = Operator::sum;
  ResultShape result = ResultShape::value;
  std::vector<std::pair<std::string, std::string>> keys;  ///< of [reduction] and [claims], with their values
  /// The parameter for a part of the contract, by index or name: x (the input), y (the output), an operand's
  /// role, a size (count, rows, columns, spatial, segments), bins, k or epsilon.
  std::map<std::string, std::string, std::less<>> parameters;
  std::shared_ptr<const Formula> formula = {};  ///< for formulas; its operands are parts, too

  /// The value of a key; null if it has none.
  const std::string* value_of(std::string_view key) const;
};

/// `as`: "softmax", "softmax:rows", "top-k:rows,k=8"; `map`: "x=0,y=1,rows=2" or empty. Throws InputError for
/// an unknown problem, shape, key or part, with the nearest one.
Reference reference_named(const std::string& as, const std::string& map);

/// Sets the keys of the reference contract in an instance whose reduction has the kernel's types. Throws
/// InputError for a value that a contract could not have.
void apply_keys(const Reference& reference, Instance& instance);

}  // namespace foldproof
