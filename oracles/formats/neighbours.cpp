#include "oracles/formats/neighbours.h"

#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// Of an integer's range, upwards or downwards.
std::uint64_t last_integer(Element element, bool upwards) {
  if (!is_signed_integer(element)) return upwards ? code_mask(element) : 0;
  return upwards ? sign_bit(element) - 1 : sign_bit(element);
}

std::uint64_t next(Element element, std::uint64_t bits, bool upwards) {
  bits &= code_mask(element);
  if (!is_float(element)) {
    if (bits == last_integer(element, upwards)) return bits;
    return (upwards ? bits + 1 : bits - 1) & code_mask(element);
  }
  const Number number = decode(element, bits);
  if (number.is_nan()) return bits;
  if (number.is_zero()) return upwards ? 1 : sign_bit(element) | 1;
  // Codes are ordered as their magnitudes are.
  if (number.negative == upwards) return bits - 1;
  const FloatFormat& format = float_format(element);
  const std::uint64_t last = format.largest_code() + (format.has_infinity ? 1 : 0);
  return (bits & (sign_bit(element) - 1)) == last ? bits : bits + 1;
}

}  // namespace

ValueClass classify(Element element, std::uint64_t bits) {
  using Kind = ValueClass::Kind;
  const Number number = decode(element, bits);
  const auto kind = [&] {
    if (number.is_nan()) return Kind::nan;
    if (number.is_infinite()) return Kind::infinity;
    if (number.is_zero()) return Kind::zero;
    if (!is_float(element)) return Kind::normal;
    const FloatFormat& format = float_format(element);
    return number.significand >> (format.precision - 1) == 0 ? Kind::subnormal : Kind::normal;
  };
  return {kind(), number.negative};
}

std::uint64_t next_up(Element element, std::uint64_t bits) { return next(element, bits, true); }
std::uint64_t next_down(Element element, std::uint64_t bits) { return next(element, bits, false); }

}  // namespace foldproof
