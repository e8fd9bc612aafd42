// The smallest and largest elements with their indices, and the first few elements of an order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "oracles/number.h"
#include "oracles/operator.h"

namespace foldproof {

/// An element that no other one precedes. -0 and +0 are equal: either may be returned for the other.
struct Extreme {
  std::uint64_t bits = 0;
  std::size_t first = 0;  ///< index of the first such element; resolves ties unless a contract says otherwise
  std::size_t last = 0;   ///< index of the last
};

/// min, max, argmin and argmax: `op` is Operator::min or Operator::max. Nothing if there are no elements.
/// NaN: `propagate` and `unspecified` give the first NaN and its index; `ignore` gives nothing if all
/// elements are NaN.
std::optional<Extreme> extreme(Operator op, Element element, std::span<const std::byte> elements,
                               NanPolicy nan);

/// Whether an element is subnormal.
bool has_subnormal(Element element, std::span<const std::byte> elements);

/// Indices of the k largest (op max) or smallest (op min) elements, the best first, ties by lower index; all
/// indices if there are fewer. NaN is larger than every number.
std::vector<std::size_t> top_k(Operator op, Element element, std::span<const std::byte> elements,
                               std::size_t k);

}  // namespace foldproof
