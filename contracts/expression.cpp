#include "contracts/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "contracts/expression/tree.h"

namespace foldproof {

namespace {

struct Evaluation {
  const Variables& variables;
  std::string_view text;
  const Position& where;

  std::int64_t operator()(const ExpressionNode& n) const {
    if (n.operation == ExpressionOperation::literal) return n.value;
    if (n.operation == ExpressionOperation::name) return variable(n);
    const std::int64_t a = (*this)(*n.operands[0]);
    const std::int64_t b = n.operands.size() > 1 ? (*this)(*n.operands[1]) : 0;
    const Result result = apply(n.operation, a, b);
    if (!result) refuse_expression(why_no_result(n.operation, a, b), text, n.offset, where);
    return *result;
  }

  std::int64_t variable(const ExpressionNode& n) const {
    const auto found = variables.find(n.name);
    if (found != variables.end()) return found->second;
    const std::string known = fmt::format("{}", fmt::join(variables | std::views::keys, ", "));
    refuse_expression(
        fmt::format("unknown name \"{}\" (known here: {}; a range can use only the variables above it)",
                    n.name, known.empty() ? "none" : known),
        text, n.offset, where);
  }
};

void collect_names(const ExpressionNode& n, std::vector<std::string>& names) {
  if (n.operation == ExpressionOperation::name && std::ranges::find(names, n.name) == names.end())
    names.push_back(n.name);
  for (const NodePtr& operand : n.operands) collect_names(*operand, names);
}

}  // namespace

Expression Expression::parse(std::string_view text, const Position& where) {
  Expression result;
  result.root_ = parse_expression(text, where);
  result.text_ = text;
  result.where_ = where;
  return result;
}

Expression Expression::constant(std::int64_t value) {
  Expression result;
  result.root_ = literal(value, 0);
  result.text_ = std::to_string(value);
  return result;
}

std::int64_t Expression::evaluate(const Variables& variables) const {
  if (!root_) throw InputError("the expression is empty; write a number or a name", where_);
  return Evaluation{variables, text_, where_}(*root_);
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> names;
  if (root_) collect_names(*root_, names);
  return names;
}

namespace {

/// Parses the text without surrounding spaces, and adjusts its position.
Expression parse_trimmed(std::string_view text, Position where) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  if (where.column != 0) where.column += static_cast<unsigned>(begin);
  return Expression::parse(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin), where);
}

}  // namespace

Range Range::parse(std::string_view text, const Position& where) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    const Expression only = parse_trimmed(text, where);
    return {only, only};
  }
  Position after = where;
  if (after.column != 0) after.column += static_cast<unsigned>(dots + 2);
  return {parse_trimmed(text.substr(0, dots), where), parse_trimmed(text.substr(dots + 2), after)};
}

}  // namespace foldproof
