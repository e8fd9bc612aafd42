// Runs mutants until they are detected.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/interrupts.h"
#include "devices/runner_parts.h"
#include "properties/audit.h"
#include "properties/execution/evaluation.h"
#include "properties/generator.h"
#include "properties/mutation.h"
#include "properties/store/triage.h"

namespace foldproof {
namespace {

/// Cases tried on every mutant before the next round: most mutants are killed by the first few.
constexpr std::uint64_t rounds[] = {4, 20};
/// Cases tried on an annotated mutant, to verify that the annotation still holds.
constexpr std::uint64_t equivalent_cases = 20;
/// A mutant that runs this many times longer than the kernel does not end. Divergence costs a factor of 32.
constexpr std::uint64_t patience_factor = 40;
/// A mutant may always run this long, however short the kernel is.
constexpr std::uint64_t least_instructions = 4'000'000;

/// Forwards jobs with an instruction limit of its own.
class LimitedRunner final : public WrappedRunner {
 public:
  using WrappedRunner::WrappedRunner;

  std::vector<JobResult> run(const std::vector<Job>& jobs) override {
    std::vector<Job> limited = jobs;
    for (Job& job : limited)
      job.limits.warp_instructions = std::min(job.limits.warp_instructions, warp_instructions);
    return inner().run(limited);
  }

  std::uint64_t warp_instructions = 0;
};

/// One edit of a mutant, and its progress through the cases.
struct Trial {
  const Edit* edit = nullptr;
  std::vector<bool> tried;
  std::uint64_t cases = 0;
  std::optional<Finding> killer;  ///< if set, the trial is over
  std::optional<Finding> hint;    ///< a finding too weak to kill
  std::string invalid;

  bool ended() const { return killer || !invalid.empty(); }
};

class Trials {
 public:
  Trials(const Contract& contract, const Instance& instance, std::shared_ptr<const Image> image,
         const MakeRunner& make_runner, const MutationOptions& options)
      : contract_(contract),
        instance_(instance),
        image_(std::move(image)),
        make_runner_(make_runner),
        options_(options),
        equivalents_(contract),
        domain_(instance, options.largest_count),
        generator_(instance, domain_, identity_of(contract, instance), options.seed),
        runner_(make_runner()),
        kernel_(contract, instance, image_, *runner_),
        order_(options.cases) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    costs_.resize(order_.size());
  }

  std::vector<MutantReport> check(std::span<const Mutant> mutants) {
    std::vector<std::vector<Trial>> trials(mutants.size());
    for (std::size_t i = 0; i < mutants.size(); ++i)
      for (const Edit& edit : mutants[i].edits)
        trials[i].push_back({&edit, std::vector<bool>(order_.size()), 0, {}, {}, {}});
    for (const std::uint64_t round : rounds)
      if (round < options_.cases) run_round(mutants, trials, round, false);
    run_round(mutants, trials, options_.cases, true);
    std::vector<MutantReport> reports;
    for (std::size_t i = 0; i < mutants.size(); ++i) reports.push_back(report_of(mutants[i], trials[i]));
    return reports;
  }

 private:
  void run_round(std::span<const Mutant> mutants, std::vector<std::vector<Trial>>& trials,
                 std::uint64_t cases, bool last) {
    std::uint64_t known = 0;
    for (std::size_t i = 0; i < mutants.size(); ++i) {
      const std::uint64_t until = std::min(cases, enough_cases(mutants[i], alive(trials[i])));
      for (Trial& trial : trials[i])
        if (!trial.ended() && trial.cases < until && !out_of_time()) run(trial, until);
      if (last || alive(trials[i]) == 0) ++known;
      if (options_.progress) options_.progress(known);
    }
  }

  static std::uint64_t alive(const std::vector<Trial>& trials) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(trials, [](const Trial& t) { return !t.ended(); }));
  }

  /// The number of cases after which an undetected mutant counts as survived.
  std::uint64_t enough_cases(const Mutant& mutant, std::uint64_t undetected) const {
    return equivalents_.include(mutant, undetected) ? std::min(equivalent_cases, options_.cases)
                                                    : options_.cases;
  }

  bool out_of_time() const {
    return end_reason() != EndReason::none ||
           (options_.deadline && std::chrono::steady_clock::now() >= *options_.deadline);
  }

  void run(Trial& trial, std::uint64_t cases) try {
    LimitedRunner runner(make_runner_());
    std::optional<Evaluator> mutant;
    const auto image = std::make_shared<Image>(mutated(*image_, *trial.edit));
    unless_refused(trial, [&] { mutant.emplace(contract_, instance_, image, runner); });
    for (std::size_t place = 0; place < order_.size() && trial.cases < cases && !trial.ended(); ++place) {
      const std::size_t index = order_[place];
      if (trial.tried[index] || out_of_time()) continue;
      try_case(trial, *mutant, runner, index);
      trial.tried[index] = true;
      ++trial.cases;
      // A case that kills one mutant often kills the next.
      const auto at = order_.begin() + static_cast<std::ptrdiff_t>(place);
      if (trial.killer) std::rotate(order_.begin(), at, at + 1);
    }
  } catch (const Interrupted&) {  // out_of_time() is true from now on
  }

  /// A mutant that the device rejects is invalid.
  template <typename Work>
  static void unless_refused(Trial& trial, const Work& work) {
    try {
      work();
    } catch (const InputError& refusal) {
      trial.invalid = refusal.what();
    } catch (const Unsupported& refusal) {
      trial.invalid = refusal.what();
    }
  }

  void try_case(Trial& trial, const Evaluator& mutant, LimitedRunner& runner, std::size_t index) {
    const Case c = generator_.generate(index);
    Evaluation evaluation;
    const auto evaluate = [&] {
      runner.warp_instructions = limit_of(index);
      unless_refused(trial, [&] { evaluation = mutant.evaluate(c); });
    };
    evaluate();
    if (!evaluation.findings.empty() && !costs_[index]) {
      check_kernel(index);
      if (limit_of(index) > runner.warp_instructions) evaluate();
    }
    if (evaluation.unsupported) trial.invalid = *evaluation.unsupported;
    if (!trial.invalid.empty()) {
      if (!costs_[index]) check_kernel(index);  // the kernel itself may be the reason
      return;
    }
    for (Finding& finding : unexpected(evaluation)) {
      finding.case_text = describe(c);
      std::optional<Finding>& place = finding.severity >= options_.fail_on ? trial.killer : trial.hint;
      if (!place) place = std::move(finding);
    }
  }

  /// What an audit would report, without what the contract allows.
  std::vector<Finding> unexpected(const Evaluation& evaluation) const {
    KernelReport report;
    report.findings = evaluation.findings;
    triage(report, contract_, today());
    return std::move(report.findings);
  }

  /// Warp instructions that a mutant may execute; possibly too few until the kernel itself has been run.
  std::uint64_t limit_of(std::size_t index) const {
    return std::max(least_instructions, patience_factor * costs_[index].value_or(0));
  }

  /// Runs the unmodified kernel. It must be clean; otherwise its mutants cannot be checked.
  void check_kernel(std::size_t index) {
    const Case c = generator_.generate(index);
    const Evaluation evaluation = kernel_.evaluate(c);
    if (evaluation.unsupported) throw Unsupported(*evaluation.unsupported);
    for (const Finding& finding : unexpected(evaluation))
      if (finding.severity >= options_.fail_on)
        throw InputError(
            fmt::format(
                "the unmodified kernel has a finding, {} ({}); fix it before checking mutants of the kernel",
                name(finding.kind), describe(c)),
            finding.at);
    costs_[index] = evaluation.cost;
  }

  MutantReport report_of(const Mutant& mutant, const std::vector<Trial>& trials) const {
    MutantReport report = untried(mutant);
    report.alive = alive(trials);
    const Trial* shown = &trials.front();
    if (report.alive != 0) {
      shown = &*std::ranges::max_element(
          trials, {}, [](const Trial& trial) { return std::pair(!trial.ended(), trial.cases); });
      const bool is_done = shown->cases >= enough_cases(mutant, report.alive);
      report.status = is_done ? MutantStatus::survived : MutantStatus::skipped;
    } else {
      const auto dead = std::ranges::find_if(trials, [](const Trial& t) { return t.killer.has_value(); });
      if (dead != trials.end()) shown = &*dead;
      report.status = dead == trials.end() ? MutantStatus::invalid : MutantStatus::killed;
    }
    report.ptx_line = shown->edit->ptx_line;
    report.at.column = shown->edit->column;
    report.cases = shown->cases;
    report.killer = shown->killer ? shown->killer : shown->hint;
    report.reason = shown->invalid;
    return report;
  }

  const Contract& contract_;
  const Instance& instance_;
  std::shared_ptr<const Image> image_;
  const MakeRunner& make_runner_;
  const MutationOptions& options_;
  const EquivalentMutants equivalents_;
  Domain domain_;
  CaseGenerator generator_;
  std::unique_ptr<Runner> runner_;
  Evaluator kernel_;
  std::vector<std::size_t> order_;  ///< of the cases: the most recent killers come first
  std::vector<std::optional<std::uint64_t>> costs_;
};

}  // namespace

MutantReport untried(const Mutant& mutant) {
  MutantReport report;
  report.mutation = mutant.mutation;
  report.change = mutant.change;
  report.at = mutant.at;
  report.edits = report.alive = mutant.edits.size();
  return report;
}

std::string_view name(MutantStatus status) {
  constexpr std::string_view names[] = {"killed", "survived", "equivalent", "invalid", "skipped"};
  return names[static_cast<std::size_t>(status)];
}

std::uint64_t MutationReport::count(MutantStatus status) const {
  return static_cast<std::uint64_t>(std::ranges::count(mutants, status, &MutantReport::status));
}

std::optional<double> score(std::span<const MutationReport> reports) {
  std::uint64_t killed = 0, survived = 0;
  for (const MutationReport& report : reports) {
    if (!report.reason.empty()) continue;  // its mutants were not all tried
    killed += report.count(MutantStatus::killed);
    survived += report.count(MutantStatus::survived);
  }
  const std::uint64_t all = killed + survived;
  if (all == 0) return std::nullopt;
  return 100.0 * static_cast<double>(killed) / static_cast<double>(all);
}

Exit exit_status(std::span<const MutationReport> reports, std::optional<double> floor) {
  const auto is_wrong = [](const MutationReport& report) { return !report.wrong_equivalents.empty(); };
  const std::optional<double> reached = score(reports);
  const auto has_no_result = [](const MutationReport& report) { return !report.reason.empty(); };
  if (std::ranges::any_of(reports, is_wrong)) return exit_findings;
  if (std::ranges::any_of(reports, has_no_result)) return exit_unable;
  if (floor && reached && *reached < *floor) return exit_findings;
  const auto is_unable = [&](const MutationReport& report) {
    const std::uint64_t skipped = report.count(MutantStatus::skipped);
    return skipped > 0 && (floor || skipped == report.mutants.size());
  };
  return std::ranges::any_of(reports, is_unable) ? exit_unable : exit_ok;
}

std::vector<MutantReport> try_mutants(const Contract& contract, const Instance& instance,
                                      const std::shared_ptr<const Image>& image,
                                      std::span<const Mutant> mutants, const MakeRunner& make_runner,
                                      const MutationOptions& options) {
  return Trials(contract, instance, image, make_runner, options).check(mutants);
}

}  // namespace foldproof
