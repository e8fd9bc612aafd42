#include "properties/execution/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "base/files.h"
#include "contracts/declarations.h"
#include "contracts/names.h"
#include "contracts/signature.h"
#include "oracles/layout.h"
#include "properties/execution/case_plan.h"
#include "properties/execution/reduction.h"
#include "properties/instance_job.h"
#include "properties/relations/fixed_tree.h"

namespace foldproof {
namespace {

/// Whether a correct kernel may need more instructions than the limit permits.
bool may_reach_limit(const Case& c) {
  constexpr std::int64_t most_elements = 4096;
  return value_of(c.variables, "count").value_or(0) > most_elements;
}

}  // namespace

Evaluator::Evaluator(const Contract& contract, const Instance& instance,
                     const std::shared_ptr<const Image>& image, Runner& runner)
    : instance_(instance),
      runner_(runner),
      builder_(instance, image, runner.entries(image)),
      accepts_(allowed_by(contract)),
      is_guess_(contract.file.empty()) {
  for (const LaunchContract& launch : instance.launches) places_.push_back(place_of_entry(contract, launch));
  if (places_.empty()) places_.push_back({contract.source.string()});
  if (!instance.reduction) return;
  const MathInCode math = math_in_code(instance, image->ptx);
  arithmetic_ = arithmetic_of(*instance.reduction, instance, math);
  require_checker(*arithmetic_, contract);
  for (const AdditionalOutput& additional : instance.additional_outputs)
    require_checker(arithmetic_of(additional.reduction, instance, math), contract);
  if (!has_shape(arithmetic_->op, instance.reduction->result))
    throw InputError(fmt::format("{} does not support the result \"{}\"", name(arithmetic_->op),
                                 name_of(result_names, instance.reduction->result)),
                     {contract.file.string()});
  const bool adds_numbers = arithmetic_->op == Operator::sum && is_float(arithmetic_->input);
  fixed_tree_ = adds_numbers && is_deterministic(instance) && relations::has_fixed_tree(instance, *image);
}

Evaluation Evaluator::evaluate(const Case& c) const {
  std::vector<Evaluation> one = evaluate({&c, 1});
  if (!one.empty()) return std::move(one.front());
  Evaluation none;
  none.unsupported = "the device returned no result for this case";
  return none;
}

std::vector<Evaluation> Evaluator::evaluate(std::span<const Case> cases) const {
  const relations::RelationSubject subject{instance_, fixed_tree_, arithmetic_ && arithmetic_->flush_to_zero};
  const CheckedKernel kernel{instance_, arithmetic_, fixed_tree_, places_};
  std::vector<CasePlan> plans;
  std::vector<Job> jobs;
  for (const Case& c : cases) {
    plans.push_back(plan_case(builder_, subject, c, input_of(instance_, c)));
    for (auto* runs : {&plans.back().prepared, &plans.back().of_derived})
      for (PreparedJob& prepared : *runs) {
        jobs.push_back(std::move(prepared.job));
        jobs.back().group = plans.size();
        jobs.back().accepts = accepts_;
      }
  }
  std::vector<JobResult> results = runner_.run(jobs);
  auto next = std::make_move_iterator(results.begin());
  const auto take = [&](std::size_t count) {
    count = std::min(count, static_cast<std::size_t>(results.end() - next.base()));
    std::vector<JobResult> taken(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
    return taken;
  };
  std::vector<Evaluation> evaluations;
  for (CasePlan& one : plans) {
    if (next.base() == results.end()) break;
    std::vector<JobResult> own = take(one.prepared.size()), of_derived = take(one.of_derived.size());
    const bool is_short = own.size() + of_derived.size() < one.prepared.size() + one.of_derived.size();
    const auto are_complete = [](const auto& some) {
      return std::ranges::all_of(some, &JobResult::completed);
    };
    if (is_short && are_complete(own) && are_complete(of_derived)) break;  // no finding explains it
    evaluations.push_back(check_case(kernel, one, std::move(own), std::move(of_derived)));
    evaluations.back().input = std::move(one.input);
    if (is_guess_ && may_reach_limit(*one.c))
      for (Finding& finding : evaluations.back().findings)
        if (may_only_be_slow(finding)) finding.severity = Severity::warning;
  }
  return evaluations;
}

std::size_t Evaluator::cases_together() const {
  constexpr std::size_t jobs_of_a_case = 3;  // including the runs it is compared with
  return std::max<std::size_t>(1, runner_.capabilities().jobs_together / jobs_of_a_case);
}

Position place_of_entry(const Contract& contract, const LaunchContract& launch) {
  // Trial runs ask for the same entry hundreds of times.
  static std::map<std::tuple<std::string, std::string, bool>, unsigned> known;
  const std::string file = contract.source.string();
  const auto [line, is_new] = known.try_emplace({file, launch.entry, launch.host}, 0);
  if (is_new && contract.source.extension() != ".ptx")
    line->second = declaration_line(read_if_possible(contract.source, largest_source).value_or(""),
                                    unqualified(launch.entry), launch.host);
  return {file, line->second};
}

}  // namespace foldproof
