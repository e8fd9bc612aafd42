#include "oracles/result_checker.h"

#include <fmt/format.h>

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
    store(element, elements, i, load(element, input, part.first + i * part.stride));
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

}  // namespace

ResultChecker::ResultChecker(const Arithmetic& arithmetic, const ResultLayout& layout,
                             std::span<const std::byte> input, const Operands& operands)
    : a_(arithmetic), layout_(layout), input_(input), count_(input.size() / size_of(arithmetic.input)) {
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
  const std::size_t outputs = std::max<std::size_t>(outputs_of_part(layout, a_.op, 1), 1);
  for (std::size_t i = 0; i < parts_of(layout, count_); ++i) {
    const Part part = part_of(layout, a_.op, i * outputs, count_);
    if (part.size() == 0 && layout.shape == ResultShape::segments && !a_.checks_empty)
      checkers_.push_back(nullptr);
    else
      checkers_.push_back(
          make_checker(a_, elements_of(a_.input, input_, part), operands_of_part(operands, part, i)));
  }
}

std::span<const std::byte> ResultChecker::elements_of(Element type, std::span<const std::byte> all,
                                                      Part part) {
  if (part.stride == 1) return all.subspan(part.first * size_of(type), part.size() * size_of(type));
  return gathered_.emplace_back(gathered(type, all, part));
}

Operands ResultChecker::operands_of_part(const Operands& operands, Part part, std::size_t index) {
  Operands own = operands;
  // A value for each column serves every row.
  if (auto& second = own[Role::second]; second && second->size() != part.size())
    second->values = elements_of(second->type, second->values, part);
  if (auto& targets = own[Role::targets])  // none without rows
    targets = index < targets->size() ? std::optional(targets->part(index, index + 1)) : std::nullopt;
  return own;
}

CheckResult ResultChecker::check(std::span<const std::byte> outputs) const {
  if (layout_.shape == ResultShape::partials) return partials_->partials(outputs);
  if (is_scan(layout_.shape)) return check_scans(outputs);
  const std::size_t count = outputs.size() / size_of(a_.output);
  const std::size_t each = std::max<std::size_t>(outputs_of_part(layout_, a_.op, count), 1);
  Worst worst;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& checker = checkers_.at(i / each % checkers_.size());
    if (checker && !worst.add(checker->element(i % each, load(a_.output, outputs, i)), i, count)) break;
  }
  return worst.take();
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
      if (!worst.add(fold->value(load(a_.output, outputs, index)), index, count)) return worst.take();
    }
  }
  return worst.take();
}

}  // namespace foldproof
