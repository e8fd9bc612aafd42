// A representative case of an instance, for example for counting what a kernel does.
#pragma once

#include <cstdint>

#include "contracts/contract.h"
#include "properties/case.h"

namespace foldproof {

/// `elements` (at most `largest_count`) uniform elements and blocks of `threads` threads, or the nearest that
/// the contract admits. A free grid has one block per 16 elements per thread, a free cluster 8 blocks. Other
/// free variables are chosen to match the count and the block size, or have their smallest value.
Case representative_case(const Instance& instance, std::uint64_t largest_count,
                         std::int64_t elements = 1 << 16, std::int64_t threads = 256);

}  // namespace foldproof
