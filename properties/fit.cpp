#include "properties/fit.h"

#include <algorithm>
#include <string>

#include "contracts/sizes.h"
#include "properties/execution/evaluation.h"
#include "properties/generation/domain.h"
#include "properties/representative.h"

namespace foldproof {
namespace {

/// A run of fit_of: the approximate number of elements, and their distribution. If the kernel has rows, there
/// are `rows` of them; rows and columns of several elements differ in length, so that their results differ.
struct TrialRun {
  std::int64_t elements, rows;
  const char* distribution;
};
// The first ones decide whether the others are worth their time. A kernel that loses a part of a large input
// is still right for a small one, and one without bounds checks for a power of two.
constexpr TrialRun trial_runs[] = {{4096, 32, "integers"}, {1, 1, "integers"},   {64, 4, "uniform"},
                                   {33, 3, "uniform"},     {1000, 8, "uniform"}, {2048, 16, "integers"}};
constexpr unsigned decisive_runs = 3;
constexpr std::uint64_t largest_trial = 1 << 16, convincing_elements = 32;

Case case_of(const Instance& instance, const TrialRun& run) {
  Case c = representative_case(instance, largest_trial, run.elements);
  c.input.distribution.name = run.distribution;
  // A free grid has a thread for each element, since one block shows little.
  const std::int64_t block = value_of(c.variables, "block").value_or(1);
  Variables wanted = c.variables;
  wanted["grid"] = (run.elements + block - 1) / std::max<std::int64_t>(block, 1);
  if (range_of(instance, "rows") != nullptr) {
    const std::int64_t columns = run.elements / run.rows;
    wanted = {{"rows", run.rows},
              {"columns", columns},
              {"groups", columns / 4},
              {"block", block},
              {"grid", run.rows}};
  }
  c.variables = Domain(instance, largest_trial).nearest(wanted);
  return c;
}

/// Whether the contract would be wrong if the kernel is right.
bool contradicts(const Finding& finding) { return is_about_values(finding.kind) || is_fatal(finding.kind); }

/// Whether the result of the run was checked, and right.
bool is_explained(const Evaluation& run) {
  using Evidence = CheckResult::Evidence;
  const bool is_checked = run.evidence && *run.evidence != Evidence::nothing &&
                          *run.evidence != Evidence::category && !run.vacuous;
  return is_checked && std::ranges::none_of(run.findings, contradicts);
}

/// Whether the run shows a fault that does not depend on what the contract says about memory and values.
bool misbehaves(const Evaluation& run) {
  return std::ranges::any_of(run.findings, [](const Finding& finding) {
    return family_of(finding.kind) == Family::race || family_of(finding.kind) == Family::synchronization;
  });
}

}  // namespace

bool Fit::is_convincing() const { return explained > 1 && most_elements >= convincing_elements; }

Fit fit_of(const Contract& contract, const Instance& instance, const std::shared_ptr<const Image>& image,
           Runner& runner) {
  const Evaluator evaluator(contract, instance, image, runner);
  Fit fit;
  fit.always_misbehaves = true;
  for (const TrialRun& trial : trial_runs) {
    if (fit.runs == decisive_runs && fit.explained == 0) break;
    const Case c = case_of(instance, trial);
    const Evaluation run = evaluator.evaluate(c);
    ++fit.runs;
    fit.always_misbehaves &= misbehaves(run);
    if (is_explained(run)) {
      ++fit.explained;
      fit.most_elements =
          std::max(fit.most_elements, static_cast<std::uint64_t>(value_of(c.variables, "count").value_or(0)));
    } else if (const auto found = std::ranges::find_if(run.findings, contradicts);
               fit.mismatch.empty() && found != run.findings.end()) {
      fit.mismatch = found->message;
    }
    fit.does_not_end = std::ranges::count(run.findings, Kind::timeout, &Finding::kind) != 0;
    if (fit.does_not_end) break;
  }
  return fit;
}

}  // namespace foldproof
