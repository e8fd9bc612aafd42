#include "contracts/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "contracts/loading/tables.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

struct Comparator {
  std::string_view op;
  bool (*holds)(double x, double number);
};

// Those of two characters first, since "<" begins "<=".
constexpr Comparator comparators[] = {{"<=", [](double x, double number) { return x <= number; }},
                                      {">=", [](double x, double number) { return x >= number; }},
                                      {"==", [](double x, double number) { return x == number; }},
                                      {"!=", [](double x, double number) { return x != number; }},
                                      {"<", [](double x, double number) { return x < number; }},
                                      {">", [](double x, double number) { return x > number; }}};

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

double rounded(double number, Element element) {
  return to_double(decode(element, encode(element, number_of(number))));
}

}  // namespace

Condition Condition::parse(const std::string& text, Element element, const Position& where) {
  Condition condition;
  condition.element_ = element;
  condition.text_ = text;
  for (const std::string& clause : clauses_of(text)) {
    if (!is_float(element)) {
      condition.expressions_.push_back(Expression::parse(clause, where));
      if (condition.expressions_.back().names() != std::vector<std::string>{"x"})
        throw InputError(
            fmt::format("\"{}\" must be a condition on x, the element, such as \"x > 3\"", clause), where);
      continue;
    }
    const std::string_view rest = clause.starts_with("x") ? trimmed(std::string_view(clause).substr(1)) : "";
    const auto* found = std::ranges::find_if(
        comparators, [&](const Comparator& comparator) { return rest.starts_with(comparator.op); });
    const auto number = found == std::end(comparators)
                            ? std::nullopt
                            : number_in(std::string(trimmed(rest.substr(found->op.size()))));
    if (!number || std::isnan(*number))
      throw InputError(
          fmt::format("\"{}\" must compare x, the element, with a number, as in \"x > 0.5\"", clause), where);
    condition.comparisons_.push_back({found->op, rounded(*number, element)});
  }
  return condition;
}

std::vector<std::uint64_t> Condition::thresholds() const {
  std::vector<std::uint64_t> all;
  for (const Comparison& comparison : comparisons_) {
    const std::uint64_t bits = encode(element_, number_of(comparison.number)), mask = code_mask(element_);
    for (const std::uint64_t nearby : {bits, (bits + 1) & mask, (bits - 1) & mask})
      if (decode(element_, nearby).is_finite()) all.push_back(nearby);
  }
  for (const Expression& expression : expressions_)
    for (const std::int64_t number : integers_in_text(expression.text()))
      for (const std::int64_t nearby : {number, number + 1, number - 1, -number, 1 - number, -number - 1})
        if (has_integer(element_, nearby))
          all.push_back(static_cast<std::uint64_t>(nearby) & code_mask(element_));
  return all;
}

bool Condition::holds(std::uint64_t bits) const {
  const double x = is_float(element_) ? to_double(decode(element_, bits)) : 0;
  const bool compares = std::ranges::all_of(comparisons_, [&](const Comparison& comparison) {
    return std::ranges::find(comparators, comparison.op, &Comparator::op)->holds(x, comparison.number);
  });
  return compares && std::ranges::all_of(expressions_, [&](const Expression& expression) {
           const auto element = static_cast<std::int64_t>(extended(element_, bits));
           if (element < 0 && !is_signed_integer(element_)) return false;  // 2^63 or more
           try {
             return expression.evaluate({{"x", element}}) != 0;
           } catch (const InputError&) {
             return false;
           }
         });
}

}  // namespace foldproof
