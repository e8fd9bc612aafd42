// Reals enclosed by two dyadic numbers, and functions whose results are not dyadic.
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

/// The largest |x| of the numbers in the enclosure.
inline Dyadic largest_magnitude(const Enclosure& x) { return larger(abs(x.low), abs(x.high)); }

/// x rounded to at most `bits` significant bits, towards minus or plus infinity.
Dyadic rounded_down(const Dyadic& x, unsigned bits);
Dyadic rounded_up(const Dyadic& x, unsigned bits);
/// Bits that a sum needs besides those of its terms, for the rounding of up to 2^64 additions.
constexpr unsigned sum_guard_bits = 64;
/// Rounds both ends outwards.
Enclosure shortened(const Enclosure& x, unsigned bits);

/// a / b for an enclosure b that does not contain zero; its ends are correct to `bits` bits.
Enclosure quotient(const Enclosure& a, const Enclosure& b, unsigned bits);
/// The square root of a nonnegative enclosure.
Enclosure square_root(const Enclosure& x, unsigned bits);

/// The maximum number of bits with which e^x and ln x are computed.
constexpr unsigned max_transcendental_bits = 2048;
/// e^x, for x up to 2^20. Below -2^20, an enclosure between 0 and 2^-(2^20).
Enclosure exponential(const Enclosure& x, unsigned bits);
/// The natural logarithm of a positive enclosure.
Enclosure logarithm(const Enclosure& x, unsigned bits);

/// The element to which every real in the enclosure rounds, ties to even; nothing if there are several.
std::optional<std::uint64_t> rounded(Element element, const Enclosure& x);

}  // namespace foldproof
