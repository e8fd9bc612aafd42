// Elements of a range of values.
#include <cmath>

#include "properties/inputs/elements.h"

namespace foldproof {
namespace {

/// The same for the number's magnitude.
double wrapped_number(const ValueRange& range, double x) {
  const auto low = static_cast<double>(range.low), high = static_cast<double>(range.high);
  if (std::isnan(x)) return low;
  if (std::isinf(x)) return x < 0 ? low : high;
  return low == high ? low : low + std::fmod(std::fabs(x), high - low);
}

/// Moves the integer into the range, modulo the range's size.
std::uint64_t wrapped_integer(const ValueRange& range, std::uint64_t x) {
  const auto low = static_cast<std::uint64_t>(range.low);
  const std::uint64_t size = static_cast<std::uint64_t>(range.high) - low + 1;  // 0: all of them
  return size == 0 ? x : low + (x - low) % size;
}

}  // namespace

bool is_within(const ValueRange& range, Element element, std::uint64_t bits) {
  const Number number = decode(element, bits);
  if (is_float(element)) {
    const double x = to_double(number);
    return number.is_finite() && x >= static_cast<double>(range.low) && x <= static_cast<double>(range.high);
  }
  const std::uint64_t x = extended(element, bits);
  if (!is_signed_integer(element))
    return range.high >= 0 && x <= static_cast<std::uint64_t>(range.high) &&
           (range.low < 0 || x >= static_cast<std::uint64_t>(range.low));
  const auto value = static_cast<std::int64_t>(x);
  return value >= range.low && value <= range.high;
}

bool is_permitted(const Planted& planted, Element element, const std::optional<ValueRange>& values) {
  return !values || is_within(*values, element, planted_bits(element, planted.value));
}

namespace {

Number number_of_integer(std::int64_t integer) {
  const auto bits = static_cast<std::uint64_t>(integer);
  return {Number::Category::finite, integer < 0, integer < 0 ? std::uint64_t{0} - bits : bits, 0};
}

/// Rounded to the type; nothing for an infinity or a NaN.
std::optional<std::int64_t> rounded_integer(std::int64_t integer, Element element, RoundingMode mode) {
  const Number number = decode(element, encode(element, number_of_integer(integer), mode));
  if (!number.is_finite()) return std::nullopt;
  if (number.is_zero()) return 0;
  const std::uint64_t magnitude =
      number.exponent >= 0 ? number.significand << number.exponent : number.significand >> -number.exponent;
  return static_cast<std::int64_t>(number.negative ? std::uint64_t{0} - magnitude : magnitude);
}

}  // namespace

std::optional<ValueRange> narrowed(const ValueRange& values, Element element) {
  const auto low = rounded_integer(values.low, element, RoundingMode::up),
             high = rounded_integer(values.high, element, RoundingMode::down);
  if (!low || !high || *low > *high || *low < values.low || *high > values.high) return std::nullopt;
  return ValueRange{*low, *high};
}

bool is_representable(Element element, std::int64_t integer) {
  return is_within({integer, integer}, element, encode(element, number_of_integer(integer)));
}

namespace inputs {

void limit_values(Elements& x, const ValueRange& range) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (is_within(range, x.element(), x.bits(i))) continue;
    if (x.floating()) {
      x.set(i, wrapped_number(range, to_double(x.number(i))));
    } else {
      const std::uint64_t within = wrapped_integer(range, extended(x.element(), x.bits(i)));
      x.set_bits(i, within & code_mask(x.element()));
    }
  }
}

}  // namespace inputs
}  // namespace foldproof
