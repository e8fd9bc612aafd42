// Inputs that provoke rounding errors.
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "oracles/dyadic.h"
#include "properties/inputs/elements.h"

namespace foldproof::inputs {
namespace {

/// The leading exponents of the values; `low` is that of the sum.
struct Window {
  int low, high;
};

/// As wide as wanted around 1, but within the normal range and with headroom for the sum of all elements.
Window window_of(const Elements& x, int wanted) {
  const FloatFormat& format = x.format();
  const int headroom = static_cast<int>(std::bit_width(x.size())) + 2;
  const int lowest = format.normal_exponent();
  const int highest = std::max(lowest, format.highest_exponent + format.precision - 1 - headroom);
  const int width = std::min(std::max(wanted, 0), highest - lowest);
  const int high = std::clamp(width / 2, lowest + width, highest);
  return {high - width, high};
}

}  // namespace

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

/// A sum with a given condition number, after Ogita, Rump and Oishi ("Accurate sum and dot product", 2005):
/// half of the values have random exponents; the rest are chosen at falling exponents to cancel the exact
/// running sum.
void fill_ill_conditioned(Elements& x) {
  const int drawn = static_cast<int>(x.random.between(x.precision() / 2, 2 * x.precision()));
  const Window window = window_of(x, static_cast<int>(x.integer().value_or(drawn)));
  const int width = window.high - window.low;
  const std::size_t half = x.size() / 2;
  Dyadic running;
  double magnitude = 0;
  const auto put = [&](std::size_t i, const Dyadic& value) {
    x.set_bits(i, rounded(x.element(), value));
    running = running + Dyadic(x.number(i));
    magnitude += std::fabs(to_double(x.number(i)));
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double drawn_value = x.random.symmetric();
    if (i == 0) {
      put(i, Dyadic::power_of_two(window.high));
    } else if (i < half) {
      const auto exponent = static_cast<int>(x.random.between(window.low, window.high));
      put(i, Dyadic(number_of(std::ldexp(drawn_value, exponent))));
    } else if (i + 1 < x.size()) {
      const int fallen =
          static_cast<int>(static_cast<std::uint64_t>(width) * (i - half + 1) / (x.size() - half));
      put(i, Dyadic(number_of(std::ldexp(drawn_value, window.high - fallen))) - running);
    } else {
      put(i, Dyadic(number_of(std::ldexp(magnitude, -width))) - running);
    }
  }
  x.shuffle();
}

}  // namespace foldproof::inputs
