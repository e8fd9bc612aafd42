// Reals between two dyadic numbers, and the functions that leave the dyadic numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "oracles/dyadic.h"

namespace foldproof {

/// Some real x with low <= x <= high.
struct Enclosure {
  Dyadic low, high;

  Enclosure() = default;
  Enclosure(Dyadic x) : low(x), high(std::move(x)) {}  // NOLINT(google-explicit-constructor): one exact real
  Enclosure(Dyadic lowest, Dyadic highest) : low(std::move(lowest)), high(std::move(highest)) {}

  bool is_exact() const { return low == high; }
  Enclosure operator-() const { return {-high, -low}; }
  friend Enclosure operator+(const Enclosure& a, const Enclosure& b) {
    return {a.low + b.low, a.high + b.high};
  }
  friend Enclosure operator-(const Enclosure& a, const Enclosure& b) { return a + -b; }
  friend Enclosure operator*(const Enclosure& a, const Enclosure& b);
};

/// x with at most so many significant bits, towards minus or plus infinity.
Dyadic rounded_down(const Dyadic& x, unsigned bits);
Dyadic rounded_up(const Dyadic& x, unsigned bits);
/// Both ends, outwards.
Enclosure shortened(const Enclosure& x, unsigned bits);

/// a / b for an enclosure b without zero, its ends correct to so many bits.
Enclosure quotient(const Enclosure& a, const Enclosure& b, unsigned bits);
/// The square root of what is not negative.
Enclosure square_root(const Enclosure& x, unsigned bits);

/// The most bits that e^x and ln x are computed with.
constexpr unsigned most_transcendental_bits = 2048;
/// e^x, for x up to 2^20. Below -2^20 an enclosure between 0 and 2^-(2^20).
Enclosure exponential(const Enclosure& x, unsigned bits);
/// The natural logarithm of what is positive.
Enclosure logarithm(const Enclosure& x, unsigned bits);

/// The element to which every real of the enclosure is rounded, ties to even; nothing where there are
/// several.
std::optional<std::uint64_t> rounded(Element element, const Enclosure& x);

}  // namespace foldproof
