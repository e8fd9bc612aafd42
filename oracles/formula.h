// Results that a formula defines: sums over the elements, and what is computed from them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace foldproof {

/// Which of its values an operand has for an element: one of its own, or that of its row or column.
enum class ValueOf : std::uint8_t { element, row, column };

/// An operand in a formula: "dy", "mean[row]", "gain[column]".
struct FormulaOperand {
  std::string name;
  ValueOf value = ValueOf::element;
  bool is_positive = false;  ///< a divisor, or below a root
  bool is_outside = false;   ///< of all totals, in some place
};

/// A formula such as "sum(dy * (x - mean[row]) * rstd[row])" or "y * (x - sum(y * x))": numbers, x (the
/// element), operands, n (the number of elements that are reduced), + - * /, parentheses, and the functions
/// sqrt, abs, and, over the elements, sum and mean.
class Formula {
 public:
  /// A node of the tree. Sums and products have any number of operands, in any order.
  struct Node {
    enum class Kind : std::uint8_t { number, element, operand, count, sum, product, root, magnitude, total };
    Kind kind = Kind::number;
    double number = 0;                ///< number
    std::size_t index = 0;            ///< operand: in operands(); total: its number, inner ones first
    std::vector<Node> of = {};        ///< what it is computed from
    std::vector<bool> inverted = {};  ///< sum: whether it is subtracted; product: whether it is a divisor
  };

  /// Throws InputError, with line and column counted from `where`, for a text that is not a formula.
  static Formula parse(const std::string& text, const Position& where);

  const std::string& text() const { return text_; }
  const Node& root() const { return *root_; }
  std::span<const FormulaOperand> operands() const { return operands_; }
  /// The operand of that name; null if the formula does not contain it.
  const FormulaOperand* operand(std::string_view name) const;
  /// How many nodes are totals.
  std::size_t totals() const { return totals_; }
  /// Whether it has a result for each element, since it reads some outside of all totals.
  bool is_elementwise() const { return is_elementwise_; }
  /// Whether it is one total, so that there may be partial results.
  bool is_total() const { return root_->kind == Node::Kind::total; }

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
  std::vector<FormulaOperand> operands_;
  std::size_t totals_ = 0;
  bool is_elementwise_ = false;
};

}  // namespace foldproof
