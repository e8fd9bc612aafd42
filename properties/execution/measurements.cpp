#include "properties/execution/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "oracles/rounding_path.h"
#include "oracles/summation_tree.h"

namespace foldproof {

void Measurements::take(const Case& c, const Evaluation& evaluation, Evidential limits) {
  using Evidence = CheckResult::Evidence;
  const auto evidence = limits.is_accepted ? Evidence::nothing : evaluation.evidence;
  const std::string why_not =
      limits.is_accepted ? "wrong values are accepted until a date" : evaluation.why_not;
  if (evidence) ++accuracy_.checked_by[static_cast<std::size_t>(*evidence)];
  if (limits.is_stored && evidence && *evidence != Evidence::nothing) ++checked_of_store_;
  if (!why_not.empty() && ++reasons_[why_not] > reasons_[accuracy_.why_not]) accuracy_.why_not = why_not;
  for (const AdditionalEvidence& one : evaluation.additional) {
    Additional& of = additional_[one.output];
    const bool is_unchecked = one.evidence == Evidence::nothing;
    if (is_unchecked || !limits.is_stored) ++of.cases;
    if (!is_unchecked) continue;
    ++of.unchecked;
    of.why_not = one.why_not;
  }
  if (evaluation.ulps) accuracy_.worst_ulps = std::max(accuracy_.worst_ulps.value_or(0), *evaluation.ulps);
  keep_trace(evaluation);
  if (evaluation.incomplete) ++incomplete_cases_, incomplete_ = *evaluation.incomplete;
  if (evaluation.height_known) ++(*evaluation.height_known ? known_heights_ : unknown_heights_);
  if (!evaluation.error_over_bound) return;
  ++bounded_;
  vacuous_ += evaluation.vacuous ? 1 : 0;
  // The ratio of a flushed subnormal number, whose bound is vacuous, says little about other results.
  const bool is_informative = !evaluation.vacuous || *evaluation.error_over_bound > 1;
  const std::pair rank(is_informative, *evaluation.error_over_bound);
  if (worst_ >= rank) return;
  worst_ = rank;
  worst_error_over_bound_ = evaluation.error_over_bound;
  worst_case_ = describe(c);
  accuracy_.worst_by = evaluation.evidence;
  accuracy_.worst = evaluation.bounded;
  accuracy_.worst_is_vacuous = evaluation.vacuous;
}

std::uint64_t Measurements::with_value() const {
  return std::accumulate(accuracy_.checked_by.begin(), accuracy_.checked_by.end(), std::uint64_t{0});
}

std::string Measurements::why_unchecked() const {
  const std::uint64_t unchecked =
      accuracy_.checked_by[static_cast<std::size_t>(CheckResult::Evidence::nothing)];
  const std::uint64_t all = with_value() - checked_of_store_;
  if (2 * unchecked > all)
    return fmt::format("the value was not checked in {} of the {} cases that had a result: {}", unchecked,
                       all, accuracy_.why_not);
  for (const auto& [output, of] : additional_)
    if (2 * of.unchecked > of.cases)
      return fmt::format("{} was not checked in {} of the {} cases that had one: {}", output, of.unchecked,
                         of.cases, of.why_not);
  return "";
}

void Measurements::report_to(KernelReport& report) const {
  report.accuracy = accuracy_;
  report.accuracy.order = order_shown();
  report.worst_error_over_bound = worst_error_over_bound_;
  report.worst_case = worst_case_;
  if (2 * vacuous_ > bounded_)
    report.notes.push_back(
        fmt::format("in {} of the {} cases checked by a bound, the bound is vacuous", vacuous_, bounded_));
  if (unknown_heights_ > known_heights_)
    report.notes.push_back(fmt::format(
        "the claim \"height\" was not checked in {} of the {} cases to which it applies: the result "
        "depends on operations that cannot be counted",
        unknown_heights_, unknown_heights_ + known_heights_));
  if (2 * incomplete_cases_ > report.cases)
    report.notes.push_back(fmt::format("incomplete provenance: {}", incomplete_));
}

// The kernel's order is read from the largest traced case whose order can be named.
void Measurements::keep_trace(const Evaluation& evaluation) {
  constexpr NodeId largest_named = 1 << 12;
  const auto& trace = evaluation.trace;
  if (!trace || trace->expressions.inputs() > largest_named) return;
  if (!trace_ || trace_->expressions.inputs() < trace->expressions.inputs()) trace_ = trace;
}

std::optional<OrderShown> Measurements::order_shown() const {
  if (!trace_ || trace_->expressions.inputs() == 0) return std::nullopt;
  const std::vector<NodeId>& results = trace_->results.front();
  const std::vector<std::uint64_t> heights =
      combinations(trace_->expressions, results, instance_.reduction->op).by_element;
  const auto tree = SummationTree::of(trace_->expressions, results.front(), instance_.reduction->op);
  const auto* known = std::get_if<SummationTree>(&tree);
  return OrderShown{known ? shape_of(*known) : std::get<std::string>(tree),
                    *std::ranges::max_element(heights), trace_->expressions.inputs()};
}

}  // namespace foldproof
