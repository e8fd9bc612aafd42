#include "contracts/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "contracts/text.h"
#include "oracles/element.h"

namespace foldproof {

namespace {

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

struct FunctionRow {
  std::string_view name;
  Operation operation;
  std::size_t arguments;
};

constexpr FunctionRow functions[] = {
    {"ceil_div", Operation::ceil_div, 2},
    {"min", Operation::minimum, 2},
    {"max", Operation::maximum, 2},
    {"log2_ceil", Operation::log2_ceil, 1},
};

struct InfixRow {
  std::string_view token;
  Operation operation;
  int strength;  ///< the stronger binds first; power is apart, since it groups to the right
};

constexpr InfixRow infixes[] = {
    {"<=", Operation::less_equal, 1}, {">=", Operation::greater_equal, 1}, {"==", Operation::equal, 1},
    {"!=", Operation::not_equal, 1},  {"<", Operation::less, 1},           {">", Operation::greater, 1},
    {"+", Operation::add, 2},         {"-", Operation::subtract, 2},       {"*", Operation::multiply, 3},
    {"/", Operation::divide, 3},      {"%", Operation::remainder, 3},
};

constexpr std::size_t longest_text = 4096;  ///< also bounds how deep evaluation descends along a chain
constexpr int deepest = 64;

}  // namespace

struct Expression::Node {
  Operation operation = Operation::literal;
  std::int64_t value = 0;  ///< of a literal
  std::string name;
  std::vector<std::shared_ptr<const Node>> operands;
  std::size_t offset = 0;  ///< of the operator or word inside the text
};

namespace {

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;

[[noreturn]] void fail(const std::string& problem, std::string_view text, std::size_t offset,
                       Position where) {
  if (where.column != 0) where.column += static_cast<unsigned>(offset);
  throw InputError(fmt::format("{} in the expression \"{}\"", problem, text), where);
}

NodePtr node(Operation operation, std::vector<NodePtr> operands, std::size_t offset) {
  return std::make_shared<Node>(Node{operation, 0, {}, std::move(operands), offset});
}

NodePtr literal(std::int64_t value, std::size_t offset) {
  return std::make_shared<Node>(Node{Operation::literal, value, {}, {}, offset});
}

/// Recursive descent; the depth limit keeps hostile text from exhausting the stack.
class Parser {
 public:
  Parser(std::string_view text, const Position& where) : text_(text), where_(where) {}

  NodePtr whole() {
    if (text_.size() > longest_text)
      throw InputError(fmt::format("an expression of {} characters is too long; the limit is {}",
                                   text_.size(), longest_text),
                       where_);
    NodePtr result = infix(1);
    if (at_ < text_.size()) fail(fmt::format("unexpected \"{}\"", text_[at_]), text_, at_, where_);
    return result;
  }

 private:
  struct Nesting {
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest)
        fail(fmt::format("more than {} levels of nesting", deepest), parser_.text_, parser_.at_,
             parser_.where_);
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Parser& parser_;
  };

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
        at_ < text_.size() ? fmt::format("not \"{}\"", text_[at_]) : std::string("not the end");
    fail(fmt::format("expected \"{}\", {}", token, found), text_, at_, where_);
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
    if (accept("-")) return node(Operation::negate, {prefix()}, offset);
    NodePtr base = primary();
    skip_spaces();
    const std::size_t caret = at_;
    if (accept("^")) return node(Operation::power, {base, prefix()}, caret);
    return base;
  }

  NodePtr primary() {
    skip_spaces();
    const std::size_t offset = at_;
    if (at_ == text_.size()) fail("a value is missing", text_, at_, where_);
    if (is_digit(text_[at_])) return number();
    if (is_letter(text_[at_])) return word();
    if (!accept("(")) fail(fmt::format("unexpected \"{}\"", text_[at_]), text_, offset, where_);
    NodePtr inner = infix(1);
    expect(")");
    return inner;
  }

  NodePtr number() {
    const std::size_t offset = at_;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    at_ = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc{}) fail("a number beyond 63 bits", text_, offset, where_);
    if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.') &&
        !text_.substr(at_).starts_with(".."))
      fail(fmt::format("a number that is no integer (\"{}\")", text_.substr(offset, at_ - offset + 1)), text_,
           offset, where_);
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
      return std::make_shared<Node>(Node{Operation::name, 0, std::string(name), {}, offset});
    }
    if (name == "sizeof") return size_of_type();
    return call(name, offset);
  }

  NodePtr size_of_type() {
    skip_spaces();
    const std::size_t offset = at_;
    const std::string_view type = identifier();
    const std::optional<Element> element = element_named(type);
    if (!element) fail(fmt::format("unknown type \"{}\"", type), text_, offset, where_);
    expect(")");
    return literal(static_cast<std::int64_t>(size_of(*element)), offset);
  }

  NodePtr call(std::string_view name, std::size_t offset) {
    const auto* row = std::ranges::find(functions, name, &FunctionRow::name);
    if (row == std::end(functions))
      fail(fmt::format("unknown function \"{}\" (ceil_div, min, max, log2_ceil and sizeof exist)", name),
           text_, offset, where_);
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

// The arithmetic. Nothing means: no such result inside 63 bits (or a division by zero).
using Result = std::optional<std::int64_t>;

Result divide(std::int64_t a, std::int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
  return a / b;
}

Result remainder(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  return b == -1 ? 0 : a % b;
}

Result ceil_div(std::int64_t a, std::int64_t b) {
  const Result quotient = divide(a, b);
  if (!quotient) return std::nullopt;
  const bool rounds_up = a % b != 0 && (a < 0) == (b < 0);
  return *quotient + (rounds_up ? 1 : 0);
}

Result multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? Result{} : product;
}

Result power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  Result product = 1;
  for (; exponent > 0 && product; --exponent) product = multiply(*product, base);
  return product;
}

Result log2_ceil(std::int64_t value) {
  if (value < 1) return std::nullopt;
  std::int64_t exponent = 0;
  while (exponent < 63 && (std::uint64_t{1} << exponent) < static_cast<std::uint64_t>(value)) ++exponent;
  return exponent;
}

Result apply(Operation operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (operation) {
    case Operation::literal:
    case Operation::name: return a;
    case Operation::negate: return __builtin_sub_overflow(std::int64_t{0}, a, &result) ? Result{} : result;
    case Operation::add: return __builtin_add_overflow(a, b, &result) ? Result{} : result;
    case Operation::subtract: return __builtin_sub_overflow(a, b, &result) ? Result{} : result;
    case Operation::multiply: return multiply(a, b);
    case Operation::divide: return divide(a, b);
    case Operation::remainder: return remainder(a, b);
    case Operation::power: return power(a, b);
    case Operation::less: return a < b;
    case Operation::less_equal: return a <= b;
    case Operation::greater: return a > b;
    case Operation::greater_equal: return a >= b;
    case Operation::equal: return a == b;
    case Operation::not_equal: return a != b;
    case Operation::ceil_div: return ceil_div(a, b);
    case Operation::minimum: return std::min(a, b);
    case Operation::maximum: return std::max(a, b);
    case Operation::log2_ceil: return log2_ceil(a);
  }
  return std::nullopt;
}

std::string why_no_result(Operation operation, std::int64_t a, std::int64_t b) {
  const bool divides =
      operation == Operation::divide || operation == Operation::remainder || operation == Operation::ceil_div;
  if (divides && b == 0) return fmt::format("{} is divided by zero", a);
  if (operation == Operation::power && b < 0)
    return fmt::format("{} is raised to a negative power ({})", a, b);
  if (operation == Operation::log2_ceil && a < 1) return fmt::format("log2_ceil({}) does not exist", a);
  return "a result beyond 63 bits";
}

struct Evaluation {
  const Variables& variables;
  std::string_view text;
  const Position& where;

  std::int64_t operator()(const Node& n) const {
    if (n.operation == Operation::literal) return n.value;
    if (n.operation == Operation::name) return variable(n);
    const std::int64_t a = (*this)(*n.operands[0]);
    const std::int64_t b = n.operands.size() > 1 ? (*this)(*n.operands[1]) : 0;
    const Result result = apply(n.operation, a, b);
    if (!result) fail(why_no_result(n.operation, a, b), text, n.offset, where);
    return *result;
  }

  std::int64_t variable(const Node& n) const {
    const auto found = variables.find(n.name);
    if (found != variables.end()) return found->second;
    std::string known;
    for (const auto& [name, value] : variables) known += (known.empty() ? "" : ", ") + name;
    fail(fmt::format("unknown name \"{}\" (known here: {})", n.name, known.empty() ? "none" : known), text,
         n.offset, where);
  }
};

void collect_names(const Node& n, std::vector<std::string>& names) {
  if (n.operation == Operation::name && std::ranges::find(names, n.name) == names.end())
    names.push_back(n.name);
  for (const NodePtr& operand : n.operands) collect_names(*operand, names);
}

}  // namespace

Expression Expression::parse(std::string_view text, const Position& where) {
  Expression result;
  result.root_ = Parser(text, where).whole();
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
  if (!root_) throw InputError("an expression was left empty", where_);
  return Evaluation{variables, text_, where_}(*root_);
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> names;
  if (root_) collect_names(*root_, names);
  return names;
}

namespace {

/// Without the spaces around it, at its new place.
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
