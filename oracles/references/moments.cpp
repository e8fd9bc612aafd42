#include "oracles/references/moments.h"

#include "oracles/dyadic.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

/// a / b; b is positive.
Reference ratio_of(Dyadic a, Dyadic b) {
  if (a.is_zero()) return Reference::zero();
  return Reference::real(
      [a = std::move(a), b = std::move(b)](unsigned bits) { return quotient(a, b, bits); });
}

}  // namespace

Reference sum(Element element, std::span<const std::byte> elements) {
  const Tally t = tally(element, elements);
  if (t.specials.give_nan()) return Reference::nan();
  if (t.specials.give_infinity()) return Reference::infinity(t.specials.negative_infinity);
  if (t.nonzero == 0) return Reference::zero(t.count != 0 && t.negative_zeros == t.count);
  return Reference::exactly(t.sum());
}

Reference mean(Element element, std::span<const std::byte> elements) {
  const Reference total = sum(element, elements);
  const std::uint64_t count = elements.size() / size_of(element);
  if (count == 0) return Reference::nan();
  const Dyadic exact = total.enclosure().low;
  return !total.is_finite() || exact.is_zero() ? total : ratio_of(exact, whole(count));
}

Reference variance(Element element, std::span<const std::byte> elements, std::uint64_t correction) {
  const Tally values = tally(element, elements), squares = tally_products(element, elements, elements);
  const std::uint64_t n = values.count;
  if (n <= correction || values.specials.nan || values.specials.have_infinity()) return Reference::nan();
  return ratio_of(whole(n) * squares.sum() - values.sum() * values.sum(), whole(n) * whole(n - correction));
}

Reference norm(Element element, std::span<const std::byte> elements) {
  const Tally squares = tally_products(element, elements, elements);
  if (squares.specials.nan) return Reference::nan();
  if (squares.specials.have_infinity()) return Reference::infinity(false);
  if (squares.nonzero == 0) return Reference::zero();
  return Reference::real([sum = squares.sum()](unsigned bits) { return square_root(sum, bits); });
}

}  // namespace foldproof
