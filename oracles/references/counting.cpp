#include "oracles/references/counting.h"

#include <algorithm>

namespace foldproof {

Histogram histogram(Element element, std::span<const std::byte> elements, std::span<const Dyadic> edges) {
  Histogram result;
  result.bins.resize(edges.empty() ? 0 : edges.size() - 1);
  for (std::size_t i = 0; i < elements.size() / size_of(element); ++i) {
    const Number x = decode(element, load(element, elements, i));
    if (x.is_nan()) {
      ++result.nan;
      continue;
    }
    // How many edges are not above x.
    std::size_t reached = x.negative ? 0 : edges.size();
    if (x.is_finite())
      reached = static_cast<std::size_t>(std::ranges::upper_bound(edges, Dyadic(x)) - edges.begin());
    if (reached == 0)
      ++result.below;
    else if (reached == edges.size())
      ++result.above;
    else
      ++result.bins[reached - 1];
  }
  return result;
}

}  // namespace foldproof
