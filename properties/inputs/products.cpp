#include <algorithm>
#include <bit>
#include <numeric>

#include "properties/inputs/elements.h"

namespace foldproof::inputs {
namespace {

/// How far the partial products of a row may be from 1, in any order: 2^-falls .. 2^rises.
struct Room {
  std::int64_t rises, falls;
  std::int64_t roundings;  ///< factors that are not powers of two

  explicit Room(const FloatFormat& format)
      : rises(format.highest_exponent + format.precision - 1),
        falls(-format.normal_exponent()),
        roundings(std::int64_t{1} << std::max(1, format.precision - 3)) {}

  /// Whether there is room for the factor, which then uses it.
  bool takes(const Number& x) {
    const int rounding = std::has_single_bit(x.significand) ? 0 : 1;
    const std::int64_t leading = x.exponent + static_cast<int>(std::bit_width(x.significand)) - 1;
    const std::int64_t up = std::max<std::int64_t>(0, leading + rounding);
    const std::int64_t down = std::max<std::int64_t>(0, -leading);
    if (up > rises || down > falls || rounding > roundings) return false;
    rises -= up, falls -= down, roundings -= rounding;
    return true;
  }
};

}  // namespace

void limit_products(Elements& x) {
  for (const Row& row : x.rows()) {
    Room room(float_format(x.accumulator()));
    std::vector<std::size_t> order(row.length);
    std::iota(order.begin(), order.end(), row.begin);
    shuffle(order, x.random);
    for (const std::size_t i : order) {
      const Number number = x.number(i);
      if (!number.is_finite() || number.is_zero() || room.takes(number)) continue;
      x.set(i, number.negative ? -1.0 : 1.0);
    }
  }
}

}  // namespace foldproof::inputs
