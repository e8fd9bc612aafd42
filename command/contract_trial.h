// Which contract a kernel without one has: trial runs decide between the likeliest and all other candidates.
#pragma once

#include <string>

#include "command/trial_result.h"
#include "contracts/guess.h"
#include "devices/runner.h"

namespace foldproof {

/// The choice, and the preconditions of the likeliest contract if they were needed for it. Throws
/// LimitReached (command/limited_runner.h) like the runner.
Trialled chosen_contract(const GuessedKernel& guess, Runner& runner);

/// Why no contract fits: what contradicts the one with this instance, and what to do, as a sentence.
std::string why_none_fits(const Instance& instance, const std::string& mismatch);

/// Whether what a trial shows is a fault of the kernel: the user or its name says what it computes.
bool is_known(const GuessedKernel& guess);

}  // namespace foldproof
