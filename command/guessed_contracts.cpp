#include "command/guessed_contracts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/interrupts.h"
#include "base/memory.h"
#include "base/task_pool.h"
#include "base/text.h"
#include "command/emulated.h"
#include "contracts/guess.h"
#include "properties/fit.h"
#include "properties/fitting_block.h"

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

/// Whether the candidate does not hide that the kernel may be wrong.
bool is_acceptable(const GuessedKernel& guess, const Fit& likeliest, const Candidate& candidate,
                   const Fit& fit, Runner& runner) {
  const bool explains_all = candidate.keeps_operator || fit.is_complete();
  const bool hides_tail = candidate.is_narrow && likeliest.is_convincing();
  if (!explains_all || hides_tail) return false;
  return !candidate.doubles_shared ||
         (!guess.contract.no_fit && leaves_memory_by_warps(guess.contract, guess.image, runner));
}

/// The number of the contract that explains most runs, and how well it does.
std::pair<std::size_t, Fit> best_of(const GuessedKernel& guess, const Fit& likeliest, Runner& runner) {
  std::pair<std::size_t, Fit> best{0, likeliest};
  if (likeliest.is_complete() || likeliest.does_not_end) return best;
  const std::vector<Candidate> candidates = guess.candidates();
  for (std::size_t k = 0; k < candidates.size() && !best.second.is_complete(); ++k) {
    try {
      Fit fit = fit_of(guess.contract, candidates[k].instance, guess.image, runner);
      if (fit.explained > best.second.explained && fit.is_convincing() &&
          is_acceptable(guess, likeliest, candidates[k], fit, runner))
        best = {k + 1, std::move(fit)};
    } catch (const InputError&) {  // a type that the operator's checker does not support
    }
  }
  return best;
}

std::string why_none_fits(const Contract& contract, const std::string& mismatch) {
  return fmt::format(
      "no contract explains the results of trial runs; with the operator {}, for example: {}; say what the "
      "kernel computes with --as, or correct the contract that `foldproof init` writes",
      name(contract.instances.front().reduction->op), mismatch);
}

/// Whether what a trial shows is a fault of the kernel: the user or its name says what it computes.
bool is_known(const GuessedKernel& guess) { return !guess.contract.as.empty() || guess.is_named; }

Choice tried(GuessedKernel guess, Runner& runner) {
  Choice choice;
  const Fit likeliest = guess.contract.no_fit
                            ? Fit{}
                            : fit_of(guess.contract, guess.contract.instances.front(), guess.image, runner);
  const auto [candidate, best] = best_of(guess, likeliest, runner);
  if (!best.is_convincing() && guess.contract.no_fit) return choice;
  choice.candidate = candidate;
  if (candidate != 0 || likeliest.is_complete()) return choice;
  // A block that is given by a variable depends on the length of a row.
  if (block_of(guess.contract).low.names().empty())
    choice.block = fitting_block(guess.contract, guess.image, runner).value_or(0);
  const bool is_contradicted = !likeliest.is_convincing() && !likeliest.mismatch.empty() && choice.block == 0;
  if (is_contradicted && !is_known(guess) && !likeliest.always_misbehaves)
    choice.no_fit = why_none_fits(guess.contract, likeliest.mismatch);
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
    using Ending = Outcome::Ending;
    if (outcome.ending == Ending::finished) return apply(Choice::unpacked(outcome.text), guesses[task]);
    // The audit reports anything else that goes wrong.
    Contract& contract = guesses[task].contract;
    if (outcome.ending == Ending::too_slow && !contract.no_fit && !is_known(guesses[task]))
      contract.no_fit = NoFit{why_none_fits(contract, "the trial runs took more than 10 s"), {}};
  };
  if (!pool.run()) throw Interrupted{};
  std::vector<GuessedContract> contracts;
  for (GuessedKernel& guess : guesses)
    contracts.push_back({std::move(guess.contract), std::move(guess.image)});
  return contracts;
}

}  // namespace foldproof
