// What else a kernel could be than its name and instructions suggest.
#pragma once

#include <string>
#include <vector>

#include "contracts/guess.h"
#include "contracts/guessing/guesses.h"

namespace foldproof {

/// The kernel's name without namespaces and template arguments.
std::string last_name(const Kernel& kernel);

/// Whether the kernel's name, rather than that of its output, says what it computes.
bool says_operator(const Kernel& kernel);

/// Those of its template arguments that may be block sizes, or elements per thread: integers from 2 to 1024.
std::vector<std::uint32_t> template_integers(const Kernel& kernel);

/// First, what the user (`chosen`; null: nothing) or the name says, with everything that can be supposed
/// about the launch and the sizes; then, unless that is settled, every reference contract that the parameters
/// permit. Without repetitions: many suppositions make no difference to a kernel.
std::vector<Candidate> candidates_for(const Kernel& kernel, const Reference* chosen, bool is_settled);

}  // namespace foldproof
