#include "contracts/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "contracts/loading/tables.h"
#include "oracles/dyadic.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

struct Comparator {
  std::string_view op;
  bool (*holds)(std::partial_ordering order);  ///< of the element and the number
};

// Those of two characters first, since "<" begins "<=".
constexpr Comparator comparators[] = {{"<=", [](std::partial_ordering order) { return order <= 0; }},
                                      {">=", [](std::partial_ordering order) { return order >= 0; }},
                                      {"==", [](std::partial_ordering order) { return order == 0; }},
                                      {"!=", [](std::partial_ordering order) { return order != 0; }},
                                      {"<", [](std::partial_ordering order) { return order < 0; }},
                                      {">", [](std::partial_ordering order) { return order > 0; }}};

std::partial_ordering order_of(const Number& a, const Number& b) {
  if (a.is_nan() || b.is_nan()) return std::partial_ordering::unordered;
  if (a.is_finite() && b.is_finite()) return Dyadic(a) <=> Dyadic(b);
  const auto rank = [](const Number& x) { return x.is_finite() ? 0 : x.negative ? -1 : 1; };
  return rank(a) <=> rank(b);
}

std::vector<std::string> clauses_of(const std::string& text) {
  constexpr std::string_view conjunction = " and ";
  std::vector<std::string> clauses;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + conjunction.size()) {
    end = text.find(conjunction, begin);
    clauses.emplace_back(trimmed(std::string_view(text).substr(begin, end - begin)));
    if (end == std::string::npos) break;
  }
  return clauses;
}

/// The literals of an expression below 2^32.
std::vector<std::int64_t> integers_in_text(const std::string& text) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", i), text.size());
    if (const auto number = integer_in<std::uint32_t>(text.substr(i, end - i))) all.push_back(*number);
    i = std::max(end, i + 1);
  }
  return all;
}

bool has_integer(Element element, std::int64_t number) {
  if (number < 0 && !is_signed_integer(element)) return false;
  return represents(element, static_cast<std::uint64_t>(number < 0 ? -(number + 1) : number));
}

/// The number in the text, for elements of that type: any number, or an integer such as 2^31. Throws
/// InputError for a number beyond the range of a floating-point type.
std::optional<Number> number_for(Element element, const std::string& text, const Position& where) {
  if (is_float(element)) {
    const auto number = number_in(text);
    if (!number || std::isnan(*number)) return std::nullopt;
    const Number exact = number_of(*number);
    if (exact.is_finite() && abs(Dyadic(exact)) > largest_finite(float_format(element)))
      throw InputError(fmt::format("{} is beyond the largest {} number", text, name(element)), where);
    return exact;
  }
  if (const auto large = integer_in<std::uint64_t>(text))
    return Number{Number::Category::finite, false, *large, 0};
  const Expression expression = Expression::parse(text, where);
  if (!expression.names().empty()) return std::nullopt;
  const std::int64_t value = expression.evaluate({});
  const auto bits = static_cast<std::uint64_t>(value);
  return Number{Number::Category::finite, value < 0, value < 0 ? std::uint64_t{0} - bits : bits, 0};
}

/// The comparator after the x with which the clause begins; null if there is none.
const Comparator* comparator_of(std::string_view clause) {
  if (!clause.starts_with('x')) return nullptr;
  const std::string_view rest = trimmed(clause.substr(1));
  const auto* found = std::ranges::find_if(
      comparators, [&](const Comparator& comparator) { return rest.starts_with(comparator.op); });
  return found == std::end(comparators) ? nullptr : found;
}

/// The bits of the next larger and the next smaller finite value, if the type has them.
std::vector<std::uint64_t> neighbours_of(Element element, std::uint64_t bits) {
  const std::uint64_t mask = code_mask(element), above = (bits + 1) & mask;
  const bool is_zero = decode(element, bits).is_zero();
  const std::uint64_t below = is_float(element) && is_zero ? sign_bit(element) + 1 : (bits - 1) & mask;
  std::vector<std::uint64_t> all;
  for (const std::uint64_t nearby : {above, below}) {
    const Number here = decode(element, bits), there = decode(element, nearby);
    const bool wraps = !is_float(element) && (nearby == above) != (order_of(there, here) > 0);
    if (there.is_finite() && !wraps) all.push_back(nearby);
  }
  return all;
}

}  // namespace

Condition Condition::parse(const std::string& text, Element element, const Position& where) {
  Condition condition;
  condition.element_ = element;
  condition.text_ = text;
  for (const std::string& clause : clauses_of(text)) {
    const Comparator* comparator = comparator_of(clause);
    std::optional<Number> number;
    if (comparator != nullptr) {
      const std::string_view rest = trimmed(std::string_view(clause).substr(1));
      number = number_for(element, std::string(trimmed(rest.substr(comparator->op.size()))), where);
    }
    if (number) {
      const Number own = is_float(element) ? decode(element, encode(element, *number)) : *number;
      condition.comparisons_.push_back({comparator->holds, own, order_of(own, *number) != 0});
      continue;
    }
    if (is_float(element) || element == Element::u64)
      throw InputError(fmt::format("\"{}\" must compare x, the element, with a number, as in \"x > {}\"",
                                   clause, is_float(element) ? "0.5" : "3"),
                       where);
    condition.expressions_.push_back(Expression::parse(clause, where));
    if (condition.expressions_.back().names() != std::vector<std::string>{"x"})
      throw InputError(fmt::format("\"{}\" must be a condition on x, the element, such as \"x > 3\"", clause),
                       where);
  }
  return condition;
}

std::vector<std::uint64_t> Condition::thresholds() const {
  std::vector<std::uint64_t> all;
  for (const Comparison& comparison : comparisons_) {
    const std::uint64_t bits = encode(element_, comparison.number);
    if (!comparison.is_rounded) all.push_back(bits);
    for (const std::uint64_t nearby : neighbours_of(element_, bits)) all.push_back(nearby);
  }
  for (const Expression& expression : expressions_)
    for (const std::int64_t number : integers_in_text(expression.text()))
      for (const std::int64_t nearby : {number, number + 1, number - 1, -number, 1 - number, -number - 1})
        if (has_integer(element_, nearby))
          all.push_back(static_cast<std::uint64_t>(nearby) & code_mask(element_));
  return all;
}

bool Condition::is_ambiguous(std::uint64_t bits) const {
  return std::ranges::any_of(comparisons_, [&](const Comparison& comparison) {
    return comparison.is_rounded && order_of(decode(element_, bits), comparison.number) == 0;
  });
}

bool Condition::holds(std::uint64_t bits) const {
  const Number x = decode(element_, bits);
  return std::ranges::all_of(comparisons_,
                             [&](const Comparison& comparison) {
                               return comparison.holds(order_of(x, comparison.number));
                             }) &&
         std::ranges::all_of(expressions_, [&](const Expression& expression) {
           return expression.evaluate({{"x", static_cast<std::int64_t>(extended(element_, bits))}}) != 0;
         });
}

}  // namespace foldproof
