// The case that stands for an instance where one is enough: for counting what a kernel does.
#pragma once

#include <cstdint>

#include "contracts/contract.h"
#include "properties/case.h"

namespace foldproof {

/// `elements` (at most `largest_count`), uniform, and blocks of `threads`, or what the contract admits that
/// comes nearest. A grid that is free has a block for each 16 elements a thread, a free cluster 8
/// blocks. What else is free is chosen for the sake of the count and the block's size, or has its least
/// value.
Case representative_case(const Instance& instance, std::uint64_t largest_count,
                         std::int64_t elements = 1 << 16, std::int64_t threads = 256);

}  // namespace foldproof
