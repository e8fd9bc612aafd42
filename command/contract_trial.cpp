#include "command/contract_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "command/limited_runner.h"
#include "contracts/sizes.h"
#include "properties/fit.h"
#include "properties/precondition_runs.h"
#include "properties/preconditions.h"
#include "properties/whole_warps.h"

namespace foldproof {

namespace {

std::string advice() {
  return "use --as to specify what the kernel computes, or correct the contract that `foldproof init` writes";
}

/// The trial of the contracts that a kernel may have.
class Trial {
 public:
  Trial(const GuessedKernel& guess, Runner& runner) : guess_(guess), runner_(runner) {}

  Choice choice() {
    if (!guess_.contract.no_fit) likeliest_ = tried(guess_.likeliest, Wanted::any);
    if (likeliest_.is_complete()) return with_outputs({}, guess_.likeliest);
    if (auto limited = complete_with_preconditions()) return with_outputs({}, std::move(*limited));
    const std::vector<Candidate> candidates = guess_.candidates();
    if (const std::size_t best = best_of(candidates); best != 0)
      return with_outputs({best}, candidates[best - 1]);
    if (is_cut_) return without_other_runs(candidates);
    if (const std::size_t nearest = nearest_with_preconditions(candidates); nearest != 0)
      return with_outputs({nearest}, candidates[nearest - 1]);
    if (guess_.contract.no_fit) return without_likeliest(candidates);
    Choice none{0, why_no_fit()};
    if (!none.no_fit.empty()) none.misbehaviour = likeliest_.misbehaviour;
    // What the user says is audited in any case.
    return guess_.contract.as.empty() ? none : with_outputs(none, guess_.likeliest);
  }

  /// Those of the likeliest contract, if they were needed for the choice.
  const std::optional<Preconditions>& preconditions() const { return preconditions_; }

 private:
  /// The choice if names and instructions say too little and no candidate explains what the kernel computes.
  Choice without_likeliest(const std::vector<Candidate>& candidates) const {
    const auto is_of_bins = [](const Candidate& candidate) {
      return candidate.instance.reduction->result == ResultShape::bins;  // elements may lead out of an array
    };
    if (!candidates.empty() && !is_of_bins(candidates.front()) && overruns_shared(candidates.front()))
      return {1};
    if (nearest_ == nullptr) {
      if (!common_) return {0, guess_.contract.no_fit->reason};
      if (is_fault_in_any_block()) return {number_of(common_->candidate, candidates)};
      return {0, guess_.contract.no_fit->reason, {}, common_->finding};
    }
    if (is_fault_of_nearest()) return {number_of(nearest_, candidates)};
    const std::string& mismatch =
        nearest_fit_.mismatch.empty() ? nearest_fit_.special_mismatch : nearest_fit_.mismatch;
    return {0, why_none_fits(nearest_->instance, mismatch), {}, nearest_fit_.misbehaviour};
  }

  /// The choice if the runs of the candidates cost too much: what is right but for reads past the input.
  /// Throws LimitReached if the runs do not show that.
  Choice without_other_runs(const std::vector<Candidate>& candidates) const {
    if (guess_.contract.no_fit && nearest_ != nullptr && is_fault_of_nearest())
      return {number_of(nearest_, candidates)};
    const bool loses_tail =
        reads_past_input(likeliest_) && likeliest_.unknown.empty() && right_for_multiples_.contains("");
    if (guess_.contract.no_fit || !loses_tail) throw LimitReached{};
    return with_outputs({}, guess_.likeliest);
  }

  /// Counted from 1.
  static std::size_t number_of(const Candidate* candidate, const std::vector<Candidate>& candidates) {
    return static_cast<std::size_t>(candidate - candidates.data()) + 1;
  }

  /// Whether what contradicts the nearest candidate, which explains much, is the kernel's own fault: a race
  /// in every run of every candidate, or reads past the input. Without these reads, all results would be
  /// right.
  bool is_fault_of_nearest() const {
    if (nearest_->is_unusual || nearest_->invents_shape || !nearest_fit_.unknown.empty()) return false;
    if (nearest_fit_.always_misbehaves) return !is_free_of_misbehaviour_ && !is_cut_;
    return reads_past_input(nearest_fit_) &&
           (right_for_multiples_.contains(nearest_->as) ||
            is_right_but_for_bounds(guess_.contract, *nearest_, guess_.image, runner_));
  }

  /// Keeps the misbehaviour, such as a race, if every run of every candidate with the named operator shows
  /// some.
  void consider_misbehaviour(const Candidate& candidate, const Fit& fit) {
    if (!candidate.keeps_operator || fit.runs == 0) return;
    if (!fit.always_misbehaves) is_free_of_misbehaviour_ = true;
    if (is_free_of_misbehaviour_) common_.reset();
    if (is_free_of_misbehaviour_ || candidate.invents_shape) return;  // a wrong shape causes races
    // One with wrong sizes also leaves the memory.
    if (!common_ || (common_->leaves_memory && !leaves_memory(fit)))
      common_ = {&candidate, *fit.misbehaviour, leaves_memory(fit)};
  }

  static bool leaves_memory(const Fit& fit) {
    return fit.mismatch.starts_with("a ") && fit.mismatch.find(" memory begins ") != std::string::npos;
  }

  /// Whether what all candidates have in common is the kernel's own fault: threads of a block race, or
  /// synchronize wrongly, whether or not there are several warps, and no invented argument causes it.
  bool is_fault_in_any_block() const {
    const Kind kind = common_->finding.kind;
    const bool is_among_blocks = family_of(kind) == Family::race && kind != Kind::shared_race;
    if (common_->candidate->is_unusual || !common_->candidate->inventions.empty() || is_among_blocks)
      return false;
    const Range* block = range_of(common_->candidate->instance, "block");
    if (block == nullptr || !block->high.names().empty() || guess_.blocks.launched_threads) return true;
    InstanceGuess warp = *common_->candidate;
    warp.instance = with_range(std::move(warp.instance), "block", "32");
    return tried(warp, Wanted::any).always_misbehaves;
  }

  /// Keeps the candidate if it computes what the kernel's name says and explains much, and more than those
  /// before.
  void consider_as_nearest(const Candidate& candidate, const Fit& fit) {
    const bool contradicts = !fit.mismatch.empty() || !fit.special_mismatch.empty();
    if (!candidate.keeps_operator || !contradicts || !fit.is_convincing() ||
        fit.explained <= nearest_fit_.explained)
      return;
    nearest_ = &candidate;
    nearest_fit_ = fit;
  }

  /// A guess that cannot be a contract explains nothing.
  Fit tried(const InstanceGuess& guess, Wanted wanted) const {
    try {
      return fit_of(guess_.contract, guess, guess_.image, runner_, wanted);
    } catch (const InputError& error) {
      Fit fit;
      fit.unknown = error.sentence();
      return fit;
    }
  }

  /// Whether the blocks that the source launches have too many threads for an array in shared memory.
  bool overruns_shared(const InstanceGuess& guess) const {
    try {
      return guess_.blocks.launched_threads &&
             always_leaves_shared_array(guess_.contract, guess, guess_.image, runner_);
    } catch (const InputError&) {  // It cannot be a contract.
      return false;
    }
  }

  /// Whether a smallest or largest element that is left in the input may be the first of all in order.
  bool may_be_sort(const InstanceGuess& guess) const {
    return guess.instance.in_place && is_extremum(guess.instance.reduction->op) &&
           guess.instance.reduction->result == ResultShape::value && !is_known(guess_);
  }

  /// The guess with what callers must respect, which are also `found`.
  InstanceGuess limited(InstanceGuess guess, std::optional<Preconditions>& found) const {
    Contract contract = guess_.contract;
    contract.no_fit.reset();
    contract.instances.front() = std::move(guess.instance);
    found = preconditions_of(contract, guess_.blocks, guess_.image, runner_);
    add(*found, contract);
    guess.instance = std::move(contract.instances.front());
    return guess;
  }

  /// The likeliest contract within its preconditions, if it then explains everything.
  std::optional<InstanceGuess> complete_with_preconditions() {
    // Limited to large blocks, all trial runs have one.
    if (guess_.contract.no_fit || !likeliest_.unknown.empty() || may_read_other_rows(likeliest_))
      return std::nullopt;
    return complete_within_preconditions(guess_.likeliest, preconditions_);
  }

  /// The guess within its preconditions, which are also `found`, if there are some and it then explains
  /// everything.
  std::optional<InstanceGuess> complete_within_preconditions(const InstanceGuess& guess,
                                                             std::optional<Preconditions>& found) const {
    InstanceGuess within = limited(guess, found);
    const bool has_condition = !found->block.empty() || !found->counts.empty() || found->is_aligned;
    if (!has_condition || !tried(within, Wanted::complete).is_complete()) return std::nullopt;
    return within;
  }

  /// The number of the nearest candidate if it explains everything within its preconditions; otherwise 0.
  std::size_t nearest_with_preconditions(const std::vector<Candidate>& candidates) const {
    if (nearest_ == nullptr || may_read_other_rows(nearest_fit_)) return 0;
    std::optional<Preconditions> found;
    if (!complete_within_preconditions(*nearest_, found)) return 0;
    return number_of(nearest_, candidates);
  }

  /// The candidate that explains most runs, counted from 1; 0 if none explains more than the likeliest, or if
  /// the runs cost too much before one explains all.
  std::size_t best_of(const std::vector<Candidate>& candidates) {
    if (likeliest_.does_not_end) return 0;
    std::size_t best = 0;
    Fit best_fit = likeliest_;
    for (std::size_t k = 0; k < candidates.size() && !best_fit.is_complete(); ++k) {
      if (right_for_multiples_.contains(candidates[k].as) && hides_tail(candidates[k])) continue;
      Fit fit;
      try {
        fit = tried(candidates[k], candidates[k].keeps_operator ? Wanted::values : Wanted::complete);
      } catch (const LimitReached&) {
        is_cut_ = true;
        return 0;
      }
      note(candidates[k], fit);
      const bool is_better = fit.explained > best_fit.explained || fit.is_complete();
      if (!is_better || !fit.is_convincing() || !fit.unknown.empty()) continue;
      if (is_acceptable(candidates[k], fit)) {
        best = k + 1;
        best_fit = std::move(fit);
      } else if (hides_tail(candidates[k]) && fit.is_complete()) {
        right_for_multiples_.insert(candidates[k].as);
      }
    }
    return best;
  }

  /// Keeps what the fit shows about the kernel, whichever candidate is chosen.
  void note(const Candidate& candidate, const Fit& fit) {
    consider_as_nearest(candidate, fit);
    consider_misbehaviour(candidate, fit);
    if (!fit.is_convincing()) return;
    if (!fit.unknown.empty())
      invention_ = fit.unknown;
    else if (!candidate.is_narrow)
      convincing_.insert(candidate.as);
  }

  static bool reads_beyond(const Fit& fit) { return fit.mismatch.starts_with("a read of "); }

  /// Whether it reads elements that do not exist, and not those of other rows.
  static bool reads_past_input(const Fit& fit) {
    return reads_beyond(fit) && fit.mismatch.find(" in shared memory ") == std::string::npos &&
           !fit.is_about_one_block();
  }

  /// Whether blocks other than the first may read other rows of a matrix, instead of other elements.
  static bool may_read_other_rows(const Fit& fit) { return reads_beyond(fit) && fit.is_about_one_block(); }

  /// Whether a run that contradicts the candidate shows a fault of the kernel. A kernel may not compute what
  /// the user, or its name and nothing else, says; if the operator has variants, only a lost element shows
  /// that.
  bool is_fault(const Candidate& candidate, const Fit& fit) const {
    if (candidate.is_unusual || may_read_other_rows(fit)) return false;
    return is_known(guess_) || (guess_.is_named && tried(candidate, Wanted::any).loses_elements);
  }

  /// Whether it only supposes that callers pass what the kernel can deal with. Callers know that rows of
  /// groups must be aligned.
  bool hides_tail(const Candidate& candidate) const {
    return candidate.is_narrow && !likeliest_.is_misaligned && !guess_.is_special_case &&
           (likeliest_.is_convincing() || convincing_.contains(candidate.as));
  }

  /// Whether the candidate does not hide that the kernel may be wrong.
  bool is_acceptable(const Candidate& candidate, const Fit& fit) const {
    // A name that is no more than a hint does not say what happens with infinities.
    if (!is_known(guess_) && !fit.special_mismatch.empty()) return false;
    const bool explains_enough =
        fit.is_complete() || (candidate.keeps_operator && (fit.mismatch.empty() || is_fault(candidate, fit)));
    // With a wrong shape, threads may do the same work.
    if (!explains_enough || hides_tail(candidate) ||
        (candidate.invents_shape && fit.misbehaviour.has_value()))
      return false;
    return !candidate.doubles_shared ||
           (!guess_.contract.no_fit && leaves_memory_by_warps(guess_.contract, guess_.image, runner_));
  }

  /// Why the runs that the likeliest contract does not explain are not faults of the kernel; empty if they
  /// are.
  std::string why_no_fit() const {
    for (const std::string& unknown : {likeliest_.unknown, invention_})
      if (!unknown.empty()) return fmt::format("{}; {}", unknown, advice());
    if (guess_.likeliest.invents_shape)
      return fmt::format("the block dimensions along x and y are unknown; {}", advice());
    if (!guess_.contract.as.empty()) return "";
    // What an in-place kernel leaves in its input beyond the result is unknown.
    if (guess_.likeliest.instance.in_place && !likeliest_.mismatch.empty())
      return why_none_fits(guess_.likeliest.instance, likeliest_.mismatch);
    if (likeliest_.always_misbehaves || overruns_shared(guess_.likeliest)) return "";
    if (!likeliest_.special_mismatch.empty() && !is_known(guess_))
      return why_none_fits(guess_.likeliest.instance, likeliest_.special_mismatch);
    const bool explains_much = likeliest_.is_convincing() && !may_read_other_rows(likeliest_);
    if (explains_much || likeliest_.mismatch.empty()) return "";
    // A matrix may also be stored by columns.
    const bool loses = likeliest_.loses_elements && range_of(guess_.likeliest.instance, "rows") == nullptr;
    if (guess_.is_named && (likeliest_.does_not_end || loses)) return "";
    // A write beyond an output may be an additional output.
    return reads_beyond(likeliest_) &&
                   is_right_but_for_bounds(guess_.contract, guess_.likeliest, guess_.image, runner_)
               ? ""
               : why_none_fits(guess_.likeliest.instance, likeliest_.mismatch);
  }

  /// Whether a contract with another output explains that one; `alone`: without it. What contradicts the
  /// result itself does not concern the other output, if all other runs agree with it.
  static bool explains_others(const Fit& fit, const Fit& alone) {
    if (fit.mismatch.empty() && fit.special_mismatch.empty()) return fit.fully_checked > 0;
    return fit.mismatch == alone.mismatch && fit.special_mismatch == alone.special_mismatch &&
           fit.fully_checked == fit.explained && fit.is_convincing();
  }

  /// Finds what the kernel stores besides its result.
  Choice with_outputs(Choice choice, InstanceGuess guess) const {
    if (may_be_sort(guess))
      return {
          0,
          "the kernel overwrites its input, and only one of the elements that it leaves there is known; " +
              advice(),
          {}};
    if (guess.unchecked_outputs.empty()) return choice;
    Fit alone = tried(guess, Wanted::values);
    if (!alone.is_complete()) {
      std::optional<Preconditions> found;
      guess = limited(std::move(guess), found);
      alone = tried(guess, Wanted::values);
    }
    for (const std::string& buffer : guess.unchecked_outputs) {
      const std::vector<Instance> possible = with_additional_output(guess.instance, buffer);
      const auto fits = std::ranges::find_if(possible, [&](const Instance& instance) {
        guess.instance = instance;
        const Fit fit = tried(guess, Wanted::values);
        return fit.explained >= alone.explained && explains_others(fit, alone) && fit.unknown.empty();
      });
      if (fits != possible.end())
        choice.outputs.push_back(static_cast<std::size_t>(fits - possible.begin()));
      else if (guess_.contract.as.empty())
        return {choice.candidate,
                fmt::format(
                    "no guessed contract matches what the kernel stores to \"{}\", which may be wrong; {}",
                    buffer, advice()),
                choice.outputs, likeliest_.misbehaviour ? likeliest_.misbehaviour : alone.misbehaviour};
      if (fits == possible.end()) break;
    }
    return choice;
  }

  const GuessedKernel& guess_;
  Runner& runner_;
  Fit likeliest_;
  std::optional<Preconditions> preconditions_;
  std::string invention_;               ///< on which the result of a candidate depends that explains much
  const Candidate* nearest_ = nullptr;  ///< computes what the name says, and explains some of the trial runs
  Fit nearest_fit_;
  /// What every run of every candidate that computes what the name says shows, by the likeliest candidate.
  struct Misbehaviour {
    const Candidate* candidate;
    Finding finding;
    bool leaves_memory;
  };
  std::optional<Misbehaviour> common_;
  bool is_free_of_misbehaviour_ = false;       ///< some candidate that computes what the name says
  bool is_cut_ = false;                        ///< the runs of the candidates cost too much
  std::set<std::string> right_for_multiples_;  ///< those that explain everything with narrow suppositions
  std::set<std::string> convincing_;  ///< reference contracts that explain much without narrow suppositions
};

}  // namespace

Trialled chosen_contract(const GuessedKernel& guess, Runner& runner) {
  Trial trial(guess, runner);
  Choice choice = trial.choice();
  return {std::move(choice), trial.preconditions()};
}

std::string why_none_fits(const Instance& instance, const std::string& mismatch) {
  return fmt::format(
      "no guessed contract matches the results of the trial runs; for example, with the operator {}: {}; {}",
      name(instance.reduction->op), mismatch, advice());
}

bool is_known(const GuessedKernel& guess) { return !guess.contract.is_unconfirmed; }

}  // namespace foldproof
