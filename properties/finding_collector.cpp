#include "properties/finding_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/interrupts.h"
#include "properties/distributions.h"
#include "properties/shrinking/shrink.h"
#include "properties/store/triage.h"

namespace foldproof {
namespace {

/// Maximum number of findings to shrink; a kernel with more findings is wrong enough for the rest to wait.
constexpr std::size_t most_shrunk = 8;
/// Of all findings together, in warp instructions: with races under a random schedule up to two microseconds
/// each.
constexpr std::uint64_t most_shrinking = 30'000'000;
constexpr std::ptrdiff_t most_of_a_kind = 100;  ///< of the same severity, in a report

}  // namespace

FindingCollector::FindingCollector(const Contract& contract, const Instance& instance,
                                   const Evaluator& evaluator, const Domain& domain,
                                   const AuditOptions& options, AuditEvents events)
    : contract_(contract),
      instance_(instance),
      evaluator_(evaluator),
      domain_(domain),
      options_(options),
      events_(std::move(events)),
      store_(options.store),
      today_(today()),
      shrinking_cost_(most_shrinking) {}

bool FindingCollector::accepts(const Finding& finding) const {
  return is_accepted(finding, contract_, today_);
}

/// Of two kinds that are alike, such as a wrong value and one outside its bound, the contract may accept one:
/// it does not stand for the other. If it accepts both, the report names both.
const Finding* FindingCollector::like(const std::vector<Finding>& findings, const Finding& finding) const {
  const auto found = std::ranges::find_if(findings, [&](const Finding& other) {
    const bool is_accepted = accepts(finding);
    return stands_for(other, finding) && accepts(other) == is_accepted &&
           (!is_accepted || other.kind == finding.kind);
  });
  return found == findings.end() ? nullptr : &*found;
}

void FindingCollector::collect(const Case& c, const Evaluation& evaluation, const Finding& finding) {
  if (like(findings_, finding) != nullptr) return;
  if (has_too_many_like(finding)) {
    omitted_.insert(finding.kind);
    return;
  }
  announce(finding, c);
  try {
    confirm_and_keep(c, evaluation, finding);
  } catch (const Interrupted&) {
    if (like(findings_, finding) == nullptr) keep(c, finding, evaluation);
    throw;
  }
}

/// Accepted findings are counted by themselves: however many there are, the others are reported.
bool FindingCollector::has_too_many_like(const Finding& finding) const {
  const auto is_of_its_kind = [&](const Finding& other) {
    return other.kind == finding.kind && other.severity == finding.severity &&
           accepts(other) == accepts(finding);
  };
  return std::ranges::count_if(findings_, is_of_its_kind) >= most_of_a_kind;
}

void FindingCollector::confirm_and_keep(const Case& c, const Evaluation& evaluation, const Finding& finding) {
  const auto changing =
      options_.shrinks ? not_reproduced(evaluator_, instance_, c, evaluation, finding) : std::nullopt;
  events_.has_progressed();
  if (changing) {
    if (like(findings_, *changing) == nullptr) keep(c, *changing, evaluation);
  } else if (!options_.shrinks || keeps_as_given_ || findings_.size() >= most_shrunk) {
    keep(c, finding, evaluation);
  } else {
    keep_shrunk(c, evaluation, finding);
  }
}

/// Reports the finding with the message and numbers of the smallest case.
void FindingCollector::keep_shrunk(const Case& c, const Evaluation& evaluation, const Finding& finding) {
  const Case small = shrunk(c, finding, is_about_values(finding.kind) ? evaluation.wrong_part : std::nullopt);
  if (describe(small) == describe(c)) return keep(c, finding, evaluation);
  const Evaluation again = evaluated(small);
  const Finding* found = like(again.findings, finding);
  if (found == nullptr) return keep(c, finding, evaluation);
  keep(small, *found, again);
  // Races for one variable are reported together. Most of them show in the same small case.
  for (const Finding& other : again.findings)
    if (other.kind == found->kind && !other.memory.empty() && other.memory == found->memory &&
        like(findings_, other) == nullptr && !has_too_many_like(other))
      keep(small, other, again);
  // They decide whether a wrong value contradicts the guess, and large cases are not traced.
  if (contract_.is_unconfirmed)
    for (const Finding& other : again.findings)
      if (is_about_uses(other) && like(findings_, other) == nullptr) keep(small, other, again);
}

void FindingCollector::keep(const Case& c, Finding shown, const Evaluation& evaluation) {
  shown.case_text = describe(c);
  shown.cause = cause_of(shown, evaluation);
  if (!keeps_as_given_) store(c, shown);
  std::erase_if(findings_, [&](const Finding& milder) {
    return is_like(milder, shown) && accepts(milder) == accepts(shown);
  });
  findings_.push_back(std::move(shown));
  events_.found_something();
}

/// The finding of the same run that may explain this one, if it is reported. Wrong results explain nothing.
std::optional<Cause> FindingCollector::cause_of(const Finding& finding, const Evaluation& evaluation) const {
  const Finding* first = nullptr;
  for (const Finding& other : evaluation.findings)
    // A race in this run may be a warning, because the values are equal, and an error in others.
    if ((other.severity == Severity::error || is_undefined_behaviour(other.kind)) && !accepts(other) &&
        (first == nullptr || rank_of(other) < rank_of(*first)))
      first = &other;
  if (first == nullptr || rank_of(*first) >= std::min(rank_of(finding), Rank::other)) return std::nullopt;
  return Cause{first->kind, first->at};
}

/// Before the finding is shrunk, which may take long.
void FindingCollector::announce(Finding finding, const Case& c) {
  finding.case_text = describe(c);
  findings_.push_back(std::move(finding));
  events_.found_something();
  findings_.pop_back();
}

/// Adds the command that replays the finding.
void FindingCollector::store(const Case& c, Finding& finding) {
  CaseStore::Saved saved = store_.save(contract_, instance_, c, finding);
  finding.replay = std::move(saved.replay);
  if (why_not_stored_.empty()) why_not_stored_ = std::move(saved.why_not);
}

/// If runs may differ, a smaller case must fail twice before it replaces a larger one, except for a
/// timeout, where each run costs the full time limit.
Case FindingCollector::shrunk(const Case& c, const Finding& finding, const std::optional<Part>& wrong) {
  const int runs = instance_.claims.deterministic || finding.kind == Kind::timeout ? 1 : 2;
  const auto fails = [&](const Case& candidate, std::uint64_t& cost) {
    if (!permits_planted(instance_, candidate)) return false;
    for (int run = 0; run < runs; ++run) {
      if (end_reason() != EndReason::none) return false;
      const Evaluation evaluation = evaluated(candidate);
      cost += evaluation.cost;
      shrinking_cost_ -= std::min(shrinking_cost_, evaluation.cost);
      if (like(evaluation.findings, finding) == nullptr) return false;
    }
    return true;
  };
  const auto input = [&](const Case& candidate) {
    return elements_in(instance_.reduction->input, input_of(instance_, candidate));
  };
  ShrinkBudget budget;
  budget.cost = std::min(budget.cost, shrinking_cost_);
  return shrink(c, domain_, instance_, fails, input, wrong, budget);
}

Evaluation FindingCollector::evaluated(const Case& c) const {
  Evaluation evaluation = evaluator_.evaluate(c);
  events_.has_progressed();
  return evaluation;
}

std::vector<std::string> FindingCollector::notes() const {
  std::vector<std::string> notes;
  if (!why_not_stored_.empty()) notes.push_back(why_not_stored_);
  for (const Kind kind : omitted_)
    notes.push_back(fmt::format("there are more than {} findings of the kind {}; the others are omitted",
                                most_of_a_kind, name(kind)));
  return notes;
}

}  // namespace foldproof
