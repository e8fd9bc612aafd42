// Sums with a given condition number, after Ogita, Rump and Oishi ("Accurate sum and dot product", 2005):
// half of the values have random exponents; the rest are chosen at falling exponents to cancel the exact
// running sum.
#include <algorithm>
#include <bit>
#include <cmath>

#include "oracles/dyadic.h"
#include "properties/inputs/fills.h"

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

void fill_ill_conditioned(Elements& x) {
  const int drawn = static_cast<int>(x.random.between(x.precision() / 2, 2 * x.precision()));
  const Window window = window_of(x, static_cast<int>(x.argument.number.value_or(drawn)));
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
