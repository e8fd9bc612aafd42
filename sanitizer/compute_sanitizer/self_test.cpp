#include "sanitizer/compute_sanitizer/self_test.h"

#include <fmt/format.h>

#include <algorithm>

namespace foldproof::compute_sanitizer {

std::string_view self_test_ptx() {
  return
#include "sanitizer/compute_sanitizer/self_test.ptx.inc"
      ;
}

std::optional<std::string> silent(const Tool& tool, const std::vector<ToolFinding>& findings,
                                  std::string_view self_test_function) {
  const auto proves = [&](const ToolFinding& found) {
    return found.function == self_test_function && found.finding.kind == tool.proof &&
           found.finding.severity == Severity::error;
  };
  if (std::any_of(findings.begin(), findings.end(), proves)) return std::nullopt;
  return fmt::format(
      "compute-sanitizer's {} did not report {}, a kernel with a deliberate defect ({}), so its other "
      "results are inconclusive; check that this version supports this GPU and its driver",
      tool.name, self_test_function, name(tool.proof));
}

std::vector<ToolFinding> without_self_test(std::vector<ToolFinding> findings,
                                           std::string_view self_test_function) {
  std::erase_if(findings, [&](const ToolFinding& found) { return found.function == self_test_function; });
  return findings;
}

}  // namespace foldproof::compute_sanitizer
