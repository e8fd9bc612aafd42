// The ends of a format: subnormal, largest, infinite, and NaN.
#include "properties/inputs/fills.h"

namespace foldproof::inputs {

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
