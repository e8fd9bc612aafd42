#include "command/guessed_contracts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/interrupts.h"
#include "base/memory.h"
#include "base/task_pool.h"
#include "base/text.h"
#include "command/emulated.h"
#include "contracts/guess.h"
#include "properties/fit.h"

namespace foldproof {

namespace {

constexpr std::chrono::milliseconds longest_trial{10'000};

/// What a trial decides about a guess.
struct Choice {
  std::size_t candidate = 0;  ///< 0: the likeliest contract; k: the candidate k - 1
  std::uint32_t block = 0;    ///< 0: as guessed
  std::string no_fit = {};    ///< empty if a contract explains what the kernel computes

  std::string packed() const { return fmt::format("{}\n{}\n{}", candidate, block, no_fit); }

  static Choice unpacked(std::string_view text) {
    const auto number = [&] { return integer_in<std::uint32_t>(take_line(text)).value(); };
    Choice choice{number(), number()};
    choice.no_fit = text;
    return choice;
  }
};

Range& block_of(Contract& contract) {
  auto& domain = contract.instances.at(0).domain;
  return std::ranges::find(domain, "block", &std::pair<std::string, Range>::first)->second;
}

void apply_candidate(GuessedKernel& guess, std::size_t number) {
  if (number == 0) return;
  std::vector<Candidate> candidates = guess.candidates();
  Candidate& chosen = candidates.at(number - 1);
  guess.contract.instances.front() = std::move(chosen.instance);
  guess.contract.assumptions = std::move(chosen.assumptions);
  guess.contract.no_fit.reset();
}

/// The number of the contract that explains most runs, and how well it does.
std::pair<std::size_t, Fit> best_of(const GuessedKernel& guess, const Fit& likeliest, Runner& runner) {
  std::pair<std::size_t, Fit> best{0, likeliest};
  if (likeliest.is_complete() || likeliest.does_not_end) return best;
  const std::vector<Candidate> candidates = guess.candidates();
  for (std::size_t k = 0; k < candidates.size() && !best.second.is_complete(); ++k) {
    try {
      Fit fit = fit_of(guess.contract, candidates[k].instance, guess.image, runner);
      // The kernel may be wrong: one that contradicts its name must do so in every run, and a tail that is
      // lost must not be supposed away.
      const Candidate& candidate = candidates[k];
      const bool is_acceptable = candidate.is_named ? fit.is_convincing() : fit.is_complete();
      const bool hides_faults = candidate.is_narrow && likeliest.is_convincing();
      if (is_acceptable && !hides_faults && fit.explained > best.second.explained)
        best = {k + 1, std::move(fit)};
    } catch (const InputError&) {  // a type that the operator's checker does not support
    }
  }
  return best;
}

std::string why_none_fits(const Contract& contract, const Fit& likeliest) {
  return fmt::format(
      "no contract explains the results of trial runs; with the operator {}, for example: {}; say what the "
      "kernel "
      "computes with --as, or correct the contract that `foldproof init` writes",
      name(contract.instances.front().reduction->op), likeliest.mismatch);
}

Choice tried(GuessedKernel guess, Runner& runner) {
  Choice choice;
  const Fit likeliest = guess.contract.no_fit
                            ? Fit{}
                            : fit_of(guess.contract, guess.contract.instances.front(), guess.image, runner);
  const auto [candidate, best] = best_of(guess, likeliest, runner);
  if (!best.is_convincing() && guess.contract.no_fit) return choice;
  // Otherwise the kernel is wrong, not the guess.
  const bool is_said = !guess.contract.as.empty();
  const bool is_known = is_said || guess.is_named || likeliest.always_misbehaves || likeliest.does_not_end;
  if (!best.is_convincing() && !is_known) choice.no_fit = why_none_fits(guess.contract, likeliest);
  choice.candidate = candidate;
  apply_candidate(guess, candidate);
  // A block that is given by a variable depends on the length of a row.
  if (candidate == 0 && !best.is_complete() && block_of(guess.contract).low.names().empty())
    choice.block = fitting_block(guess.contract, guess.image, runner).value_or(0);
  return choice;
}

void apply(const Choice& choice, GuessedKernel& guess) {
  apply_candidate(guess, choice.candidate);
  if (!choice.no_fit.empty()) guess.contract.no_fit = NoFit{choice.no_fit, {}};
  if (choice.block == 0) return;
  Range& block = block_of(guess.contract);
  guess.contract.assumptions.push_back(
      fmt::format("callers that use smaller blocks (blocks of {} threads access memory out of bounds)",
                  block.low.text()));
  block = Range::parse(std::to_string(choice.block), {});
}

}  // namespace

std::vector<GuessedContract> guessed_contracts(const std::filesystem::path& source, const std::string& entry,
                                               const CompileOptions& options,
                                               const std::optional<Reference>& reference) {
  std::vector<GuessedKernel> guesses = guess_kernels(source, entry, options, reference);
  std::unique_ptr<Runner> runner;
  const Image* loaded = nullptr;
  const auto runner_of = [&](const GuessedKernel& guess) -> Runner& {
    if (!runner || guess.image.get() != loaded) runner = checked_runner();
    loaded = guess.image.get();
    return *runner;
  };
  TaskPool pool;
  pool.tasks = guesses.size();
  pool.memory = memory_share(1, 1);
  pool.deadline = options.deadline;
  pool.patience = [](std::size_t) { return std::optional(longest_trial); };
  pool.may_share_process = [](std::size_t) { return true; };
  pool.work = [&](std::size_t task, const auto&) {
    const GuessedKernel& guess = guesses[task];
    return guess.image ? tried(guess, runner_of(guess)).packed() : Choice{}.packed();
  };
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    // The audit reports anything else that goes wrong.
    if (outcome.ending == Outcome::Ending::finished) apply(Choice::unpacked(outcome.text), guesses[task]);
  };
  if (!pool.run()) throw Interrupted{};
  std::vector<GuessedContract> contracts;
  for (GuessedKernel& guess : guesses)
    contracts.push_back({std::move(guess.contract), std::move(guess.image)});
  return contracts;
}

}  // namespace foldproof
