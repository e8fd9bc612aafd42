// Sums, means, variances and norms, from exact sums.
#pragma once

#include <cstddef>
#include <span>

#include "oracles/references/reference.h"

namespace foldproof {

/// The sum as IEEE 754 has it: infinities of both signs give NaN, nothing but -0 gives -0, nothing +0.
Reference sum(Element element, std::span<const std::byte> elements);

/// The sum divided by the count; NaN of nothing.
Reference mean(Element element, std::span<const std::byte> elements);

/// What the sum of squared deviations is divided by.
enum class Variance : std::uint8_t { population, sample };  ///< n, n - 1
/// NaN of nothing, of one value as a sample, and where the input holds an infinity.
Reference variance(Element element, std::span<const std::byte> elements, Variance kind);

/// The square root of the sum of squares; +inf where the input holds an infinity and no NaN, +0 of nothing.
Reference norm(Element element, std::span<const std::byte> elements);

}  // namespace foldproof
