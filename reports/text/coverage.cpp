#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/text/sections.h"

namespace foldproof {
namespace {

/// The element with that name, created if there is none.
template <typename T>
T& named(std::vector<T>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &T::name);
  if (found != all.end()) return *found;
  all.push_back({name, {}});
  return all.back();
}

std::vector<CoverageGroup> total(const AuditReport& report) {
  std::vector<CoverageGroup> groups;
  for (const KernelReport& kernel : report.kernels)
    for (const CoverageGroup& group : kernel.coverage) {
      CoverageGroup& sum = named(groups, group.name);
      for (const CoverageGroup::Class& one : group.classes) named(sum.classes, one.name).cases += one.cases;
    }
  return groups;
}

}  // namespace

std::string coverage_text(const AuditReport& report, unsigned width) {
  std::string text;
  for (const CoverageGroup& group : total(report)) {
    std::string line = group.name + ":";
    for (const CoverageGroup::Class& one : group.classes)
      line += fmt::format("{} {} ({})", line.ends_with(':') ? "" : ",", one.name, one.cases);
    if (!group.classes.empty()) text += wrap(printable(line), 0, 2, width) + "\n";
  }
  return text.empty() ? "" : "cases by class\n" + text;
}

}  // namespace foldproof
