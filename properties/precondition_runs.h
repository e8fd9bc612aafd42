// What the searches for preconditions share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contracts/contract.h"
#include "properties/case.h"
#include "properties/execution/evaluation.h"
#include "properties/verdict.h"
#include "sanitizer/finding.h"

namespace foldproof {

/// What happens if callers do not respect a precondition. `condition`: the end of "if callers …".
inline Finding warning_of(Finding finding, const std::string& condition) {
  finding.severity = Severity::warning;
  finding.message = fmt::format("if callers {}: {}", condition, finding.message);
  return finding;
}

inline Finding with_case(Finding finding, const Case& c) {
  finding.case_text = describe(c);
  return finding;
}

/// The finding that reports show first. There must be one.
inline const Finding& worst_of(const std::vector<Finding>& findings) {
  return *std::ranges::min_element(findings, {}, order_in_report);
}

/// The worst of the errors; nothing if there are only warnings.
inline std::optional<Finding> worst_error_of(std::vector<Finding> findings, const Case& c) {
  std::erase_if(findings, [](const Finding& finding) { return finding.severity != Severity::error; });
  return findings.empty() ? std::nullopt : std::optional(with_case(worst_of(findings), c));
}

/// The worst error of the first case that has one.
inline std::optional<Finding> error_in(const Evaluator& evaluator, const std::vector<Case>& cases) {
  for (const Case& c : cases)
    if (auto error = worst_error_of(evaluator.evaluate(c).findings, c)) return error;
  return std::nullopt;
}

/// Whether the variable has only one value for given values of those before it.
inline bool is_fixed(const Range& range) { return range.low.text() == range.high.text(); }

inline Instance with_range(Instance instance, std::string_view variable, const std::string& range) {
  for (auto& [name, old] : instance.domain)
    if (name == variable) old = Range::parse(range, {});
  return instance;
}

/// The domain with these variables instead of those that it has with their names, where the first of these
/// is.
inline Instance with_ranges(Instance instance,
                            const std::vector<std::pair<std::string, std::string>>& ranges) {
  const auto is_replaced = [&](const std::pair<std::string, Range>& variable) {
    return std::ranges::count(ranges, variable.first, &std::pair<std::string, std::string>::first) != 0;
  };
  const auto first = std::ranges::find_if(instance.domain, is_replaced);
  const auto at = first - instance.domain.begin();
  std::erase_if(instance.domain, is_replaced);
  auto place = instance.domain.begin() + at;
  for (const auto& [name, text] : ranges)
    place = std::next(instance.domain.insert(place, {name, Range::parse(text, {})}));
  return instance;
}

}  // namespace foldproof
