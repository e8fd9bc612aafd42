#include "oracles/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"

namespace foldproof {
namespace {

using Node = Formula::Node;
using Kind = Node::Kind;

constexpr int deepest = 32;
constexpr std::size_t longest = 1000;

Node without_operands(Kind kind) { return {.kind = kind}; }
Node computed_from(Kind kind, Node operand) { return {.kind = kind, .of = {std::move(operand)}}; }

class Parser {
 public:
  Parser(const std::string& text, const Position& where) : text_(text), where_(where) {}

  Node formula() {
    if (text_.size() > longest) refuse(fmt::format("a formula has at most {} characters", longest), 0);
    Node all = sum();
    if (peek() != '\0') refuse(fmt::format("unexpected \"{}\"", text_.substr(at_, 1)), at_);
    return all;
  }

  std::vector<FormulaOperand> operands = {};
  std::size_t totals = 0;
  bool is_elementwise = false;  ///< an element, or an operand of its own, is outside of all totals

 private:
  [[noreturn]] void refuse(const std::string& what, std::size_t at) const {
    Position place = where_;
    if (place.column != 0) place.column += static_cast<unsigned>(at);
    throw InputError(fmt::format("{} in \"{}\"", what, text_), place);
  }

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool takes(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!takes(c)) refuse(fmt::format("missing \"{}\"", c), at_);
  }

  /// Operands joined by two operators; the second one inverts. Nested ones of the same kind are merged.
  template <typename Operand>
  Node joined(Kind kind, char plain, char inverse, const Operand& operand) {
    Node all = without_operands(kind);
    bool is_inverted = false;
    do {
      Node next = operand();
      // A product that is a divisor may overflow or underflow by itself.
      if (next.kind == kind && (kind == Kind::sum || !is_inverted)) {
        for (std::size_t i = 0; i < next.of.size(); ++i) {
          all.of.push_back(std::move(next.of[i]));
          all.inverted.push_back(next.inverted[i] != is_inverted);
        }
      } else {
        all.of.push_back(std::move(next));
        all.inverted.push_back(is_inverted);
      }
      is_inverted = peek() == inverse;
    } while (takes(plain) || takes(inverse));
    const bool is_single = all.of.size() == 1 && !all.inverted.front();
    return is_single ? Node(std::move(all.of.front())) : all;
  }

  Node sum() {
    if (++depth_ > deepest) refuse(fmt::format("more than {} nested parts", deepest), at_);
    Node all = joined(Kind::sum, '+', '-', [&] { return product(); });
    --depth_;
    return all;
  }

  Node product() {
    return joined(Kind::product, '*', '/', [&] { return factor(); });
  }

  Node factor() {
    if (takes('-')) {
      if (++depth_ > deepest) refuse(fmt::format("more than {} nested parts", deepest), at_);
      Node negative{.kind = Kind::sum, .of = {factor()}, .inverted = {true}};
      --depth_;
      return negative;
    }
    if (takes('(')) {
      Node inside = sum();
      expect(')');
      return inside;
    }
    const char next = peek();
    if (is_digit(next) || next == '.') return number();
    if (is_letter(next)) return named();
    refuse(next == '\0' ? "the formula ends where an operand is expected"
                        : fmt::format("unexpected \"{}\"", next),
           at_);
  }

  Node number() {
    Node node = without_operands(Kind::number);
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), node.number);
    if (error != std::errc{})
      refuse(error == std::errc::invalid_argument ? "not a number" : "a number is out of range", at_);
    at_ += static_cast<std::size_t>(end - begin);
    return node;
  }

  Node named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (peek() == '(') return function(name, begin);
    if (name == "x") is_elementwise |= !in_total_;
    if (name == "x") return without_operands(Kind::element);
    if (name == "n") return without_operands(Kind::count);
    return operand(name, begin);
  }

  Node operand(const std::string& name, std::size_t begin) {
    FormulaOperand read{name, ValueOf::element, below_root_, !in_total_};
    if (takes('[')) {
      const std::size_t word = (peek(), at_);
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
      const std::string index = text_.substr(word, at_ - word);
      if (index != "row" && index != "column")
        refuse(fmt::format("\"{}\" must be \"row\" or \"column\"", index), word);
      read.value = index == "row" ? ValueOf::row : ValueOf::column;
      expect(']');
    }
    if (read.value == ValueOf::element) is_elementwise |= !in_total_;
    const auto known = std::ranges::find(operands, name, &FormulaOperand::name);
    if (known != operands.end() && known->value != read.value)
      refuse(fmt::format("\"{}\" is indexed in two ways", name), begin);
    Node node = without_operands(Kind::operand);
    node.index = static_cast<std::size_t>(known - operands.begin());
    if (known == operands.end())
      operands.push_back(std::move(read));
    else
      known->is_positive |= read.is_positive, known->is_outside |= read.is_outside;
    return node;
  }

  Node function(const std::string& name, std::size_t begin) {
    expect('(');
    const bool is_total = name == "sum" || name == "mean";
    if (!is_total && name != "sqrt" && name != "abs")
      refuse(fmt::format("unknown function \"{}\"; the functions are sum, mean, sqrt and abs", name), begin);
    if (is_total && in_total_) refuse("sum() and mean() cannot be nested", begin);
    const bool was_below_root = std::exchange(below_root_, below_root_ || name == "sqrt");
    in_total_ |= is_total;
    Node inside = sum();
    expect(')');
    below_root_ = was_below_root;
    if (!is_total) return computed_from(name == "abs" ? Kind::magnitude : Kind::root, std::move(inside));
    in_total_ = false;
    Node total = computed_from(Kind::total, std::move(inside));
    total.index = totals++;
    if (name == "sum") return total;
    return {.kind = Kind::product,
            .of = {std::move(total), without_operands(Kind::count)},
            .inverted = {false, true}};
  }

  const std::string& text_;
  const Position& where_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_total_ = false, below_root_ = false;
};

/// Marks the operands that are divisors.
void mark_divisors(const Node& node, std::vector<FormulaOperand>& operands) {
  for (std::size_t i = 0; i < node.of.size(); ++i) {
    const Node& one = node.of[i];
    if (node.kind == Kind::product && node.inverted[i] && one.kind == Kind::operand)
      operands[one.index].is_positive = true;
    mark_divisors(one, operands);
  }
}

}  // namespace

const FormulaOperand* Formula::operand(std::string_view name) const {
  const auto found = std::ranges::find(operands_, name, &FormulaOperand::name);
  return found == operands_.end() ? nullptr : &*found;
}

Formula Formula::parse(const std::string& text, const Position& where) {
  Parser parser(text, where);
  Formula formula;
  formula.text_ = text;
  formula.root_ = std::make_shared<const Node>(parser.formula());
  formula.operands_ = std::move(parser.operands);
  formula.totals_ = parser.totals;
  formula.is_elementwise_ = parser.is_elementwise;
  mark_divisors(*formula.root_, formula.operands_);
  return formula;
}

}  // namespace foldproof
