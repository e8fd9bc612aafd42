// The readers of a contract's tables, each in a file named after what it reads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/contract.h"
#include "contracts/document.h"
#include "contracts/loading/scope.h"
#include "oracles/custom_operator.h"

namespace foldproof {

/// An instance under construction, while its contract is read table by table.
struct Draft {
  const Table& top;
  bool calls;  ///< the contract has a `call`, whose kernel and launch are generated
  Scope scope;
  Instance instance;
};

// In the order of the calls: expressions use names that earlier tables introduced. All throw InputError.
void read_reduction(Draft& draft);  ///< everything except `k`, which is an expression
void read_domain(Draft& draft);
void read_tried(Draft& draft);
void read_operands(Draft& draft);
void read_buffers(Draft& draft);
void read_additional_outputs(Draft& draft);
void read_output(Draft& draft);
void read_launches(Draft& draft);
void read_claims(Draft& draft);

/// Throws InputError if the output contains indices and its type cannot represent the largest one.
void check_indices(const Draft& draft);

/// Throws InputError if the table has a key that only applies to other operators, unless its value is the
/// default.
void check_keys(const Scope& scope, std::string_view name, const Table& table, Operator op);

/// The number of rows of the output: `rows`, or an expression in `count` and `columns`.
Text rows_of_output(const Draft& draft, const Position& where);

/// `combine`: a polynomial in a and b, such as "a + b + a * b"; `identity`: an integer. Throws InputError if
/// either is missing or malformed, or if `element` is an integer type in which they do not fold.
std::shared_ptr<const CustomOperator> custom_operator(const std::optional<Text>& combine,
                                                      const std::optional<Text>& identity, Element element,
                                                      const Position& where);

/// "output", "partials + 4", "count", "f32:1.5", "i32:count" or "{input, i32:count}"; `buffers`: the names
/// that denote addresses. Throws InputError.
ArgumentContract parse_argument(std::string_view text, const std::vector<std::string>& buffers,
                                const Position& where);

}  // namespace foldproof
