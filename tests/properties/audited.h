// A correct sum, and what tests expect of the report of an audit.
#pragma once

#include <algorithm>

#include "catch.h"
#include "fake_kernel.h"

namespace foldproof::fake {

template <typename T>
T sum_in_a_tree(const Launch& launch) {
  return random_tree_sum(launch.elements<T>(),
                         launch.count * 2654435761u + static_cast<std::uint64_t>(launch.block));
}

inline AuditOptions many_cases(std::uint64_t cases) {
  AuditOptions options;
  options.cases = cases;
  options.largest_count = 4096;
  return options;
}

/// An [[allow]] that holds for long.
inline Allow allowed(Kind kind, const std::string& at) {
  Allow allow;
  allow.kind = kind;
  allow.at = at;
  allow.until = "2999-01-01";
  return allow;
}

/// The only finding apart from wrong NaNs and infinities. Each of these must name it as its possible cause.
inline const Finding& only_finding(const KernelReport& report) {
  INFO(report.kernel << " " << report.reason);
  for (const Finding& finding : report.findings)
    UNSCOPED_INFO(name(finding.kind) << ": " << finding.message << " | " << finding.case_text);
  REQUIRE(std::ranges::count(report.findings, false, &Finding::is_about_category) == 1);
  const Finding& only = *std::ranges::find(report.findings, false, &Finding::is_about_category);
  for (const Finding& finding : report.findings)
    if (finding.is_about_category) CHECK(finding.cause == Cause{only.kind, only.at});
  return only;
}

inline void require_clean(const KernelReport& report) {
  for (const Finding& finding : report.findings)
    UNSCOPED_INFO(name(finding.kind) << ": " << finding.message << " | " << finding.case_text);
  REQUIRE(report.findings.empty());
  REQUIRE(report.verdict == Verdict::clean);
}

}  // namespace foldproof::fake
