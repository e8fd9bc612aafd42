// What the sizes of a case must be, whatever the kernel does with them.
#pragma once

#include <cstdint>
#include <string_view>

#include "contracts/contract.h"

namespace foldproof {

constexpr std::int64_t most_threads_of_a_block = 1024;

/// Throws InputError, at its line of the contract, where something has a negative size, the input does not
/// consist of whole rows, a histogram has no bins, or the height that is claimed is negative. What cannot be
/// evaluated is left to those who need it.
void check_sizes(const Instance& instance, const Variables& variables);

/// The same for some cases with small values: a contract that contradicts itself does so for them.
void check_small_sizes(const Instance& instance);

/// The greatest value of a variable that the contract claims; 0 where the domain has none of that name.
std::int64_t greatest_claimed(const Instance& instance, std::string_view variable);

}  // namespace foldproof
