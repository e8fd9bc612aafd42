// Scans without intermediate rounding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/exact_sum.h"
#include "oracles/layout.h"

namespace foldproof {

/// For each element the exact sum of all preceding elements, and of itself in an inclusive scan, rounded once
/// to a format like ExactSum. `before` is the sum of the elements before these, so that a scan may be done in
/// parts; without it, an exclusive scan begins with +0.
template <class T>
std::vector<std::uint64_t> exact_prefix_sums(std::span<const T> values, Element to,
                                             ScanKind kind = ScanKind::inclusive, ExactSum<T> before = {}) {
  std::vector<std::uint64_t> sums;
  sums.reserve(values.size());
  for (const T value : values) {
    if (kind == ScanKind::exclusive) sums.push_back(before.rounded(to));
    before.add(value);
    if (kind == ScanKind::inclusive) sums.push_back(before.rounded(to));
  }
  return sums;
}

}  // namespace foldproof
