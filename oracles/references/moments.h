// Sums, means, variances and norms, from exact sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "oracles/references/reference.h"

namespace foldproof {

/// The sum following IEEE 754: infinities of both signs give NaN, only -0 gives -0, no elements give +0.
Reference sum(Element element, std::span<const std::byte> elements);

/// The sum divided by the count; NaN for no elements.
Reference mean(Element element, std::span<const std::byte> elements);

/// The sum of (x - mean)^2 divided by n - correction: 0 for a population, 1 for a sample. NaN if there are no
/// more elements than that, and if the input contains a NaN or an infinity.
Reference variance(Element element, std::span<const std::byte> elements, std::uint64_t correction = 0);

/// The square root of the sum of squares; +inf if the input contains an infinity and no NaN, +0 if it is
/// empty.
Reference norm(Element element, std::span<const std::byte> elements);

}  // namespace foldproof
