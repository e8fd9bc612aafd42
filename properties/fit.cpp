#include "properties/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "contracts/scalar_arguments.h"
#include "contracts/sizes.h"
#include "properties/distributions.h"
#include "properties/execution/evaluation.h"
#include "properties/execution/job.h"
#include "properties/generation/domain.h"
#include "properties/instance_job.h"
#include "properties/precondition_runs.h"
#include "properties/verdict.h"

namespace foldproof {
namespace {

/// A run of fit_of: the approximate number of elements, and their distribution. If the kernel has rows, there
/// are `rows` of them; rows and columns of several elements differ in length, so that their results differ.
struct TrialRun {
  std::int64_t elements, rows;
  const char* distribution;
};
// The first ones, which cost least, decide whether the others are worth their time. A kernel that loses a
// part of a large input is still right for a small one, and one without bounds checks for a power of two.
constexpr TrialRun trial_runs[] = {{64, 4, "uniform"}, {1, 1, "integers"},   {4096, 32, "integers"},
                                   {33, 3, "uniform"}, {1000, 8, "uniform"}, {2048, 16, "uniform"}};
// The sum of integers is exact, but not that of integers divided by 1000.
constexpr TrialRun special_runs[] = {{64, 4, "zeros"},     {64, 4, "nans"},       {64, 4, "codes"},
                                     {3, 1, "infinities"}, {33, 3, "infinities"}, {1000, 8, "infinities"},
                                     {1000, 8, "integers"}};
constexpr unsigned decisive_runs = 3;
constexpr std::uint64_t largest_trial = 1 << 16, convincing_elements = 32;

/// Whether the contract would be wrong if the kernel is right.
bool contradicts(const Finding& finding) { return is_about_values(finding.kind) || is_fatal(finding.kind); }

/// The first finding that contradicts the contract and that it does not allow; null if there is none.
const Finding* contradiction_in(const Evaluation& run, const AcceptsFinding& accepts) {
  const auto found = std::ranges::find_if(
      run.findings, [&](const Finding& finding) { return contradicts(finding) && !accepts(finding); });
  return found == run.findings.end() ? nullptr : &*found;
}

/// Whether the result of the run was checked, and right.
bool is_explained(const Evaluation& run, const AcceptsFinding& accepts) {
  return checks_value(run) && contradiction_in(run, accepts) == nullptr;
}

std::uint64_t count_of(const Case& c) {
  return static_cast<std::uint64_t>(value_of(c.variables, "count").value_or(0));
}

/// Whether no contract makes it right. In blocks of whole warps, a shuffle that reads from a lane which does
/// not take part is the kernel's own fault.
bool is_misbehaviour(const Finding& finding, const Case& c) {
  constexpr std::int64_t warp = 32;
  const bool has_whole_warps = value_of(c.variables, "block").value_or(1) % warp == 0;
  return is_about_order(finding) || (finding.kind == Kind::undefined_shuffle_source && has_whole_warps);
}

/// Whether a value of shared memory that was never written reaches a result.
bool reads_undefined_shared(const Finding& finding) {
  return finding.kind == Kind::uninitialized_read &&
         (finding.message.find("the shared variable ") != std::string::npos ||
          finding.message.find(" of shared memory ") != std::string::npos);
}

/// How many elements a group has, in a domain in which they are counted by groups.
std::int64_t group_of(const Domain& domain) {
  const Variables one = domain.nearest({{"groups", 1}, {"rows", 1}});
  return std::max<std::int64_t>(value_of(one, "count").value_or(1), 1);
}

/// The variables that guesses have (contracts/guessing/domain_guess.cpp).
Case case_of(const Instance& instance, const TrialRun& run) {
  constexpr std::int64_t threads = 256, warp = 32, elements_per_segment = 16;
  const Domain domain(instance, largest_trial);
  const bool has_rows = range_of(instance, "rows") != nullptr;
  // Of each channel in a tensor: small, and not a power of two.
  const std::int64_t spatial = range_of(instance, "spatial") == nullptr ? 1 : 7;
  const std::int64_t columns = has_rows ? run.elements / run.rows / spatial : run.elements;
  const std::int64_t batch = run.rows % 3 == 0 ? 3 : 1;
  const std::int64_t group = range_of(instance, "groups") == nullptr ? 1 : group_of(domain);
  Variables wanted{{"block", threads},
                   {"warps", threads / warp},
                   {"log2_block", std::bit_width(static_cast<std::uint64_t>(threads)) - 1},
                   {"count", run.elements},
                   {"rows", run.rows},
                   {"columns", columns},
                   {"spatial", spatial},
                   {"batch", batch},
                   {"steps", run.rows / batch},
                   {"groups", std::max<std::int64_t>(columns / group, 1)},
                   {"bins", 64},
                   {"segments", run.elements / elements_per_segment + 1},
                   {"grid", 1}};
  // A free grid has a thread for each element, since one block shows little.
  const std::int64_t block = value_of(domain.nearest(wanted), "block").value_or(1);
  wanted["grid"] = has_rows ? run.rows : (run.elements + block - 1) / std::max<std::int64_t>(block, 1);
  Case c;
  c.input.distribution.name = run.distribution;
  c.input.seed = 1;
  c.variables = domain.nearest(wanted);
  return c;
}

std::vector<Case> special_cases(const Instance& instance) {
  const Reduction& reduction = *instance.reduction;
  std::vector<Case> cases;
  for (const TrialRun& trial : special_runs) {
    const auto row = std::ranges::find(distributions(), trial.distribution, &DistributionInfo::name);
    if (suits(*row, reduction.input)) cases.push_back(case_of(instance, trial));
  }
  if (!info(reduction.op).takes("epsilon")) return cases;
  // Elements that are, or whose squares are, about as large as a usual epsilon.
  for (const int exponent : {-9, -20, -45}) {
    cases.push_back(case_of(instance, trial_runs[0]));
    cases.back().input.transforms = {{"scale", exponent}};
  }
  if (is_float(reduction.input) && size_of(reduction.input) == 2) {
    cases.push_back(case_of(instance, {1, 1, "zeros"}));
    cases.back().input.planted = {{0, planted_text(reduction.input, 1)}};  // the smallest subnormal number
  }
  return cases;
}

/// The run, with the first of a few seeds with which the values of the operands let it be checked: the
/// partners of the elements in a dot product may contain a NaN.
Evaluation with_telling_operands(const Evaluator& evaluator, const Instance& instance, Case& c) {
  constexpr std::uint64_t most_seeds = 8;
  Evaluation run = evaluator.evaluate(c);
  while (!instance.operands.empty() && run.findings.empty() && !checks_value(run) &&
         c.input.seed < most_seeds) {
    ++c.input.seed;
    run = evaluator.evaluate(c);
  }
  return run;
}

/// The first contradiction of a run with unusual elements; empty if there is none.
std::string special_mismatch_of(const Instance& instance, const Evaluator& evaluator) {
  for (const Case& c : special_cases(instance)) {
    const Evaluation run = evaluator.evaluate(c);
    const auto found = std::ranges::find_if(run.findings, contradicts);
    if (found != run.findings.end()) return found->message;
  }
  return "";
}

void double_value(ArgumentContract& argument) {
  argument.number *= 2;
  if (argument.form == ArgumentContract::Form::integer)
    argument.value = Expression::parse(fmt::format("2 * ({})", argument.value.text()), {});
}

/// Whether the elements are not small integers, for which much is the same.
bool is_telling(const Case& c) { return c.input.distribution.name == "uniform"; }

/// The numbers that the case's own run leaves; empty if it did not end.
std::vector<double> results_of(const Evaluator& evaluator, const Instance& instance, const Case& c) {
  const Element type = instance.reduction->output;
  const std::vector<std::byte> output = evaluator.evaluate(c).output;
  std::vector<double> results;
  for (std::size_t i = 0; i < output.size() / size_of(type); ++i)
    results.push_back(to_double(decode(type, load(type, output, i))));
  return results;
}

/// Whether the other instance gives the results that `agree` expects, given one of each.
template <typename Agree>
bool all_agree(const Contract& contract, const Instance& instance, const Instance& changed,
               const std::shared_ptr<const Image>& image, Runner& runner, const Agree& agree) {
  const Evaluator before(contract, instance, image, runner), after(contract, changed, image, runner);
  bool shows_more_than_zeros = false;
  const bool do_agree = std::ranges::all_of(trial_cases(instance), [&](const Case& c) {
    if (!is_telling(c)) return true;
    const std::vector<double> old = results_of(before, instance, c), now = results_of(after, instance, c);
    shows_more_than_zeros |= std::ranges::any_of(old, [](double x) { return std::isfinite(x) && x != 0; });
    return std::ranges::equal(old, now, agree);
  });
  return do_agree && shows_more_than_zeros;
}

/// Whether twice the floating-point number gives exactly twice the results.
bool is_factor(const Contract& contract, const Instance& instance, const Instance& doubled,
               const std::shared_ptr<const Image>& image, Runner& runner) {
  return all_agree(contract, instance, doubled, image, runner, [](double a, double b) { return 2 * a == b; });
}

/// Whether 1 instead of 0 adds 1 to the results, up to rounding.
bool is_addend(const Contract& contract, const Instance& instance, const Instance& with_one,
               const std::shared_ptr<const Image>& image, Runner& runner) {
  constexpr double rounding = 0x1p-6, most = 32;  // of larger results, 1 may be lost
  return all_agree(contract, instance, with_one, image, runner, [](double a, double b) {
    return std::fabs(a) < most && std::fabs(a + 1 - b) <= rounding * std::max(1.0, std::fabs(a));
  });
}

/// The first argument whose invented value is not understood; null if there is none. A kernel may ignore it,
/// it is a factor of the result, or it is a distance between elements that leaves the input if it is doubled.
const Invention* decisive_invention(const Contract& contract, const InstanceGuess& guess,
                                    const std::shared_ptr<const Image>& image, Runner& runner) {
  for (const Invention& invention : guess.inventions) {
    if (invention.is_unused && !invention.is_usual) continue;
    Instance changed = guess.instance;
    ArgumentContract& argument = *scalar_arguments(changed.launches.at(0).arguments).at(invention.argument);
    if (invention.is_addend) {
      argument.number = 1;
      if (!is_addend(contract, guess.instance, changed, image, runner)) return &invention;
      continue;
    }
    double_value(argument);
    const bool is_number = argument.form == ArgumentContract::Form::number;
    if (is_number && is_factor(contract, guess.instance, changed, image, runner)) continue;
    if (!invention.is_usual) return &invention;
    const Evaluator evaluator(contract, changed, image, runner);
    const bool leaves_input = std::ranges::any_of(trial_cases(guess.instance), [&](const Case& c) {
      const std::vector<Finding> findings = evaluator.evaluate(c).findings;
      return std::ranges::count(findings, Kind::out_of_bounds, &Finding::kind) != 0;
    });
    if (!leaves_input) return &invention;
  }
  return nullptr;
}

}  // namespace

bool is_about_order(const Finding& finding) {
  return family_of(finding.kind) == Family::race || family_of(finding.kind) == Family::synchronization;
}

std::vector<Case> trial_cases(const Instance& instance) {
  std::vector<Case> cases;
  for (const TrialRun& run : trial_runs) cases.push_back(case_of(instance, run));
  return cases;
}

Case with_telling_last(Case c) {
  c.input.distribution = {"one-hot", static_cast<std::int64_t>(count_of(c)) - 1};
  return c;
}

namespace {

/// Two examples of two channels, each with that many elements.
Case with_channels_of(std::int64_t elements, const Instance& instance) {
  Case c = case_of(instance, {elements, 1, "uniform"});
  Variables wanted = c.variables;
  wanted["spatial"] = elements;
  wanted["rows"] = wanted["columns"] = 2;
  c.variables = Domain(instance, largest_trial).nearest(wanted);
  return c;
}

}  // namespace

std::vector<Case> large_trial_cases(const Instance& instance, std::uint32_t threads) {
  constexpr std::int64_t few = 2, many_blocks = 66;
  const std::int64_t length = std::int64_t{threads} + 1;
  if (range_of(instance, "rows") == nullptr) {
    std::vector<Case> cases{with_telling_last(case_of(instance, {many_blocks * threads, 1, "uniform"}))};
    if (range_of(instance, "segments") != nullptr) {  // one segment, which is as long as a block
      Case one = cases.front();
      one.variables = Domain(instance, largest_trial)
                          .nearest({{"segments", 1}, {"count", threads}, {"grid", 1}, {"block", threads}});
      cases.push_back(with_telling_last(std::move(one)));
    }
    return cases;
  }
  if (range_of(instance, "spatial") != nullptr)
    return {with_channels_of(length, instance), with_telling_last(with_channels_of(threads, instance))};
  const std::int64_t group = group_of(Domain(instance, largest_trial)), columns = length * group;
  // If a row is as long as a block, its last element is that of the last thread.
  std::vector<Case> cases{case_of(instance, {few * columns, few, "uniform"}),
                          with_telling_last(case_of(instance, {few * threads * group, few, "uniform"}))};
  // A block for each of many rows would take long.
  const Range* grid = range_of(instance, "grid");
  if (grid == nullptr || grid->high.text() != "rows")
    cases.push_back(case_of(instance, {length * few, length, "uniform"}));
  return cases;
}

bool Fit::is_convincing() const { return explained > 1 && most_elements >= convincing_elements; }

Fit fit_of(const Contract& contract, const InstanceGuess& guess, const std::shared_ptr<const Image>& image,
           Runner& runner, Wanted wanted) {
  Instance instance = guess.instance;
  if (wanted != Wanted::any) instance.claims.uses_every_input_once = false;
  const Evaluator evaluator(contract, instance, image, runner);
  Fit fit;
  fit.always_misbehaves = true;
  std::optional<Finding> undefined;  // of the first run, as long as every run shows one
  const AcceptsFinding accepts = allowed_by(contract);
  std::vector<Case> cases = trial_cases(instance);
  for (std::size_t k = 0; k < cases.size() && !fit.does_not_end; ++k) {
    if (fit.runs == decisive_runs && fit.explained == 0) break;
    if (wanted == Wanted::complete && fit.explained < fit.runs) break;
    const Evaluation run = with_telling_operands(evaluator, instance, cases[k]);
    ++fit.runs;
    const auto misbehaviour = std::ranges::find_if(
        run.findings, [&](const Finding& finding) { return is_misbehaviour(finding, cases[k]); });
    // Runs with few elements do not count: few threads may not race.
    fit.always_misbehaves &= misbehaviour != run.findings.end() || count_of(cases[k]) < convincing_elements;
    if (misbehaviour != run.findings.end() && !fit.misbehaviour)
      fit.misbehaviour = with_case(*misbehaviour, cases[k]);
    const auto reads_undefined = std::ranges::find_if(run.findings, reads_undefined_shared);
    if (reads_undefined == run.findings.end())
      undefined.reset();
    else if (fit.runs == 1)
      undefined = with_case(*reads_undefined, cases[k]);
    fit.is_misaligned |= std::ranges::count(run.findings, Kind::misaligned, &Finding::kind) != 0;
    fit.loses_elements |= std::ranges::any_of(run.findings, is_about_uses);
    const bool share_elements =
        value_of(cases[k].variables, "grid").value_or(1) > 1 && range_of(instance, "rows") == nullptr;
    fit.tried_several_blocks |= share_elements;
    if (is_explained(run, accepts)) {
      ++fit.explained;
      const auto is_checked = [](const AdditionalEvidence& one) {
        return checks_value(one.evidence) && !one.vacuous;
      };
      fit.fully_checked += std::ranges::all_of(run.additional, is_checked) ? 1 : 0;
      fit.explains_several_blocks |= share_elements;
      if (is_telling(cases[k])) fit.most_elements = std::max(fit.most_elements, count_of(cases[k]));
    } else if (const Finding* found = contradiction_in(run, accepts);
               found != nullptr && fit.mismatch.empty()) {
      fit.mismatch = found->message;
    }
    fit.does_not_end = std::ranges::count(run.findings, Kind::timeout, &Finding::kind) != 0;
  }
  fit.always_misbehaves &= fit.misbehaviour.has_value();
  if (!fit.misbehaviour) fit.misbehaviour = std::move(undefined);
  if (fit.does_not_end || (wanted == Wanted::complete && fit.explained < fit.runs)) return fit;
  if (fit.explained > 0 && fit.mismatch.empty())
    fit.special_mismatch = special_mismatch_of(instance, evaluator);
  // An invention that explains little is wrong, too.
  const auto used = std::ranges::find(guess.inventions, false, &Invention::is_unused);
  const Invention* decisive = used != guess.inventions.end() && !fit.is_convincing()
                                  ? &*used
                                  : decisive_invention(contract, guess, image, runner);
  if (decisive != nullptr)
    fit.unknown = fmt::format("the result depends on {}, whose value cannot be guessed", decisive->parameter);
  return fit;
}

bool always_leaves_shared_array(const Contract& contract, const InstanceGuess& guess,
                                const std::shared_ptr<const Image>& image, Runner& runner) {
  const Expression& shared = guess.instance.launches.at(0).shared;
  if (!shared.names().empty() || shared.evaluate({}) != 0) return false;
  const auto leaves_array = [](const Finding& finding) {
    return finding.kind == Kind::out_of_bounds &&
           finding.message.find(" in shared memory ") != std::string::npos;
  };
  const Evaluator evaluator(contract, guess.instance, image, runner);
  return std::ranges::all_of(trial_cases(guess.instance), [&](Case c) {
    c.input.distribution.name = "zeros";
    return std::ranges::any_of(evaluator.evaluate(c).findings, leaves_array);
  });
}

bool is_right_but_for_bounds(const Contract& contract, const InstanceGuess& guess,
                             const std::shared_ptr<const Image>& image, Runner& runner) {
  Contract tolerant = contract;
  tolerant.allows.push_back({.kind = Kind::out_of_bounds,
                             .at = contract.source.filename().string(),
                             .reason = "trial",
                             .until = "9999-12-31",
                             .where = {}});
  const Fit fit = fit_of(tolerant, guess, image, runner, Wanted::any);
  if (fit.is_convincing() && !fit.is_about_one_block()) return true;
  // An index that goes up to the count: with a count that is too small by one, it reads the last element.
  const Reduction& reduction = *guess.instance.reduction;
  Instance shorter = guess.instance;
  if (!has_identity(info(reduction.op))) return false;
  for (ArgumentContract& argument : shorter.launches.at(0).arguments)
    if (argument.value.text() == "count") argument.value = Expression::parse("count - 1", {});
  const Evaluator evaluator(contract, shorter, image, runner);
  const AcceptsFinding accepts = allowed_by(contract);
  unsigned explained = 0;
  for (Case& c : trial_cases(guess.instance)) {
    if (count_of(c) < convincing_elements) continue;
    c.input.planted = {
        {count_of(c) - 1, planted_text(reduction.input, identity(reduction.op, reduction.input))}};
    if (!permits_planted(guess.instance, c)) continue;
    explained += is_explained(evaluator.evaluate(c), accepts) ? 1 : 0;
  }
  return explained > 1;
}

}  // namespace foldproof
