#include <fmt/format.h>

#include <algorithm>

#include "reports/text/sections.h"

namespace foldproof {
namespace {

/// For a whole catalogue, the table suffices.
constexpr std::size_t max_instances = 4;

std::string_view spoken(CheckResult::Evidence evidence) {
  switch (evidence) {
    case CheckResult::Evidence::nothing: return "not at all";
    case CheckResult::Evidence::category: return "only for being NaN, infinite or finite";
    case CheckResult::Evidence::exact: return "bit for bit";
    case CheckResult::Evidence::bound: return "by the bound of the contract";
    default: return "by the bound for the observed order";
  }
}

std::string checked_text(const Accuracy& accuracy) {
  std::string text;
  for (std::size_t i = 0; i < accuracy.checked_by.size(); ++i) {
    const auto evidence = static_cast<CheckResult::Evidence>(i);
    if (const auto cases = accuracy.checked_by[i]; cases != 0)
      text += fmt::format(
          "{}{} {}{}", text.empty() ? "" : ", ", cases, spoken(evidence),
          evidence == CheckResult::Evidence::nothing ? fmt::format(" ({})", accuracy.why_not) : "");
  }
  return text;
}

std::string worst_text(const KernelReport& kernel) {
  const Accuracy& a = kernel.accuracy;
  std::string text;
  if (kernel.worst_error_over_bound && a.worst_by)
    text =
        fmt::format("{:.3g} of the bound ({}{}) for {}", *kernel.worst_error_over_bound, spoken(*a.worst_by),
                    a.worst_is_vacuous ? ", which is larger than the result" : "", kernel.worst_case);
  // Where terms cancel, the exact result may be far smaller than they are: a larger number is meaningless.
  constexpr double many = 1e6;
  const bool is_wrong = std::ranges::any_of(
      kernel.findings, [](const Finding& finding) { return is_about_values(finding.kind); });
  if (a.worst_ulps && (is_wrong || *a.worst_ulps <= many))
    text += fmt::format("{}largest error of all cases: {}{:.3g} ulp", text.empty() ? "" : "; ",
                        *a.worst_ulps <= many ? "" : "more than ", std::min(*a.worst_ulps, many));
  return text;
}

std::string of_kernel(const KernelReport& kernel, unsigned width) {
  const Accuracy& a = kernel.accuracy;
  const std::string checked = checked_text(a);
  if (checked.empty()) return "";
  std::string text = shortened(printable(fmt::format("{}{}{}", kernel.kernel, kernel.label.empty() ? "" : " ",
                                                     kernel.label))) +
                     "\n";
  constexpr unsigned indent = 11;
  const auto line = [&](std::string_view what, const std::string& value) {
    if (!value.empty())
      text += fmt::format("  {:<9}{}\n", what, wrap(printable(value), indent, indent, width));
  };
  line("checked", checked);
  line("worst", worst_text(kernel));
  if (const auto& worst = a.worst)
    line("",
         fmt::format("In that case, the result is {} instead of {}. The error is {:.3g}, the bound {:.3g}.",
                     worst->result, worst->exact, worst->error, worst->bound));
  if (a.order)
    line("order", fmt::format("{}; path length at most {} additions, for {} elements", a.order->order,
                              a.order->height, a.order->elements));
  return text;
}

}  // namespace

std::string accuracy_text(const AuditReport& report, bool verbose, unsigned width) {
  if (report.kernels.size() > max_instances) return "";
  std::string text;
  for (const KernelReport& kernel : report.kernels)
    if (verbose || (kernel.verdict != Verdict::clean && !kernel.expected)) text += of_kernel(kernel, width);
  return text;
}

}  // namespace foldproof
