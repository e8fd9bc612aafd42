// Encoding. The processor's and the CUDA Toolkit's conversions round to nearest; the other modes compare
// their result exactly and step to the neighbour.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "oracles/formats.h"
#include "oracles/formats/cuda_conversion.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

// --- floating-point

/// Holds every significand, and a larger exponent range than any sum: f64 and f32 are obtained from it with
/// one rounding, subnormals included.
using Extended = long double;
static_assert(std::numeric_limits<Extended>::digits == 64, "Foldproof runs on x86-64");

Extended magnitude_of(const Number& number) {
  if (number.is_nan()) return std::numeric_limits<Extended>::quiet_NaN();
  if (number.is_infinite()) return std::numeric_limits<Extended>::infinity();
  return std::ldexp(static_cast<Extended>(number.significand), number.exponent);
}

/// The magnitude rounded to odd: cut to 53 bits; the last bit records whether anything was lost.
/// Rounding it to a format of at most 51 bits is the same as rounding the number. Values far outside every
/// narrow format stay outside.
double narrowed_magnitude(const Number& number) {
  constexpr int cut = 64 - 53, far = 600;
  // The toolkit's canonical NaN has all bits set.
  if (number.is_nan()) return std::bit_cast<double>(low_bits(63));
  if (number.is_infinite()) return std::numeric_limits<double>::infinity();
  if (number.significand == 0) return 0;
  const int shift = std::countl_zero(number.significand);
  const std::uint64_t whole = number.significand << shift;
  const std::uint64_t odd = whole >> cut | ((whole & low_bits(cut)) != 0 ? 1 : 0);
  return std::ldexp(static_cast<double>(odd), std::clamp(number.exponent - shift + cut, -far, far));
}

/// The code of the nearest magnitude; overflow as in the toolkit without saturation.
std::uint64_t nearest_magnitude(Element element, const Number& number) {
  if (element == Element::f64) return std::bit_cast<std::uint64_t>(static_cast<double>(magnitude_of(number)));
  if (element == Element::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(magnitude_of(number)));
  return cuda_nearest(element, narrowed_magnitude(number), Saturation::none);
}

std::uint64_t encode_float(Element element, const Number& number, RoundingMode mode, Saturation saturation) {
  const std::uint64_t largest = float_format(element).largest_code();
  std::uint64_t code = nearest_magnitude(element, number);
  if (number.is_nan()) return code;
  if (mode != RoundingMode::nearest_even && number.is_finite()) {
    const bool away = rounds_away(mode, number.negative);
    const auto order =
        code > largest ? std::strong_ordering::greater : compare_magnitudes(decode(element, code), number);
    // The code after the largest one is the code for overflow, except in a format that has none.
    if (order > 0 && !away) --code;
    if (order < 0 && away && (code < largest || float_format(element).has_nan)) ++code;
  }
  if (saturation == Saturation::to_largest) code = std::min(code, largest);
  return number.negative ? code | sign_bit(element) : code;
}

// --- integers

/// The largest magnitude of that sign.
std::uint64_t largest_magnitude(Element element, bool negative) {
  if (!is_signed_integer(element)) return negative ? 0 : code_mask(element);
  return negative ? sign_bit(element) : sign_bit(element) - 1;
}

/// The magnitude of a number with fractional places, rounded to an integer.
std::uint64_t rounded_magnitude(const Number& number, RoundingMode mode) {
  constexpr Number half{Number::Category::finite, false, 1, -1};
  const int places = -number.exponent;
  const std::uint64_t whole = places < 64 ? number.significand >> places : 0;
  Number rest = number;
  if (places < 64) rest.significand &= low_bits(static_cast<unsigned>(places));
  if (rest.is_zero()) return whole;
  const bool odd = (whole & 1) != 0;
  return whole + (rounds_up_magnitude(mode, number.negative, odd, compare_magnitudes(rest, half)) ? 1 : 0);
}

std::uint64_t encode_integer(Element element, const Number& number, RoundingMode mode) {
  if (number.is_nan()) return 0;
  const std::uint64_t limit = largest_magnitude(element, number.negative);
  std::uint64_t magnitude = number.significand;
  if (number.is_infinite() ||
      (magnitude != 0 && static_cast<int>(std::bit_width(magnitude)) + number.exponent > 64))
    magnitude = limit;
  else if (number.exponent >= 0)
    magnitude <<= number.exponent;
  else
    magnitude = rounded_magnitude(number, mode);
  magnitude = std::min(magnitude, limit);
  return (number.negative ? std::uint64_t{0} - magnitude : magnitude) & code_mask(element);
}

}  // namespace

std::uint64_t encode(Element element, const Number& number, RoundingMode mode, Saturation saturation) {
  return is_float(element) ? encode_float(element, number, mode, saturation)
                           : encode_integer(element, number, mode);
}

std::uint64_t encode(Element element, const Number& number) {
  return encode(element, number, is_float(element) ? RoundingMode::nearest_even : RoundingMode::toward_zero);
}

}  // namespace foldproof
