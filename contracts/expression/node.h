// The tree that an expression is parsed into, and how it is complained about.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/expression.h"

namespace foldproof {

enum class Operation : std::uint8_t {
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
  Operation operation = Operation::literal;
  std::int64_t value = 0;  ///< of a literal
  std::string name;
  std::vector<std::shared_ptr<const Node>> operands;
  std::size_t offset = 0;  ///< of the operator or word inside the text
};

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;

NodePtr node(Operation operation, std::vector<NodePtr> operands, std::size_t offset);
NodePtr literal(std::int64_t value, std::size_t offset);

/// Throws InputError that points to `offset` inside the expression `text`, which begins at `where`. `advice`
/// ends the sentence and brings its own punctuation.
[[noreturn]] void refuse_expression(const std::string& problem, std::string_view text, std::size_t offset,
                                    Position where, std::string_view advice = "");

}  // namespace foldproof
