#include "oracles/exact/enclosure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace foldproof {
namespace {

using Integer = Dyadic::Integer;

/// The significand in units of 2^exponent, rounded towards minus infinity (integer division truncates).
Integer floor_at(const Dyadic& x, std::int64_t exponent) {
  if (x.exponent() >= exponent) return x.significand() << static_cast<unsigned>(x.exponent() - exponent);
  const auto shift = static_cast<unsigned>(exponent - x.exponent());
  const Integer magnitude = boost::multiprecision::abs(x.significand());
  if (!x.is_negative()) return magnitude >> shift;
  return -((magnitude + ((Integer(1) << shift) - 1)) >> shift);
}

/// Rounds towards minus infinity; b is positive.
Dyadic quotient_down(const Dyadic& a, const Dyadic& b, unsigned bits) {
  if (a.is_zero()) return {};
  const std::int64_t exponent = a.leading_exponent() - b.leading_exponent() - static_cast<std::int64_t>(bits);
  // a / b in units of 2^exponent: shift the numerator until the quotient has `bits` bits or one more.
  const std::int64_t shift = a.exponent() - b.exponent() - exponent;
  Integer numerator = boost::multiprecision::abs(a.significand()), denominator = b.significand();
  if (shift >= 0)
    numerator <<= static_cast<unsigned>(shift);
  else
    denominator <<= static_cast<unsigned>(-shift);
  Integer whole, rest;
  divide_qr(numerator, denominator, whole, rest);
  if (a.is_negative()) whole = -whole - (rest.is_zero() ? 0 : 1);
  return {whole, exponent};
}

Dyadic quotient_up(const Dyadic& a, const Dyadic& b, unsigned bits) { return -quotient_down(-a, b, bits); }

/// The largest integer whose square is at most x, which is positive: Newton's method from above. Boost's
/// function computes one bit per step, and took a sixth of the time of an audit of LayerNorm.
Integer root_below(const Integer& x) {
  constexpr unsigned exact_bits = 62;  // of x; its root is then right to 31 bits
  const unsigned bits = msb(x) + 1;
  const unsigned dropped = bits > exact_bits ? (bits - exact_bits + 1) / 2 * 2 : 0;
  const auto leading = static_cast<std::uint64_t>(x >> dropped);
  Integer root = Integer(static_cast<std::uint64_t>(std::sqrt(static_cast<double>(leading))) + 2)
                 << (dropped / 2);
  for (;;) {
    Integer next = (root + x / root) >> 1U;
    if (next >= root) return root;
    root = std::move(next);
  }
}

Enclosure root_of(const Dyadic& x, unsigned bits) {
  if (x.is_zero()) return Dyadic{};
  std::int64_t exponent = x.leading_exponent() - 2 * static_cast<std::int64_t>(bits);
  exponent -= exponent & 1;
  const Integer shifted = floor_at(x, exponent), root = root_below(shifted);
  const bool exact = root * root == shifted && Dyadic(shifted, exponent) == x;
  return {Dyadic(root, exponent / 2), Dyadic(exact ? root : root + 1, exponent / 2)};
}

}  // namespace

Enclosure operator*(const Enclosure& a, const Enclosure& b) {
  if (a.is_exact() && b.is_exact()) return Enclosure(a.low * b.low);
  const std::array<Dyadic, 4> ends{a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  const auto [low, high] = std::minmax_element(ends.begin(), ends.end());
  return {*low, *high};
}

Dyadic rounded_down(const Dyadic& x, unsigned bits) {
  if (x.is_zero()) return {};
  const std::int64_t exponent = x.leading_exponent() + 1 - static_cast<std::int64_t>(bits);
  return exponent <= x.exponent() ? x : Dyadic(floor_at(x, exponent), exponent);
}

Dyadic rounded_up(const Dyadic& x, unsigned bits) { return -rounded_down(-x, bits); }

Enclosure shortened(const Enclosure& x, unsigned bits) {
  return {rounded_down(x.low, bits), rounded_up(x.high, bits)};
}

Enclosure quotient(const Enclosure& a, const Enclosure& b, unsigned bits) {
  if (b.low.is_negative()) return quotient(-a, -b, bits);
  return {quotient_down(a.low, a.low.is_negative() ? b.low : b.high, bits),
          quotient_up(a.high, a.high.is_negative() ? b.high : b.low, bits)};
}

Enclosure square_root(const Enclosure& x, unsigned bits) {
  return {root_of(x.low, bits).low, root_of(x.high, bits).high};
}

std::optional<std::uint64_t> rounded(Element element, const Enclosure& x) {
  const std::uint64_t low = rounded(element, x.low), high = rounded(element, x.high);
  if (low != high) return std::nullopt;
  return low;
}

}  // namespace foldproof
