// e^x and ln x by Boost.Multiprecision, in the smallest of four precisions that has guard_bits to spare.
// Boost guarantees errors of a few units in the last place; the enclosures allow 2^(guard_bits / 2) units.
#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "oracles/exact/enclosure.h"

namespace foldproof {
namespace {

namespace mp = boost::multiprecision;
using Integer = Dyadic::Integer;

constexpr unsigned guard_bits = 64;
constexpr std::int64_t largest_exponent = 20;  ///< for arguments of e^x

template <unsigned bits>
using Binary = mp::number<mp::cpp_bin_float<bits, mp::digit_base_2, void, std::int32_t>, mp::et_off>;

template <unsigned bits>
Binary<bits> to_binary(const Dyadic& x) {
  return ldexp(Binary<bits>(x.significand()), static_cast<int>(x.exponent()));
}

template <unsigned bits>
Dyadic to_dyadic(const Binary<bits>& x) {
  int exponent = 0;
  const Binary<bits> fraction = frexp(x, &exponent);
  return {static_cast<Integer>(ldexp(fraction, static_cast<int>(bits))),
          std::int64_t{exponent} - static_cast<std::int64_t>(bits)};
}

/// f(x) computed with `bits` bits, to within a relative error of 2^-(bits - guard_bits / 2).
template <unsigned bits, class F>
Enclosure around(const Dyadic& x, F f) {
  const Dyadic value = to_dyadic<bits>(f(to_binary<bits>(x)));
  const Dyadic margin = abs(value) * Dyadic::power_of_two(-static_cast<std::int64_t>(bits - guard_bits / 2));
  return {value - margin, value + margin};
}

template <class F>
Enclosure with_bits(const Dyadic& x, unsigned bits, F f) {
  if (bits <= 64) return around<64 + guard_bits>(x, f);
  if (bits <= 192) return around<192 + guard_bits>(x, f);
  if (bits <= 640) return around<640 + guard_bits>(x, f);
  return around<max_transcendental_bits + guard_bits>(x, f);
}

Enclosure exponential_of(const Dyadic& x, unsigned bits) {
  if (x.is_zero()) return Dyadic(1, 0);
  if (x.leading_exponent() >= largest_exponent)
    return {Dyadic{}, Dyadic::power_of_two(-(std::int64_t{1} << largest_exponent))};
  return with_bits(x, bits, [](const auto& y) { return decltype(y + 0)(exp(y)); });
}

/// ln x = ln m + e ln 2 with x = m 2^e and m near 1, so that no exponent is too large. Near 1, e is 0, so
/// that a logarithm near 0 keeps its digits.
Enclosure logarithm_of(const Dyadic& x, unsigned bits) {
  if (x == Dyadic(1, 0)) return Dyadic{};
  const auto log_of = [](const auto& y) { return decltype(y + 0)(log(y)); };
  std::int64_t e = x.leading_exponent();
  if (e == -1) e = 0;  // x in [1/2, 1)
  Enclosure fraction = with_bits({x.significand(), x.exponent() - e}, bits, log_of);
  if (e == 0) return fraction;
  return fraction + Enclosure(Dyadic(Integer(e), 0)) * with_bits(Dyadic(2, 0), bits, log_of);
}

/// Applies an increasing function to both ends of x, shortened to the function's precision.
template <class F>
Enclosure increasing(const Enclosure& x, unsigned bits, F f) {
  const unsigned used = std::min(bits, max_transcendental_bits);
  const Enclosure argument = shortened(x, used + guard_bits / 2);
  const Enclosure low = f(argument.low, used);
  return {low.low, argument.is_exact() ? low.high : f(argument.high, used).high};
}

}  // namespace

Enclosure exponential(const Enclosure& x, unsigned bits) { return increasing(x, bits, exponential_of); }
Enclosure logarithm(const Enclosure& x, unsigned bits) { return increasing(x, bits, logarithm_of); }

}  // namespace foldproof
