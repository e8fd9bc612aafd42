#include "oracles/bounds.h"

#include <fmt/format.h>

#include "oracles/dyadic.h"

namespace foldproof {
namespace {

using Integer = Dyadic::Integer;

constexpr unsigned fraction_bits = 256;

Integer ceil_shift(const Integer& x, unsigned shift) { return (x + ((Integer(1) << shift) - 1)) >> shift; }

/// v in units of 2^-fraction_bits, rounded up.
Integer one_step(int precision, Rounding rounding) {
  const Integer one = Integer(1) << fraction_bits;
  if (rounding == Rounding::faithful) return ceil_shift(one, static_cast<unsigned>(precision - 1));
  const Integer divisor = (Integer(1) << static_cast<unsigned>(precision)) + 1;  // u' = 1 / (2^p + 1)
  return (one + divisor - 1) / divisor;
}

}  // namespace

Bound growth(std::uint64_t steps, int precision, Rounding rounding) {
  if (precision < 58 && (steps >> precision) > 32)
    return Bound::none(fmt::format("{} successive operations with {} bits of precision may lose every digit",
                                   steps, precision));
  // Fixed point with fraction_bits bits; every quotient and product is rounded up.
  const Integer one = Integer(1) << fraction_bits;
  Integer base = one + one_step(precision, rounding);
  Integer power = one;
  for (std::uint64_t rest = steps; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) power = ceil_shift(power * base, fraction_bits);
    base = ceil_shift(base * base, fraction_bits);
  }
  return Dyadic(power - one, -static_cast<std::int64_t>(fraction_bits));
}

Bound growth(std::span<const Roundings> path, Rounding rounding) {
  Dyadic factor = whole(1);
  for (const Roundings& part : path) {
    Bound grown = growth(part.steps, part.precision, rounding);
    if (!grown) return grown;
    factor = factor * (*grown + whole(1));
  }
  return factor - whole(1);
}

Bound sharper(Bound a, Bound b) {
  if (!a) return b;
  if (!b) return a;
  return *b < *a ? b : a;
}

Bound output_bound(const Dyadic& exact, const Dyadic& bound, const FloatFormat& output) {
  return bound + half(ulp(output, abs(exact) + bound));
}

}  // namespace foldproof
