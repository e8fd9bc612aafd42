// Ordinary magnitudes, magnitudes spread over the format, and its ends: subnormal, largest, infinite, and
// NaN.
#include <algorithm>
#include <bit>
#include <cmath>

#include "oracles/formats.h"
#include "properties/inputs/elements.h"

namespace foldproof::inputs {

void take_magnitudes(Elements& x) {
  if (!x.floating()) return;
  const std::uint64_t sign = sign_bit(x.element());
  for (std::size_t i = 0; i < x.size(); ++i) x.set_bits(i, x.bits(i) & ~sign);
}

void fill_negative(Elements& x) {
  const int bits = static_cast<int>(size_of(x.element())) * 8;
  const int exponent = x.floating() ? static_cast<int>(x.random.below(7)) : bits - 2;
  const double scale = std::ldexp(1.0, exponent);
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, -scale * (1 + x.random.unit()));
}

void fill_uniform(Elements& x) {
  const bool product = x.op() == Operator::prod && x.floating();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!x.floating())
      x.set_bits(i, x.random.next());
    else if (product)
      x.set(i, (x.random.flip() ? -1 : 1) * std::ldexp(1 + x.random.unit(), -static_cast<int>(i % 2)));
    else
      x.set(i, x.random.symmetric());
  }
}

void fill_positive(Elements& x) {
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, x.random.unit());
}

void fill_alternating(Elements& x) {
  const double large = x.floating() ? std::ldexp(1.0, std::min(x.precision() / 2, 6)) : 100;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double magnitude = (i % 2 == 0 ? large : 1 / large) * (1 + x.random.unit());
    x.set(i, i % 4 < 2 ? magnitude : -magnitude);
  }
}

void fill_sorted(Elements& x) {
  const bool ascending = x.random.flip();
  const int top = std::min(x.precision(), x.format().highest_exponent);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t rank = ascending ? i : x.size() - 1 - i;
    const double exponent =
        static_cast<double>(top) * static_cast<double>(rank) / static_cast<double>(x.size()) - top / 2.0;
    x.set(i, std::ldexp(1 + x.random.unit(), static_cast<int>(exponent)));
  }
}

void fill_exponents(Elements& x) {
  const FloatFormat& format = x.format();
  const int below_leading = format.precision - 1;
  const int headroom = x.op() == Operator::sum ? static_cast<int>(std::bit_width(x.size())) + 2 : 0;
  const int highest = std::max(format.lowest_exponent, format.highest_exponent + below_leading - headroom);
  const std::uint64_t leading_bit = std::uint64_t{1} << below_leading;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t significand = leading_bit | (x.random.next() & (leading_bit - 1));
    const auto leading = static_cast<int>(x.random.between(format.lowest_exponent, highest));
    x.set(i, Number{Number::Category::finite, x.random.flip(), significand, leading - below_leading});
  }
}

void fill_codes(Elements& x) {
  const auto is_finite = [&](std::uint64_t bits) { return decode(x.element(), bits).is_finite(); };
  std::vector<std::uint64_t> finite;
  for (std::uint64_t bits = 0; size_of(x.element()) == 1 && bits <= code_mask(x.element()); ++bits)
    if (is_finite(bits)) finite.push_back(bits);
  const std::uint64_t first = x.random.next();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!finite.empty()) {
      x.set_bits(i, finite[(first + i) % finite.size()]);
      continue;
    }
    do x.set_bits(i, x.random.next());
    while (!is_finite(x.bits(i)));
  }
}

void fill_subnormals(Elements& x) {
  const FloatFormat& format = x.format();
  const std::uint64_t smallest_normal = std::uint64_t{1} << (format.precision - 1);
  const bool crosses = x.seed() % 2 != 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t significand = crosses && x.random.below(4) == 0
                                          ? smallest_normal + x.random.below(2) - x.random.below(2)
                                          : x.random.below(smallest_normal);
    const std::uint64_t subnormal = 1 + significand % (smallest_normal - 1);  // for the first element
    x.set(i, Number{Number::Category::finite, x.random.flip(), i == 0 ? subnormal : significand,
                    format.lowest_exponent});
  }
}

void fill_overflow(Elements& x) {
  const FloatFormat& format = x.format();
  for (std::size_t i = 0; i < x.size(); ++i)
    x.set(i,
          Number{Number::Category::finite, i % 4 >= 2, format.largest_significand, format.highest_exponent});
}

void fill_extremes(Elements& x) {
  const std::uint64_t top = identity(Operator::min, x.element()),
                      bottom = identity(Operator::max, x.element());
  for (std::size_t i = 0; i < x.size(); ++i) {
    switch (x.random.below(5)) {
      case 0: x.floating() ? x.set_power(i, x.format().lowest_exponent) : x.set_bits(i, top); break;
      case 1: x.floating() ? x.set_power(i, x.format().lowest_exponent, true) : x.set_bits(i, bottom); break;
      case 2:
        x.floating() ? x.set_power(i, x.format().highest_exponent, true) : x.set_bits(i, ~std::uint64_t{0});
        break;
      case 3: x.set(i, 1.0); break;
      default: x.set(i, 0.0); break;
    }
  }
}

void fill_neighbours(Elements& x) {
  if (x.size() == 0) return;
  // In e2m1, more would change the sign.
  const bool is_tiny = x.floating() && x.format().precision <= 2;
  const std::uint64_t spread = is_tiny || x.random.flip() ? 1 : 7;
  x.set(0, x.random.symmetric());
  std::uint64_t base = x.bits(0);
  if (!x.floating())
    base = x.op() == Operator::min || !x.has_sign() ? identity(Operator::min, x.element()) - spread
                                                    : identity(Operator::max, x.element());
  for (std::size_t i = 0; i < x.size(); ++i) x.set_bits(i, base + x.random.below(spread + 1));
  // A wrong comparison often keeps the first element.
  x.set_bits(0, x.op() == Operator::min ? base + spread : base);
}

void fill_infinities(Elements& x) {
  const std::uint64_t plus = identity(Operator::min, x.element()),
                      minus = identity(Operator::max, x.element());
  const std::uint64_t mix = x.random.below(5);  // only -inf, only inf, some -inf, some inf, both
  fill_uniform(x);
  if (mix < 2)
    for (std::size_t i = 0; i < x.size(); ++i) x.set_bits(i, mix == 0 ? minus : plus);
  for (int planted = 0; mix >= 2 && planted < 2 && x.size() != 0; ++planted)
    x.set_bits(x.informative_index(x.size()), mix == 2 || (mix == 4 && planted == 0) ? minus : plus);
}

void fill_nans(Elements& x) {
  fill_uniform(x);
  const Number nan{Number::Category::nan, false, 0, 0};
  if (x.random.below(3) == 0) {  // next to a NaN wherever the extremum is
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x.random.flip()) x.set(i, nan);
    return;
  }
  const std::uint64_t planted = 1 + x.random.below(3);
  for (std::uint64_t i = 0; i < planted && x.size() != 0; ++i) x.set(x.informative_index(x.size()), nan);
}

}  // namespace foldproof::inputs
