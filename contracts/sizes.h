// Requirements on the sizes of a case, for any kernel.
#pragma once

#include <cstdint>
#include <string_view>

#include "contracts/contract.h"

namespace foldproof {

constexpr std::int64_t most_threads_of_a_block = 1024;

/// Throws InputError, with the line of the contract, if a size is negative, the input does not consist of
/// whole rows, a histogram has no bins, or the claimed height is negative. An expression that cannot be
/// evaluated is not checked here; it is reported where it is needed.
void check_sizes(const Instance& instance, const Variables& variables);

/// The same for several cases with small values, which expose a contract that contradicts itself.
void check_small_sizes(const Instance& instance);

/// The largest value of a variable that the contract claims to serve; 0 if the domain has no such variable.
std::int64_t greatest_claimed(const Instance& instance, std::string_view variable);

}  // namespace foldproof
