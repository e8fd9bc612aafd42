#include "oracles/bounds.h"

namespace foldproof {
namespace {

using Integer = Dyadic::Integer;

constexpr unsigned fraction_bits = 256;

Integer ceil_shift(const Integer& x, unsigned shift) { return (x + ((Integer(1) << shift) - 1)) >> shift; }

Dyadic unit_roundoff(int precision) { return Dyadic::power_of_two(-precision); }

Dyadic times(std::uint64_t count, const Dyadic& x) { return Dyadic(Integer(count), 0) * x; }

}  // namespace

std::optional<Dyadic> growth(std::uint64_t steps, int precision) {
  if (precision < 58 && (steps >> precision) > 32) return std::nullopt;
  // Fixed point with fraction_bits bits; u' = 1 / (2^p + 1), and every quotient and product is rounded up.
  const Integer one = Integer(1) << fraction_bits;
  const Integer divisor = (Integer(1) << static_cast<unsigned>(precision)) + 1;
  Integer base = one + (one + divisor - 1) / divisor;
  Integer power = one;
  for (std::uint64_t rest = steps; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) power = ceil_shift(power * base, fraction_bits);
    base = ceil_shift(base * base, fraction_bits);
  }
  return Dyadic(power - one, -static_cast<std::int64_t>(fraction_bits));
}

Dyadic sum_bound_any_order(std::uint64_t terms, int precision, const Dyadic& magnitude) {
  if (terms < 2) return {};
  return times(terms - 1, unit_roundoff(precision) * magnitude);
}

Dyadic dot_bound_any_order(std::uint64_t terms, Element accumulator, const Dyadic& magnitude) {
  const FloatFormat& format = float_format(accumulator);
  return times(
      terms, unit_roundoff(format.precision) * magnitude + Dyadic::power_of_two(format.lowest_exponent - 1));
}

std::optional<Dyadic> sum_bound_of_height(std::uint64_t height, int precision, const Dyadic& magnitude) {
  const auto relative = growth(height, precision);
  if (!relative) return std::nullopt;
  return *relative * magnitude;
}

std::optional<Dyadic> sum_bound_with_flush(std::uint64_t terms, Element accumulator,
                                           const Dyadic& magnitude) {
  if (terms == 0) return Dyadic{};
  const FloatFormat& format = float_format(accumulator);
  const auto relative = growth(terms - 1, format.precision);
  if (!relative) return std::nullopt;
  const Dyadic smallest_normal = Dyadic::power_of_two(format.normal_exponent());
  const Dyadic lost = times(2 * terms - 1, smallest_normal);
  return *relative * magnitude + (*relative + Dyadic(1, 0)) * lost;
}

Dyadic conversion_bound(std::uint64_t terms, Element accumulator, const Dyadic& magnitude) {
  const FloatFormat& format = float_format(accumulator);
  return unit_roundoff(format.precision) * magnitude +
         times(terms, Dyadic::power_of_two(format.lowest_exponent - 1));
}

}  // namespace foldproof
