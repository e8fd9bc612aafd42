#include "command/guessed_contracts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/interrupts.h"
#include "base/memory.h"
#include "base/task_pool.h"
#include "command/emulated.h"
#include "command/limited_runner.h"
#include "command/trial_result.h"
#include "contracts/guess.h"
#include "contracts/sizes.h"
#include "properties/fit.h"
#include "properties/preconditions.h"
#include "properties/whole_warps.h"

namespace foldproof {

namespace {

/// Warp instructions of a trial: about as many as an emulated device executes in 20 s. Some kernels are
/// slower.
constexpr std::uint64_t most_of_trial = 64'000'000;
constexpr std::chrono::milliseconds longest_trial{60'000};

/// The candidate with that number, or the likeliest contract.
InstanceGuess chosen(const GuessedKernel& guess, std::size_t candidate) {
  return candidate == 0 ? guess.likeliest : guess.candidates().at(candidate - 1);
}

std::string advice() {
  return "say what the kernel computes with --as, or correct the contract that `foldproof init` writes";
}

std::string why_none_fits(const Instance& instance, const std::string& mismatch) {
  return fmt::format(
      "no contract explains the results of trial runs; with the operator {}, for example: {}; {}",
      name(instance.reduction->op), mismatch, advice());
}

/// Whether what a trial shows is a fault of the kernel: the user or its name says what it computes.
bool is_known(const GuessedKernel& guess) { return !guess.contract.is_unconfirmed; }

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
    if (!candidates.empty() && overruns_shared(candidates.front())) return {1};
    if (nearest_ == nullptr) return {0};
    const std::string& mismatch =
        nearest_fit_.mismatch.empty() ? nearest_fit_.special_mismatch : nearest_fit_.mismatch;
    return {0, why_none_fits(nearest_->instance, mismatch), {}, nearest_fit_.misbehaviour};
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
    InstanceGuess guess = limited(guess_.likeliest, preconditions_);
    const bool has_condition =
        !preconditions_->block.empty() || !preconditions_->counts.empty() || preconditions_->is_aligned;
    if (!has_condition || !tried(guess, Wanted::complete).is_complete()) return std::nullopt;
    return guess;
  }

  /// The candidate that explains most runs, counted from 1; 0 if none explains more than the likeliest.
  std::size_t best_of(const std::vector<Candidate>& candidates) {
    if (likeliest_.does_not_end) return 0;
    std::size_t best = 0;
    Fit best_fit = likeliest_;
    for (std::size_t k = 0; k < candidates.size() && !best_fit.is_complete(); ++k) {
      Fit fit = tried(candidates[k], candidates[k].keeps_operator ? Wanted::values : Wanted::complete);
      consider_as_nearest(candidates[k], fit);
      if (fit.is_convincing() && !fit.unknown.empty()) invention_ = fit.unknown;
      if (!fit.is_convincing() || !fit.unknown.empty()) continue;
      if (!candidates[k].is_narrow) convincing_.insert(candidates[k].as);
      const bool is_better = fit.explained > best_fit.explained || fit.is_complete();
      if (!is_better || !is_acceptable(candidates[k], fit)) continue;
      best = k + 1;
      best_fit = std::move(fit);
    }
    return best;
  }

  static bool reads_beyond(const Fit& fit) { return fit.mismatch.starts_with("a read of "); }

  /// Whether blocks other than the first may read other rows of a matrix, instead of other elements.
  static bool may_read_other_rows(const Fit& fit) { return reads_beyond(fit) && fit.is_about_one_block(); }

  /// Whether a run that contradicts the candidate shows a fault of the kernel. A kernel may not compute what
  /// the user, or its name and nothing else, says; if the operator has variants, only a lost element shows
  /// that.
  bool is_fault(const Candidate& candidate, const Fit& fit) const {
    if (candidate.is_unusual || may_read_other_rows(fit)) return false;
    return is_known(guess_) || (guess_.is_named && tried(candidate, Wanted::any).loses_elements);
  }

  /// Whether the candidate does not hide that the kernel may be wrong.
  bool is_acceptable(const Candidate& candidate, const Fit& fit) const {
    // A name that is no more than a hint does not say what happens with infinities.
    if (!is_known(guess_) && !fit.special_mismatch.empty()) return false;
    const bool explains_enough =
        fit.is_complete() || (candidate.keeps_operator && (fit.mismatch.empty() || is_fault(candidate, fit)));
    // Callers know that rows of groups must be aligned.
    const bool hides_tail = candidate.is_narrow && !likeliest_.is_misaligned && !guess_.is_special_case &&
                            (likeliest_.is_convincing() || convincing_.contains(candidate.as));
    // With a wrong shape, threads may do the same work.
    if (!explains_enough || hides_tail || (candidate.invents_shape && fit.misbehaviour.has_value()))
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
      return fmt::format("it is unknown how many threads its blocks have along x and y; {}", advice());
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

  /// Finds what the kernel stores besides its result.
  Choice with_outputs(Choice choice, InstanceGuess guess) const {
    if (may_be_sort(guess))
      return {0, "it is unknown what the kernel leaves in its input besides one element; " + advice(), {}};
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
        return fit.explained >= alone.explained && fit.fully_checked > 0 && fit.mismatch.empty() &&
               fit.special_mismatch.empty() && fit.unknown.empty();
      });
      if (fits != possible.end())
        choice.outputs.push_back(static_cast<std::size_t>(fits - possible.begin()));
      else if (guess_.contract.as.empty())
        choice.no_fit =
            fmt::format("no contract explains what the kernel stores to \"{}\"; {}", buffer, advice());
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
  std::set<std::string> convincing_;  ///< reference contracts that explain much without narrow suppositions
};

void apply(const Choice& choice, GuessedKernel& guess) {
  InstanceGuess made = chosen(guess, choice.candidate);
  for (std::size_t k = 0; k < choice.outputs.size(); ++k) {
    made.instance = with_additional_output(made.instance, made.unchecked_outputs.at(k)).at(choice.outputs[k]);
    const AdditionalOutput& found = made.instance.additional_outputs.back();
    made.assumptions.push_back(fmt::format("{} in \"{}\"", name(found.reduction.op), found.buffer));
  }
  for (std::size_t k = choice.outputs.size(); k < made.unchecked_outputs.size(); ++k)
    made.assumptions.push_back(fmt::format("\"{}\" is not checked", made.unchecked_outputs[k]));
  if (choice.candidate != 0 || !made.unchecked_outputs.empty()) {
    guess.contract.instances.front() = std::move(made.instance);
    guess.contract.assumptions = std::move(made.assumptions);
    guess.contract.no_fit.reset();
  }
  if (choice.no_fit.empty()) return;
  const NoFit before = guess.contract.no_fit.value_or(NoFit{});
  guess.contract.no_fit = NoFit{choice.no_fit, before.parameters};
  if (!choice.misbehaviour) return;
  Finding warning = *choice.misbehaviour;
  warning.severity = Severity::warning;
  warning.message = "in a trial run with guessed arguments: " + warning.message;
  guess.contract.preconditions = {std::move(warning)};
}

/// The emulated devices of a process: those of one source share one, so that its PTX is lowered once.
class Devices {
 public:
  Runner& device_for(const std::shared_ptr<const Image>& image) {
    if (!runner_ || image != loaded_) runner_ = checked_runner();
    loaded_ = image;
    return *runner_;
  }

 private:
  std::unique_ptr<Runner> runner_;
  std::shared_ptr<const Image> loaded_;
};

/// Tries the guess. `choose` receives the choice as soon as it is made. Empty if the runs cost too much
/// before.
std::string trialled(GuessedKernel guess, Runner& device,
                     const std::function<void(const std::string& choice)>& choose) {
  LimitedRunner runner(device, most_of_trial);
  Trial trial(guess, runner);
  std::optional<Trialled> result;
  try {
    result = Trialled{trial.choice(), std::nullopt};
    choose(packed(*result));
    if (result->choice.candidate == 0 && result->choice.outputs.empty())
      result->preconditions = trial.preconditions();
    apply(result->choice, guess);
    if (guess.contract.no_fit)
      result->preconditions.reset();
    else if (!result->preconditions)
      result->preconditions = preconditions_of(guess.contract, guess.blocks, guess.image, runner);
  } catch (const LimitReached&) {
    if (!result) return "";
    result->is_cut = true;
  }
  return packed(*result);
}

/// Applies what is known about the guess when its trial ends; what else goes wrong, the audit reports.
void conclude(const Outcome& outcome, GuessedKernel& guess) {
  const bool is_finished = outcome.ending == Outcome::Ending::finished;
  const bool is_too_slow = is_finished || outcome.ending == Outcome::Ending::too_slow;
  const std::string& bytes = is_finished ? outcome.text : outcome.so_far;
  if (!bytes.empty()) {
    const Trialled result = unpacked(bytes);
    apply(result.choice, guess);
    if (result.preconditions) add(*result.preconditions, guess.contract);
    if (!is_finished || result.is_cut)
      guess.contract.assumptions.emplace_back("the guessed sizes, since trial runs with others did not end");
  } else if (is_too_slow && !guess.contract.no_fit && !is_known(guess)) {
    guess.contract.no_fit =
        NoFit{why_none_fits(guess.likeliest.instance, "the trial runs took too long"), {}};
  }
}

/// Leaves half of the time to the audits, if there is something to audit.
class TrialTime {
 public:
  explicit TrialTime(Deadline deadline) : half_(deadline) {
    const auto now = std::chrono::steady_clock::now();
    if (deadline) half_ = now + (*deadline - now) / 2;
  }

  void has_contract() { may_end_ = true; }
  bool is_over() const { return left() == std::chrono::milliseconds(0); }
  std::optional<std::chrono::milliseconds> left() const {
    using namespace std::chrono;
    if (!half_ || !may_end_) return std::nullopt;
    return std::max(duration_cast<milliseconds>(*half_ - steady_clock::now()), milliseconds(0));
  }

 private:
  Deadline half_;
  bool may_end_ = false;
};

/// Launches of the source that no trial run is sure to cover.
std::vector<std::string> notes_about(const GuessedKernel& guess) {
  std::vector<std::string> notes;
  if (guess.contract.no_fit) return notes;
  for (const SourceLaunch& launch : guess.blocks.launches) {
    if (launch.not_understood.empty()) continue;
    std::string note = fmt::format(
        "{}: the sizes of the launch {} could not be determined; a fault that only this launch has is a "
        "warning, or not found",
        guess.contract.instances.at(0).launches.at(0).entry, launch.not_understood);
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace

std::vector<GuessedContract> guessed_contracts(const std::filesystem::path& source, const std::string& entry,
                                               const CompileOptions& options,
                                               const std::optional<Reference>& reference) {
  std::vector<GuessedKernel> guesses = guess_kernels(source, entry, options, reference);
  std::vector<GuessedContract> contracts(guesses.size());
  TrialTime time(options.deadline);
  Devices devices;
  TaskPool pool;
  pool.tasks = guesses.size();
  pool.memory = memory_share(1, 1);
  pool.deadline = options.deadline;
  pool.can_start = [&](std::size_t) { return !time.is_over(); };
  pool.time = [&](std::size_t) { return time.left(); };
  pool.patience = [](std::size_t) { return std::optional(longest_trial); };
  pool.may_share_process = [](std::size_t) { return true; };
  // In other processes, since a trial may crash or take too long.
  pool.work = [&](std::size_t task, const TaskReporter& reporter) {
    const GuessedKernel& guess = guesses[task];
    return guess.image ? trialled(guess, devices.device_for(guess.image), reporter.so_far) : "";
  };
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    GuessedContract& contract = contracts[task];
    if (guesses[task].image) conclude(outcome, guesses[task]);
    contract.is_out_of_time = outcome.ending == Outcome::Ending::out_of_time && outcome.so_far.empty();
    if (!contract.is_out_of_time && !guesses[task].contract.no_fit) time.has_contract();
  };
  if (!pool.run()) throw Interrupted{};
  for (std::size_t task = 0; task < guesses.size(); ++task) {
    contracts[task].notes = notes_about(guesses[task]);
    contracts[task].contract = std::move(guesses[task].contract);
    contracts[task].image = std::move(guesses[task].image);
  }
  return contracts;
}

}  // namespace foldproof
