#include "oracles/references/product.h"

#include <bit>
#include <vector>

namespace foldproof {
namespace {

/// The product of significands without trailing zeros, its ends kept to a little more than so many bits.
Enclosure product_of(std::span<const std::uint64_t> significands, std::int64_t exponent, unsigned bits) {
  constexpr unsigned guard_bits = 64;  // for the rounding of up to 2^64 steps
  Enclosure product(Dyadic(1, 0));
  for (const std::uint64_t x : significands) {
    product = product * Enclosure(Dyadic(Dyadic::Integer(x), 0));
    product = shortened(product, bits + guard_bits);
  }
  return product * Enclosure(Dyadic::power_of_two(exponent));
}

}  // namespace

Reference product(Element element, std::span<const std::byte> elements) {
  bool negative = false, zero = false, infinite = false;
  std::vector<std::uint64_t> significands;  // powers of two apart
  std::int64_t exponent = 0;
  for (std::size_t i = 0; i < elements.size() / size_of(element); ++i) {
    const Number x = decode(element, load(element, elements, i));
    if (x.is_nan()) return Reference::nan();
    negative ^= x.negative;
    zero |= x.is_zero();
    infinite |= x.is_infinite();
    if (!x.is_finite() || x.is_zero()) continue;
    const int places = std::countr_zero(x.significand);
    exponent += x.exponent + places;
    if (x.significand >> places != 1) significands.push_back(x.significand >> places);
  }
  if (zero && infinite) return Reference::nan();
  if (infinite) return Reference::infinity(negative);
  if (zero) return Reference::zero(negative);
  return Reference::real([=, factors = std::move(significands)](unsigned bits) {
    const Enclosure magnitude = product_of(factors, exponent, bits);
    return negative ? -magnitude : magnitude;
  });
}

}  // namespace foldproof
