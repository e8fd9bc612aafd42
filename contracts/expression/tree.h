// The tree of an expression: parsing, and the results of its operations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/expression.h"

namespace foldproof {

enum class ExpressionOperation : std::uint8_t {
  literal,
  name,
  negate,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  ceil_div,
  minimum,
  maximum,
  log2_ceil,
};

struct Expression::Node {
  ExpressionOperation operation = ExpressionOperation::literal;
  std::int64_t value = 0;  ///< of a literal
  std::string name;
  std::vector<std::shared_ptr<const Node>> operands;
  std::size_t offset = 0;  ///< position of the operator or word in the text
};

using ExpressionNode = Expression::Node;
using NodePtr = std::shared_ptr<const ExpressionNode>;

NodePtr literal(std::int64_t value, std::size_t offset);

/// Throws InputError that points into `where` if `text` is not an expression.
NodePtr parse_expression(std::string_view text, const Position& where);

/// Nothing if the result does not exist or does not fit in 63 bits, as for a division by zero.
using Result = std::optional<std::int64_t>;

/// Unary operations use `a`.
Result apply(ExpressionOperation operation, std::int64_t a, std::int64_t b);

/// Why apply() returned nothing, as the beginning of a sentence.
std::string why_no_result(ExpressionOperation operation, std::int64_t a, std::int64_t b);

/// Throws InputError that points to `offset` in the expression `text`, which begins at `where`. `advice` ends
/// the sentence and includes its own punctuation.
[[noreturn]] void refuse_expression(const std::string& problem, std::string_view text, std::size_t offset,
                                    Position where, std::string_view advice = "");

}  // namespace foldproof
