// Inputs that provoke rounding errors.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "properties/inputs/fills.h"

namespace foldproof::inputs {

void fill_cancelling(Elements& x) {
  std::size_t i = 0;
  for (; i + 1 < x.size(); i += 2) {
    const double value = x.floating() ? std::ldexp(x.random.symmetric(), static_cast<int>(x.random.below(8)))
                                      : static_cast<double>(x.random.between(-100, 100));
    x.set(i, value);
    x.set(i + 1, -value);
  }
  if (i < x.size()) x.set(i, x.floating() ? 0x1p-8 : 1.0);
  x.shuffle();
}

void fill_stagnation(Elements& x) {
  const int large = std::min(x.precision(), x.format().highest_exponent + x.format().precision - 2);
  for (std::size_t i = 0; i < x.size(); ++i) x.set_power(i, i == 0 ? large : 0);
}

void fill_ladder(Elements& x) {
  const int half_ulp = std::max(-x.precision(), x.format().lowest_exponent + 2);
  const double u = std::ldexp(1.0, half_ulp);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double side = static_cast<double>(x.random.between(-1, 1)) * 0.25;
    x.set(i, i == 0 ? 1.0 : u * (1 + side * x.random.unit()));
  }
}

void fill_ties(Elements& x) {
  // The elements must be able to represent the tie; otherwise their own format is used.
  const Element target = includes(x.element(), x.output()) ? x.output() : x.element();
  const FloatFormat& format = float_format(target);
  const bool overflows = x.random.flip(), negative = x.random.flip();
  const Number base = overflows ? Number{Number::Category::finite, negative, format.largest_significand,
                                         format.highest_exponent}
                                : Number{Number::Category::finite, negative, 1, 0};
  const int half_ulp = overflows ? format.highest_exponent - 1 : -format.precision;
  const std::uint64_t beside = x.random.below(3);  // on the tie, above it, below it
  if (x.size() > 0) x.set(0, base);
  if (x.size() > 1) x.set_power(1, half_ulp, negative);
  if (x.size() > 2 && beside != 0) x.set_power(2, half_ulp - 2, (beside == 1) == negative);
  x.shuffle();
}

void fill_gaps(Elements& x) {
  const double maximum = 8 * x.random.symmetric();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double gaps[] = {0, 88 + x.random.symmetric(), 104 + x.random.symmetric(), 110 * x.random.unit()};
    x.set(i, maximum - (i == 0 ? 0 : gaps[x.random.below(std::size(gaps))]));
  }
  x.shuffle();
}

}  // namespace foldproof::inputs
