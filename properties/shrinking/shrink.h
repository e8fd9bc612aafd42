// From a failing case to a small one that fails the same way and that a person can read.
#pragma once

#include <cstdint>
#include <functional>

#include "properties/case.h"
#include "properties/generation/domain.h"

namespace foldproof {

/// What shrinking may spend. Counted, not timed, so that the same failure always ends in the same case.
struct ShrinkBudget {
  std::uint64_t runs = 400;
  std::uint64_t cost = 100'000'000;
};

/// Whether a case still fails the same way; adds what it cost to `cost`.
using StillFails = std::function<bool(const Case& c, std::uint64_t& cost)>;

/// The elements of a case's input as bits.
using InputBits = std::function<std::vector<std::uint64_t>(const Case& c)>;

/// Shrinks the distribution first (relation, transforms, calls, order, offset, variables, distribution,
/// seed), along RapidCheck's shrink trees; then the elements: those that are not needed become zero, the rest
/// become one where they may.
Case shrink(const Case& failing, const Domain& domain, const Instance& instance, const StillFails& fails,
            const InputBits& input, ShrinkBudget budget = {});

}  // namespace foldproof
