// The arithmetic of contracts: integer expressions in the variables of a case.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace foldproof {

/// The values of the variables of a case: count, rows, columns, block, grid, and others that the contract
/// defines.
using Variables = std::map<std::string, std::int64_t, std::less<>>;

/// A parsed expression: integers, names, + - * / % ^ (power), comparisons, parentheses, and the functions
/// ceil_div, min, max, log2_ceil and sizeof(TYPE). Copying is cheap.
class Expression {
 public:
  /// Throws InputError with line and column, counted from `where`, if `text` is not an expression.
  static Expression parse(std::string_view text, const Position& where);
  static Expression constant(std::int64_t value);

  /// Throws InputError for an unknown name, a division by zero, or a result that does not fit in 63 bits.
  std::int64_t evaluate(const Variables& variables) const;
  /// The names that the expression reads.
  std::vector<std::string> names() const;
  const std::string& text() const { return text_; }
  /// Its position in the contract; empty for a constant that the program created.
  const Position& where() const { return where_; }

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
  std::string text_;
  Position where_;
};

/// An inclusive range "low .. high"; a single expression is a range of one value.
struct Range {
  Expression low, high;
  static Range parse(std::string_view text, const Position& where);
};

}  // namespace foldproof
