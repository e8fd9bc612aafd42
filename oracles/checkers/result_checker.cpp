#include "oracles/result_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "oracles/checkers/outcome.h"
#include "oracles/exact/long_accumulator.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// The first wrong result; otherwise the one closest to its bound; if none has a bound, the one with the
/// weakest evidence, so that the summary is exact only if all results are.
class Worst {
 public:
  /// Returns whether to check the next result.
  bool add(CheckResult check_result, std::size_t index, std::size_t count) {
    check_result.index = index;
    if (!check_result.ok && count > 1)
      check_result.sentence = fmt::format("in output {}, {}", index, check_result.sentence);
    const bool less_known =
        !check_result.error_over_bound && !worst_.error_over_bound && check_result.evidence < worst_.evidence;
    if (!any_ || !check_result.ok || less_known || check_result.error_over_bound > worst_.error_over_bound)
      worst_ = std::move(check_result);
    any_ = true;
    return worst_.ok;
  }
  CheckResult take() { return any_ ? std::move(worst_) : anything_goes("no result has an element"); }

 private:
  bool any_ = false;
  CheckResult worst_;
};

std::vector<std::byte> gathered(Element element, std::span<const std::byte> input, Part part) {
  std::vector<std::byte> elements(part.size() * size_of(element));
  for (std::size_t i = 0; i < part.size(); ++i)
    store(element, elements, i, load(element, input, part.element(i)));
  return elements;
}

/// Elements times the scales of their groups, as f64; exact for 4-bit elements with 8-bit scales.
std::vector<std::byte> scaled_elements(Element element, std::span<const std::byte> input,
                                       const Operand& scales) {
  const std::size_t count = input.size() / size_of(element);
  std::vector<std::byte> all(count * size_of(Element::f64));
  for (std::size_t i = 0; i < count; ++i) {
    const Number x = decode(element, load(element, input, i));
    const Term value = product(x, scale_of(scales, i));
    const Number number{value.category, value.negative, static_cast<std::uint64_t>(value.significand),
                        value.exponent};
    store(Element::f64, all, i, encode(Element::f64, number));
  }
  return all;
}

/// The elements that count, and the identity in place of the others. If elements are counted, 1 and 0.
std::vector<std::byte> selected_elements(const Arithmetic& a, std::span<const std::byte> input,
                                         const std::vector<bool>& is_selected) {
  const bool counts = info(a.op).gives == OperatorInfo::Gives::tally;
  const std::uint64_t one = encode(a.input, number_of(1)), zero = encode(a.input, number_of(0));
  const std::uint64_t neutral = counts ? zero : a.custom ? a.custom->identity : identity(a.op, a.input);
  std::vector<std::byte> all(input.begin(), input.end());
  for (std::size_t i = 0; i < is_selected.size(); ++i)
    store(a.input, all, i, !is_selected[i] ? neutral : counts ? one : load(a.input, input, i));
  return all;
}

/// Whether values before are added to the result without rounding, modulo 2^w.
bool adds_integers(Operator op, Element output) {
  const bool adds = adds_pairs(op) || op == Operator::sum || op == Operator::asum ||
                    op == Operator::sum_of_squares || op == Operator::count || op == Operator::histogram;
  return adds && !is_float(output);
}

/// The elements in another type, which has all of them.
std::vector<std::byte> converted(Element from, Element to, std::span<const std::byte> elements) {
  const std::size_t count = elements.size() / size_of(from);
  std::vector<std::byte> all(count * size_of(to));
  for (std::size_t i = 0; i < count; ++i)
    store(to, all, i, encode(to, decode(from, load(from, elements, i))));
  return all;
}

void append(std::vector<std::byte>& elements, Element type, std::uint64_t bits) {
  elements.resize(elements.size() + size_of(type));
  store(type, elements, elements.size() / size_of(type) - 1, bits);
}

}  // namespace

std::string_view why_not_accumulated(Operator op, ResultShape shape, SumMethod method, Element input,
                                     Element output) {
  if (is_scan(shape) || shape == ResultShape::partials)
    return "there must be one result for the input or for each of its parts";
  if (adds_integers(op, output)) return "";
  if ((!folds(op) || transforms_elements(op)) && op != Operator::dot)
    return "the operator does not combine its result with a value";
  if (method != SumMethod::plain) return "only a sum with method = \"plain\" can be added to a value";
  const bool has_all = is_float(output) ? is_float(input) && includes(output, input) : input == output;
  return has_all ? "" : "the type of the output does not have every element of the input";
}

ResultChecker::ResultChecker(const Arithmetic& arithmetic, const ResultLayout& layout,
                             std::span<const std::byte> input, const Operands& operands,
                             std::span<const std::byte> before)
    : a_(arithmetic),
      layout_(layout),
      input_(input),
      before_(before.begin(), before.end()),
      count_(input.size() / size_of(arithmetic.input)) {
  if (a_.where) select(input);
  if (const auto& scales = operands[Role::scales]) {
    scaled_ = scaled_elements(a_.input, input, *scales);
    a_.input = Element::f64;
    input_ = scaled_;
  }
  if (is_scan(layout.shape)) return;
  if (layout.shape == ResultShape::partials) {
    partials_ = make_partials_checker(a_, input_, operands);
    return;
  }
  if (has_checker_per_output()) {
    add_checkers_with_values(operands);
    return;
  }
  const std::size_t outputs = std::max<std::size_t>(outputs_of_part(layout, a_.op, 1), 1);
  for (std::size_t i = 0; i < parts_of(layout, count_); ++i) {
    const Part part = part_of(layout, a_.op, i * outputs, count_);
    if (may_be_anything(part))
      checkers_.push_back(nullptr);
    else
      checkers_.push_back(
          make_checker(a_, elements_of(a_.input, input_, part), operands_of_part(operands, part, i)));
  }
}

bool ResultChecker::may_be_anything(const Part& part) const {
  if (a_.checks_empty) return false;
  if (part.size() == 0) return layout_.shape == ResultShape::segments;
  const auto is_selected = [&](std::size_t i) { return is_selected_[part.element(i)]; };
  return a_.where && std::ranges::none_of(std::views::iota(std::size_t{0}, part.size()), is_selected);
}

void ResultChecker::add_checkers_with_values(const Operands& operands) {
  const Element type = a_.output;
  const std::size_t count = before_.size() / size_of(type);
  for (std::size_t i = 0; i < count; ++i) {
    const Part part = part_of(layout_, a_.op, i, count_);
    if (may_be_anything(part)) {
      checkers_.push_back(nullptr);
      continue;
    }
    std::vector<std::byte> elements = converted(a_.input, type, elements_of(a_.input, input_, part));
    append(elements, type, load(type, before_, i));
    Operands own = operands_of_part(operands, part, i);
    if (auto& second = own[Role::second]) {
      std::vector<std::byte> partners = converted(second->type, type, second->values);
      append(partners, type, encode(type, number_of(1)));
      second->type = type;
      second->values = gathered_.emplace_back(std::move(partners));
    }
    Arithmetic whole = a_;
    whole.input = type;
    checkers_.push_back(make_checker(whole, gathered_.emplace_back(std::move(elements)), own));
  }
}

std::span<const std::byte> ResultChecker::elements_of(Element type, std::span<const std::byte> all,
                                                      Part part) {
  if (part.is_contiguous()) return all.subspan(part.first * size_of(type), part.size() * size_of(type));
  return gathered_.emplace_back(gathered(type, all, part));
}

void ResultChecker::select(std::span<const std::byte> input) {
  const auto flushed = [&](std::uint64_t bits) { return is_subnormal(a_.input, bits) ? 0 : bits; };
  for (std::size_t i = 0; i < count_; ++i) {
    const std::uint64_t bits = load(a_.input, input, i);
    is_selected_.push_back(a_.where(bits));
    is_ambiguous_ |= (a_.is_ambiguous && a_.is_ambiguous(bits)) ||
                     (a_.flush_to_zero && a_.where(bits) != a_.where(flushed(bits)));
  }
  input_ = selected_ = selected_elements(a_, input, is_selected_);
}

std::span<const std::byte> ResultChecker::values_for(const Operand& factors, Part part) {
  if (factors.group == 1 && part.is_contiguous() && factors.size() == part.size()) return factors.values;
  std::vector<std::byte>& values = gathered_.emplace_back(part.size() * size_of(factors.type));
  for (std::size_t i = 0; i < part.size(); ++i)
    store(factors.type, values, i, factors.bits(part.element(i) / factors.group % factors.size()));
  return values;
}

std::span<const std::byte> ResultChecker::values_for_formula(const Operand& operand, ValueOf value, Part part,
                                                             std::size_t index) {
  if (value == ValueOf::element) return elements_of(operand.type, operand.values, part);
  const std::size_t columns = std::max<std::size_t>(layout_.columns, 1);
  if (part.size() == 0)  // its own value, if it has one
    return index < operand.size() ? operand.part(index, index + 1).values : std::span<const std::byte>{};
  std::vector<std::byte>& values = gathered_.emplace_back(part.size() * size_of(operand.type));
  for (std::size_t i = 0; i < part.size(); ++i) {
    const std::size_t column = part.element(i) / layout_.run;
    store(operand.type, values, i, operand.bits(value == ValueOf::row ? column / columns : column % columns));
  }
  return values;
}

Operands ResultChecker::operands_of_part(const Operands& operands, Part part, std::size_t index) {
  Operands own = operands;
  for (const Role role : {Role::weights, Role::biases})
    if (auto& factors = own[role]) factors->values = values_for(*factors, part);
  // A value for each column serves every row.
  if (auto& second = own[Role::second]; second && second->size() != part.size())
    second->values = elements_of(second->type, second->values, part);
  if (a_.formula)
    for (const FormulaOperand& read : a_.formula->operands())
      own.variables().at(read.name).values =
          values_for_formula(operands.variables().at(read.name), read.value, part, index);
  if (auto& targets = own[Role::targets])  // none without rows
    targets = index < targets->size() ? std::optional(targets->part(index, index + 1)) : std::nullopt;
  return own;
}

CheckResult ResultChecker::check(std::span<const std::byte> outputs) const {
  if (is_ambiguous_) return anything_goes("whether an element satisfies the condition depends on rounding");
  if (layout_.shape == ResultShape::partials && may_be_anything({0, count_}))
    return anything_goes("no element satisfies the condition");
  if (layout_.shape == ResultShape::partials) return partials_->partials(outputs);
  if (is_scan(layout_.shape)) return check_scans(outputs);
  const std::size_t count = outputs.size() / size_of(a_.output);
  const std::size_t each =
      has_checker_per_output() ? 1 : std::max<std::size_t>(outputs_of_part(layout_, a_.op, count), 1);
  const bool one_per_element = info(a_.op).gives == OperatorInfo::Gives::elements;
  Worst worst;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& checker = checkers_.at(i / each % checkers_.size());
    const std::size_t earlier = one_per_element ? i / (each * checkers_.size()) * each : 0;
    if (checker && !worst.add(checker->element(earlier + i % each, result_of(outputs, i)), i, count)) break;
  }
  return worst.take();
}

bool ResultChecker::has_checker_per_output() const {
  return !before_.empty() && !adds_integers(a_.op, a_.output);
}

std::uint64_t ResultChecker::result_of(std::span<const std::byte> outputs, std::size_t i) const {
  const std::uint64_t bits = load(a_.output, outputs, i);
  if (before_.empty() || has_checker_per_output()) return bits;
  const std::uint64_t width = 8 * size_of(a_.output), difference = bits - load(a_.output, before_, i);
  return width == 64 ? difference : difference & ((std::uint64_t{1} << width) - 1);
}

CheckResult ResultChecker::check_scans(std::span<const std::byte> outputs) const {
  const std::size_t count = outputs.size() / size_of(a_.output), rows = parts_of(layout_, count);
  const std::size_t length = rows == 0 ? 0 : count / rows;
  const bool reverse = is_reverse(layout_.scan);
  Worst worst;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::unique_ptr<FoldChecker> fold = make_fold_checker(a_, {});
    std::size_t appended = 0;
    for (std::size_t k = 0; k < length; ++k) {
      const std::size_t index = row * length + (reverse ? length - 1 - k : k);
      const Part part = part_of(layout_, a_.op, index, count_);
      const std::size_t added = part.size() - appended;
      const std::size_t first = reverse ? part.first : part.first + appended;
      fold->append(input_.subspan(first * size_of(a_.input), added * size_of(a_.input)));
      appended += added;
      if (may_be_anything(part)) continue;
      if (!worst.add(fold->value(load(a_.output, outputs, index)), index, count)) return worst.take();
    }
  }
  return worst.take();
}

}  // namespace foldproof
