#include "contracts/expression/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"
#include "contracts/names.h"
#include "oracles/formats.h"

namespace foldproof {

namespace {

struct FunctionRow {
  std::string_view name;
  ExpressionOperation operation;
  std::size_t arguments;
};

constexpr FunctionRow functions[] = {
    {"ceil_div", ExpressionOperation::ceil_div, 2},
    {"min", ExpressionOperation::minimum, 2},
    {"max", ExpressionOperation::maximum, 2},
    {"log2_ceil", ExpressionOperation::log2_ceil, 1},
};

struct InfixRow {
  std::string_view token;
  ExpressionOperation operation;
  int strength;  ///< higher binds tighter; power is handled separately, since it is right-associative
};

constexpr InfixRow infixes[] = {
    {"<=", ExpressionOperation::less_equal, 1}, {">=", ExpressionOperation::greater_equal, 1},
    {"==", ExpressionOperation::equal, 1},      {"!=", ExpressionOperation::not_equal, 1},
    {"<", ExpressionOperation::less, 1},        {">", ExpressionOperation::greater, 1},
    {"+", ExpressionOperation::add, 2},         {"-", ExpressionOperation::subtract, 2},
    {"*", ExpressionOperation::multiply, 3},    {"/", ExpressionOperation::divide, 3},
    {"%", ExpressionOperation::remainder, 3},
};

constexpr std::size_t longest_text = 4096;  ///< also bounds the recursion depth of evaluating a chain
constexpr int deepest = 64;
constexpr std::string_view value_belongs_there = "; expected a number, a name or \"(\"";

NodePtr node(ExpressionOperation operation, std::vector<NodePtr> operands, std::size_t offset) {
  return std::make_shared<ExpressionNode>(ExpressionNode{operation, 0, {}, std::move(operands), offset});
}

/// Recursive descent; the depth limit prevents hostile text from exhausting the stack.
class Parser {
 public:
  Parser(std::string_view text, const Position& where) : text_(text), where_(where) {}

  NodePtr whole() {
    if (text_.size() > longest_text)
      throw InputError(fmt::format("an expression of {} characters is too long; the limit is {}",
                                   text_.size(), longest_text),
                       where_);
    NodePtr result = infix(1);
    if (at_ < text_.size())
      refuse(fmt::format("unexpected \"{}\"", text_[at_]), at_, "; expected an operator or the end");
    return result;
  }

 private:
  struct Nesting {
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest)
        parser_.refuse(fmt::format("more than {} levels of nesting", deepest), parser_.at_,
                       "; split it into several variables of [domain]");
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Parser& parser_;
  };

  [[noreturn]] void refuse(const std::string& problem, std::size_t offset,
                           std::string_view advice = "") const {
    refuse_expression(problem, text_, offset, where_, advice);
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool accept(std::string_view token) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token) {
    if (accept(token)) return;
    const std::string found =
        at_ < text_.size() ? fmt::format("found \"{}\"", text_[at_]) : std::string("found the end");
    refuse(fmt::format("expected \"{}\", {}", token, found), at_);
  }

  NodePtr infix(int weakest) {
    const Nesting nesting(*this);
    NodePtr left = prefix();
    for (;;) {
      skip_spaces();
      const auto* row = std::ranges::find_if(
          infixes, [&](const InfixRow& r) { return text_.substr(at_).starts_with(r.token); });
      if (row == std::end(infixes) || row->strength < weakest) return left;
      const std::size_t offset = at_;
      at_ += row->token.size();
      left = node(row->operation, {left, infix(row->strength + 1)}, offset);
    }
  }

  NodePtr prefix() {
    const Nesting nesting(*this);
    skip_spaces();
    const std::size_t offset = at_;
    if (accept("-")) return node(ExpressionOperation::negate, {prefix()}, offset);
    NodePtr base = primary();
    skip_spaces();
    const std::size_t caret = at_;
    if (accept("^")) return node(ExpressionOperation::power, {base, prefix()}, caret);
    return base;
  }

  NodePtr primary() {
    skip_spaces();
    const std::size_t offset = at_;
    if (at_ == text_.size()) refuse("missing value", at_, value_belongs_there);
    if (is_digit(text_[at_])) return number();
    if (is_letter(text_[at_])) return word();
    if (!accept("(")) refuse(fmt::format("unexpected \"{}\"", text_[at_]), offset, value_belongs_there);
    NodePtr inner = infix(1);
    expect(")");
    return inner;
  }

  NodePtr number() {
    const std::size_t offset = at_;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc{})
      refuse("a number that does not fit in 63 bits", offset, "; write one below 2^63");
    if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.') &&
        !text_.substr(at_).starts_with(".."))
      refuse(fmt::format("a number that is not an integer (\"{}\")", text_.substr(offset, at_ - offset + 1)),
             offset, "; write an integer");
    return literal(value, offset);
  }

  std::string_view identifier() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  NodePtr word() {
    const std::size_t offset = at_;
    const std::string_view name = identifier();
    if (!accept("(")) {
      return std::make_shared<ExpressionNode>(
          ExpressionNode{ExpressionOperation::name, 0, std::string(name), {}, offset});
    }
    if (name == "sizeof") return size_of_type();
    return call(name, offset);
  }

  NodePtr size_of_type() {
    skip_spaces();
    const std::size_t offset = at_;
    const std::string_view type = identifier();
    const std::optional<Element> element = element_named(type);
    if (!element) refuse(fmt::format("unknown type \"{}\"", type), offset, suggestion(type, element_names()));
    expect(")");
    return literal(static_cast<std::int64_t>(size_of(*element)), offset);
  }

  NodePtr call(std::string_view name, std::size_t offset) {
    const auto* row = std::ranges::find(functions, name, &FunctionRow::name);
    if (row == std::end(functions))
      refuse(fmt::format("unknown function \"{}\" (known: ceil_div, min, max, log2_ceil and sizeof)", name),
             offset);
    std::vector<NodePtr> operands{infix(1)};
    while (operands.size() < row->arguments) {
      expect(",");
      operands.push_back(infix(1));
    }
    expect(")");
    return node(row->operation, std::move(operands), offset);
  }

  std::string_view text_;
  const Position& where_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

void refuse_expression(const std::string& problem, std::string_view text, std::size_t offset, Position where,
                       std::string_view advice) {
  if (where.column != 0) where.column += static_cast<unsigned>(offset);
  throw InputError(fmt::format("{} in the expression \"{}\"{}", problem, text, advice), where);
}

NodePtr literal(std::int64_t value, std::size_t offset) {
  return std::make_shared<ExpressionNode>(
      ExpressionNode{ExpressionOperation::literal, value, {}, {}, offset});
}

NodePtr parse_expression(std::string_view text, const Position& where) { return Parser(text, where).whole(); }

}  // namespace foldproof
