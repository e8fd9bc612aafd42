// What callers must respect for a guess to explain what the kernel computes, found by launching it otherwise.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contracts/contract.h"
#include "contracts/guess.h"
#include "devices/runner.h"
#include "sanitizer/finding.h"

namespace foldproof {

struct Preconditions {
  /// What the domain has instead of its variable "block": names and ranges. Empty: the domain stays as it is.
  std::vector<std::pair<std::string, std::string>> block;
  /// The same for its sizes: numbers of elements or columns, and of threads if these depend on them.
  std::vector<std::pair<std::string, std::string>> counts;
  /// Variables and their new ranges: numbers of blocks or elements that the guess did not have, or had too
  /// many of, and those of a launch of the source.
  std::vector<std::pair<std::string, std::string>> limited;
  std::optional<std::uint64_t> shared;   ///< bytes of dynamic shared memory; absent: they stay
  bool is_aligned = false;               ///< callers align the input
  std::vector<std::string> assumptions;  ///< as those of a contract
  std::vector<Finding> warnings;         ///< what happens otherwise, with the condition and a case
};

/// Tries blocks of 1 to 1024 threads, whole warps and others, an input that is not aligned, and other numbers
/// of blocks (properties/grid_preconditions.h) and elements (properties/count_preconditions.h). A condition
/// on the size of blocks is one that an author could mean: at least or at most a power of two, a multiple of
/// 32, a power of two, or one size. What the launches of the source violate is left for the audit, which
/// reports it as an error; so is what happens with every block, and a race in every block of several warps.
Preconditions preconditions_of(const Contract& contract, const KnownBlocks& blocks,
                               const std::shared_ptr<const Image>& image, Runner& runner);

/// Changes the contract's first instance accordingly.
void add(const Preconditions& preconditions, Contract& contract);

}  // namespace foldproof
