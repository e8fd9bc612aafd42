// Reduces a failing case to a small, readable one that fails in the same way.
#pragma once

#include <cstdint>
#include <functional>

#include "properties/case.h"
#include "properties/generation/domain.h"

namespace foldproof {

/// The budget of shrinking. Counted, not timed, so that the same failure always ends in the same case.
struct ShrinkBudget {
  std::uint64_t runs = 400;
  std::uint64_t cost = 100'000'000;
};

/// Whether a case still fails in the same way; adds its cost to `cost`.
using StillFails = std::function<bool(const Case& c, std::uint64_t& cost)>;

/// The elements of a case's input as bits.
using InputBits = std::function<std::vector<std::uint64_t>(const Case& c)>;

/// Shrinks the description first (relation, transforms, calls, order, offset, variables, distribution, seed),
/// along RapidCheck's shrink trees; then the elements: those that are not needed become zero, the rest become
/// one if possible.
Case shrink(const Case& failing, const Domain& domain, const Instance& instance, const StillFails& fails,
            const InputBits& input, ShrinkBudget budget = {});

}  // namespace foldproof
