#include "command/guessed_contracts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/interrupts.h"
#include "base/memory.h"
#include "base/task_pool.h"
#include "command/contract_trial.h"
#include "command/emulated.h"
#include "command/limited_runner.h"
#include "command/trial_result.h"
#include "contracts/guess.h"
#include "contracts/representative_instances.h"
#include "contracts/signature.h"
#include "properties/preconditions.h"

namespace foldproof {

namespace {

/// Warp instructions of a trial: about as many as an emulated device executes in 20 s. Some kernels are
/// slower. Those of one source share them, as long as each gets enough for a usual kernel.
std::uint64_t most_of_trial(std::size_t kernels) {
  constexpr std::uint64_t most = 64'000'000, enough = 2'500'000;
  return std::clamp(most / std::max<std::uint64_t>(kernels, 1), enough, most);
}
constexpr std::chrono::milliseconds longest_trial{60'000};

/// The candidate with that number, or the likeliest contract.
InstanceGuess chosen(const GuessedKernel& guess, std::size_t candidate) {
  return candidate == 0 ? guess.likeliest : guess.candidates().at(candidate - 1);
}

void apply(const Choice& choice, GuessedKernel& guess) {
  InstanceGuess made = chosen(guess, choice.candidate);
  for (std::size_t k = 0; k < choice.outputs.size(); ++k) {
    made.instance = with_additional_output(made.instance, made.unchecked_outputs.at(k)).at(choice.outputs[k]);
    const AdditionalOutput& found = made.instance.additional_outputs.back();
    made.assumptions.push_back(fmt::format("{} in \"{}\"", name(found.reduction.op), found.buffer));
  }
  guess.contract.unchecked_outputs.assign(
      made.unchecked_outputs.begin() + static_cast<std::ptrdiff_t>(choice.outputs.size()),
      made.unchecked_outputs.end());
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
std::string trialled(GuessedKernel guess, Runner& device, std::uint64_t limit,
                     const std::function<void(const std::string& choice)>& choose) {
  LimitedRunner runner(device, limit);
  std::optional<Trialled> result;
  try {
    result = chosen_contract(guess, runner);
    const auto of_likeliest = std::exchange(result->preconditions, std::nullopt);
    choose(packed(*result));
    if (result->choice.candidate == 0 && result->choice.outputs.empty()) result->preconditions = of_likeliest;
    apply(result->choice, guess);
    runner.permit(limit / 2);  // The preconditions of a guess matter, however long it took to find.
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
      guess.contract.assumptions.emplace_back(
          "the guessed sizes, since trial runs with other sizes did not end");
  } else if (is_too_slow && !guess.contract.no_fit && guess.contract.as.empty()) {
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
std::vector<std::string> not_audited_of(const GuessedKernel& guess) {
  std::vector<std::string> notes;
  if (guess.contract.no_fit) return notes;
  for (const SourceLaunch& launch : guess.blocks.launches) {
    if (launch.not_understood.empty()) continue;
    std::string note = fmt::format(
        "{}: the sizes of the launch {} could not be determined; a fault that occurs only with this launch "
        "is missed or reported as a warning",
        guess.contract.instances.at(0).launches.at(0).entry, launch.not_understood);
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

std::string entry_of(const GuessedKernel& guess) {
  return guess.contract.instances.at(0).launches.at(0).entry;
}

/// Keeps some instances of each template. Returns a note for each template whose other instances are left
/// out, by the first of those that remain.
std::map<std::string, std::string> keep_representatives(std::vector<GuessedKernel>& guesses,
                                                        std::size_t most) {
  std::vector<std::string> entries;
  for (const GuessedKernel& guess : guesses) entries.push_back(entry_of(guess));
  const std::vector<std::size_t> chosen = representative_instances(entries, most);
  std::map<std::string, std::vector<std::string>> left_out;  // by name
  std::vector<GuessedKernel> kept;
  for (std::size_t i = 0, next = 0; i < guesses.size(); ++i) {
    if (next < chosen.size() && chosen[next] == i) {
      kept.push_back(std::move(guesses[i]));
      ++next;
    } else {
      left_out[plain_name(entries[i])].push_back(entries[i]);
    }
  }
  guesses = std::move(kept);
  std::map<std::string, std::string> notes;
  for (const GuessedKernel& guess : guesses) {
    const auto missing = left_out.extract(plain_name(entry_of(guess)));
    if (missing.empty()) continue;
    notes[entry_of(guess)] =
        fmt::format("{} of the instances of {}, such as {}; to audit all, pass --entry \"{}\"",
                    missing.mapped().size(), missing.key(), missing.mapped().front(), missing.key());
  }
  return notes;
}

}  // namespace

std::vector<GuessedContract> guessed_contracts(const std::filesystem::path& source, const std::string& entry,
                                               const CompileOptions& options,
                                               const std::optional<Reference>& reference, std::size_t most) {
  std::vector<GuessedKernel> guesses = guess_kernels(source, entry, options, reference);
  std::map<std::string, std::string> left_out;
  if (entry.empty()) left_out = keep_representatives(guesses, most);
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
    return guess.image ? trialled(guess, devices.device_for(guess.image), most_of_trial(guesses.size()),
                                  reporter.so_far)
                       : "";
  };
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    GuessedContract& contract = contracts[task];
    if (guesses[task].image) conclude(outcome, guesses[task]);
    contract.is_out_of_time = outcome.ending == Outcome::Ending::out_of_time && outcome.so_far.empty();
    if (!contract.is_out_of_time && !guesses[task].contract.no_fit) time.has_contract();
  };
  if (!pool.run()) throw Interrupted{};
  for (std::size_t task = 0; task < guesses.size(); ++task) {
    contracts[task].not_audited = not_audited_of(guesses[task]);
    if (const auto note = left_out.find(entry_of(guesses[task])); note != left_out.end())
      contracts[task].not_audited.push_back(note->second);
    contracts[task].contract = std::move(guesses[task].contract);
    contracts[task].image = std::move(guesses[task].image);
  }
  return contracts;
}

}  // namespace foldproof
