#include "properties/fit.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "contracts/sizes.h"
#include "properties/execution/evaluation.h"
#include "properties/generation/domain.h"
#include "properties/representative.h"

namespace foldproof {
namespace {

/// A run of fit_of: about so many elements of a distribution, in so many rows if the kernel has rows. Rows
/// are not as long as columns, which tells them apart.
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

/// Whether the result of the run was checked, and right.
bool is_explained(const Evaluation& run) {
  using Evidence = CheckResult::Evidence;
  const auto contradicts = [](const Finding& finding) {
    return is_about_values(finding.kind) || is_fatal(finding.kind);
  };
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

constexpr std::uint64_t largest_count = 1024;
constexpr std::uint32_t warp = 32;

std::vector<Finding> findings_of(const Contract& contract, const Instance& instance,
                                 const std::shared_ptr<const Image>& image, Runner& runner) {
  Case c = representative_case(instance, largest_count);
  c.input.distribution.name = "integers";
  return Evaluator(contract, instance, image, runner).evaluate(c).findings;
}

Instance with_block(Instance instance, std::uint32_t threads) {
  for (auto& [name, range] : instance.domain)
    if (name == "block") range = Range::parse(std::to_string(threads), {});
  return instance;
}

/// The first thread to leave memory; later out-of-bounds reads by others may be a consequence.
std::optional<std::uint32_t> first_outside(const std::vector<Finding>& findings) {
  const auto outside = std::ranges::find(findings, Kind::out_of_bounds, &Finding::kind);
  if (outside == findings.end() || outside->threads.empty()) return std::nullopt;
  const auto x = [](const ThreadId& id) { return id.thread.x; };
  return x(*std::ranges::min_element(outside->threads, {}, x));
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
    } else if (fit.mismatch.empty() && !run.findings.empty()) {
      fit.mismatch = run.findings.front().message;
    }
    fit.does_not_end = std::ranges::count(run.findings, Kind::timeout, &Finding::kind) != 0;
    if (fit.does_not_end) break;
  }
  return fit;
}

namespace {

/// The first thread outside of memory and the number of threads, if the former is the first of a warp, and
/// not of the last one.
std::optional<std::pair<std::uint32_t, std::uint32_t>> warp_outside(const Contract& contract,
                                                                    const std::shared_ptr<const Image>& image,
                                                                    Runner& runner) {
  const Instance& instance = contract.instances.at(0);
  const auto threads =
      static_cast<std::uint32_t>(representative_case(instance, largest_count).variables.at("block"));
  const auto first = first_outside(findings_of(contract, instance, image, runner));
  if (!first || *first % warp != 0 || *first + warp >= threads) return std::nullopt;
  return std::pair(*first, threads);
}

}  // namespace

bool leaves_memory_by_warps(const Contract& contract, const std::shared_ptr<const Image>& image,
                            Runner& runner) {
  return warp_outside(contract, image, runner).has_value();
}

std::optional<std::uint32_t> fitting_block(const Contract& contract,
                                           const std::shared_ptr<const Image>& image, Runner& runner) {
  const Instance& instance = contract.instances.at(0);
  const auto outside = warp_outside(contract, image, runner);
  if (!outside) return std::nullopt;
  const auto [first, threads] = *outside;
  for (std::uint32_t block = threads / 2; block >= warp; block /= 2)
    if (block <= first)
      return first_outside(findings_of(contract, with_block(instance, block), image, runner))
                 ? std::nullopt
                 : std::optional(block);
  return std::nullopt;
}

}  // namespace foldproof
