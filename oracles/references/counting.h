// Histograms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracles/dyadic.h"

namespace foldproof {

struct Histogram {
  std::vector<std::uint64_t> bins;
  std::uint64_t below = 0, above = 0;  ///< outside all bins, infinities included
  std::uint64_t nan = 0;
};

/// Counts elements: bin k holds edges[k] <= x < edges[k + 1]. `edges` ascend strictly; there are one more
/// than bins. For elements that are themselves bin numbers the edges are 0, 1, 2, ….
Histogram histogram(Element element, std::span<const std::byte> elements, std::span<const Dyadic> edges);

}  // namespace foldproof
