// Segmented reductions: the same reduction over several parts of one input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oracles/formats.h"

namespace foldproof {

/// Segment k holds the elements from offsets[k] up to offsets[k + 1]; it may be empty. Throws
/// std::invalid_argument where offsets descend or pass the input.
std::vector<std::span<const std::byte>> segments(Element element, std::span<const std::byte> elements,
                                                 std::span<const std::uint64_t> offsets);

/// A reference for each segment: `reduce` as any function of references.h, called with (element, elements).
template <class F>
auto segmented(Element element, std::span<const std::byte> elements, std::span<const std::uint64_t> offsets,
               F reduce) {
  std::vector<decltype(reduce(element, elements))> results;
  for (const std::span<const std::byte> segment : segments(element, elements, offsets))
    results.push_back(reduce(element, segment));
  return results;
}

}  // namespace foldproof
