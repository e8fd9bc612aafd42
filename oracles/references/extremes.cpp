#include "oracles/references/extremes.h"

#include <algorithm>
#include <numeric>

namespace foldproof {
namespace {

bool precedes(Operator op, std::int64_t a, std::int64_t b) { return op == Operator::max ? a > b : a < b; }

/// order_key, with NaN above all.
struct Key {
  bool nan = false;
  std::int64_t order = 0;
};

Key key_of(Element element, std::uint64_t bits) {
  if (decode(element, bits).is_nan()) return {true, 0};
  return {false, order_key(element, bits)};
}

}  // namespace

std::optional<Extreme> extreme(Operator op, Element element, std::span<const std::byte> elements,
                               NanPolicy nan) {
  std::optional<Extreme> best;
  std::optional<Extreme> first_nan;
  std::int64_t best_order = 0;
  for (std::size_t i = 0; i < elements.size() / size_of(element); ++i) {
    const std::uint64_t bits = load(element, elements, i);
    const Key key = key_of(element, bits);
    if (key.nan) {
      if (!first_nan) first_nan = Extreme{bits, i, i};
      first_nan->last = i;
    } else if (!best || precedes(op, key.order, best_order)) {
      best = Extreme{bits, i, i};
      best_order = key.order;
    } else if (key.order == best_order) {
      best->last = i;
    }
  }
  return first_nan && nan != NanPolicy::ignore ? first_nan : best;
}

bool has_subnormal(Element element, std::span<const std::byte> elements) {
  for (std::size_t i = 0; i < elements.size() / size_of(element); ++i)
    if (is_subnormal(element, load(element, elements, i))) return true;
  return false;
}

std::vector<std::size_t> top_k(Operator op, Element element, std::span<const std::byte> elements,
                               std::size_t k) {
  std::vector<Key> keys(elements.size() / size_of(element));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(element, load(element, elements, i));
  std::vector<std::size_t> indices(keys.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  std::ranges::stable_sort(indices, [&](std::size_t a, std::size_t b) {
    if (keys[a].nan != keys[b].nan) return keys[a].nan == (op == Operator::max);
    return !keys[a].nan && precedes(op, keys[a].order, keys[b].order);
  });
  indices.resize(std::min(k, indices.size()));
  return indices;
}

}  // namespace foldproof
