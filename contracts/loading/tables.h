// The readers of a contract's tables, each in a file named after what it reads.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "contracts/contract.h"
#include "contracts/document.h"
#include "contracts/names.h"
#include "oracles/custom_operator.h"

namespace foldproof {

/// The meaning of a contract's strings for one combination of its matrix: placeholders are replaced by their
/// values, and expressions may use the names that earlier tables introduced.
class Scope {
 public:
  explicit Scope(const Bindings& bindings) : bindings_(bindings) {}

  void add_variable(const std::string& name) { variables_.push_back(name); }
  bool knows(std::string_view variable) const;
  /// "; did you mean "grid"?": suggests a variable for an unknown name.
  std::string suggest(std::string_view wrong) const { return suggestion(wrong, variables_); }
  /// Adds a name for something that arguments may point to. Throws InputError if the name is already in use.
  std::string add_buffer(const Text& raw);
  /// Later expressions may use launch1_grid and launch1_block: the number of blocks, and of threads per
  /// block, of launch 1, the first one added.
  void add_launch(const LaunchContract& launch);

  // The meaning of a string. All throw InputError with its position.
  Text text(const Text& raw) const;
  std::string cpp(const Text& raw) const;
  Element element(const Text& raw) const;
  Expression expression(const Text& raw) const;
  Range range(const Text& raw) const;
  ArgumentContract argument(const Text& raw) const;

  // The value of a key.
  std::optional<Text> text(const Table& table, std::string_view key) const;
  /// One to three extents; 1 for each that is missing.
  std::array<Expression, 3> extents(const Table& table, std::string_view key) const;

  // Reads the value of a key into a field, which is unchanged if the key is missing.
  void read(const Table& table, std::string_view key, Element& field) const;
  void read(const Table& table, std::string_view key, Expression& field) const;
  void read(const Table& table, std::string_view key, std::optional<Expression>& field) const;
  template <typename Enum, std::size_t n>
  void read(const Table& table, std::string_view key, const Named<Enum> (&names)[n], Enum& field) const;

 private:
  std::string resolved(std::string_view text) const;
  void check_names(const Expression& expression, const Text& text) const;
  void check_names(const ArgumentContract& argument, const Text& text) const;

  const Bindings& bindings_;
  std::vector<std::string> variables_;
  std::vector<std::string> buffers_{"input", "output"};
  Bindings earlier_launches_;
};

template <typename Enum, std::size_t n>
void Scope::read(const Table& table, std::string_view key, const Named<Enum> (&names)[n], Enum& field) const {
  const std::optional<Text> chosen = text(table, key);
  if (!chosen) return;
  const auto value = value_named(names, chosen->value);
  if (!value)
    throw InputError(fmt::format("\"{}\" cannot be \"{}\"{}", key, chosen->value,
                                 suggestion(chosen->value, all_names(names))),
                     chosen->where);
  field = *value;
}

/// An instance under construction, while its contract is read table by table.
struct Draft {
  const Table& top;
  bool calls;  ///< the contract has a `call`, whose kernel and launch are generated
  Scope scope;
  Instance instance;
};

/// Every combination of the matrix's types, operators and sizes, except the excluded ones: at least one,
/// which is empty if there is no matrix. Throws InputError for an empty or huge matrix, a value that is
/// neither a string nor an integer, and an exclusion that excludes nothing.
std::vector<Bindings> combinations(const Table& top);

// In the order of the calls: expressions use names that earlier tables introduced. All throw InputError.
void read_reduction(Draft& draft);  ///< everything except `k` and `values`
void read_domain(Draft& draft);
void read_tried(Draft& draft);
void read_sizes_of_reduction(Draft& draft);  ///< `k` and `values`
void read_operands(Draft& draft);
void read_buffers(Draft& draft);
void read_additional_outputs(Draft& draft);
/// Whether the initial content of each [[buffer]] exists.
void check_identities(const Draft& draft);
void read_input(Draft& draft);
void read_output(Draft& draft);
void read_launches(Draft& draft);
void read_claims(Draft& draft);

/// Require the variables and the operands without which a reduction, at `where` in the contract, is not
/// defined. Throw InputError.
void check_needed_variables(const Draft& draft, const Reduction& reduction, const Position& where);
void check_needed_operands(const Draft& draft, const Reduction& reduction, const Position& where);

/// Why an operand of that role cannot have the type; empty if it can. `elements`: the type of the input.
std::string_view why_not_of_type(Role role, Element type, Element elements);
/// Why the formula cannot read an operand of that type, as a sentence; empty if it can.
std::string why_not_variable(const FormulaOperand& read, Element type, const Reduction& reduction);
/// Whether a reduction with that operator and result cannot do without the operand.
bool requires_operand(const RoleInfo& role, Operator op, ResultShape result);
/// The number of values that an operand has unless the contract says otherwise; `rows`: that of the output,
/// if there are rows. Not for scales.
std::string usual_count(Role role, const std::optional<std::string>& rows);

/// Throws InputError if the output contains indices and its type cannot represent the largest one.
void check_indices(const Draft& draft);

/// Throws InputError if the table has a key that only applies to other operators, unless its value is the
/// default.
void check_keys(const Scope& scope, std::string_view name, const Table& table, std::span<const Operator> ops);

/// The number of rows of the output: `rows`, or an expression in `count` and `columns`.
Text rows_of_output(const Draft& draft, const Position& where);

/// `combine`: a polynomial in a and b, such as "a + b + a * b"; `identity`: an integer. Throws InputError if
/// either is missing or malformed, or if `element` is an integer type in which they do not fold.
std::shared_ptr<const CustomOperator> custom_operator(const std::optional<Text>& combine,
                                                      const std::optional<Text>& identity, Element element,
                                                      const Position& where);

/// The floating-point number that the whole text spells, as in C.
std::optional<double> number_in(const std::string& text);
/// "output", "partials + 4", "count", "f32:1.5", "i32:count" or "{input, i32:count}"; `buffers`: the names
/// that denote addresses. Throws InputError.
ArgumentContract parse_argument(std::string_view text, const std::vector<std::string>& buffers,
                                const Position& where);

}  // namespace foldproof
