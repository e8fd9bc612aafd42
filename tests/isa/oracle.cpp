#include "oracle.h"

namespace foldproof::tests {
namespace {

namespace mp = boost::multiprecision;
using Integer = mp::cpp_int;

Rational power_of_two(int n) {
  return n >= 0 ? Rational(Integer(1) << n) : Rational(Integer(1), Integer(1) << -n);
}

/// The largest e with 2^e ≤ x, for x > 0.
int floor_log2(const Rational& x) {
  int e = static_cast<int>(mp::msb(mp::numerator(x))) - static_cast<int>(mp::msb(mp::denominator(x)));
  if (power_of_two(e) > x) --e;
  return e;
}

Integer floor(const Rational& x) {
  Integer quotient, rest;
  mp::divide_qr(mp::numerator(x), mp::denominator(x), quotient, rest);
  return rest < 0 ? Integer(quotient - 1) : quotient;
}

/// The NaN result of an operation that is invalid or has NaN operands; `operands` are in order of preference.
Value nan_of(const Format& format, std::initializer_list<Value> operands) {
  if (format.fraction_bits == 52)
    for (const Value x : operands)
      if (format.is_nan(x)) return x | Value{1} << 51;
  return format.nan;
}

bool any_nan(const Format& format, std::initializer_list<Value> operands) {
  for (const Value x : operands)
    if (format.is_nan(x)) return true;
  return false;
}

Value signed_infinity(const Format& format, bool negative) {
  return format.infinity() | (negative ? format.sign() : 0);
}

/// |x| < 2^exponent.
bool floor_is_below(const Format& format, Value x, int exponent) {
  return abs(value_of(format, x)) < power_of_two(exponent);
}

/// Sign of an exact zero sum of terms with these signs.
bool zero_is_negative(bool a, bool b, Mode mode) { return a == b ? a : mode == Mode::down; }

}  // namespace

Rational value_of(const Format& format, Value bits) {
  const Value fraction = bits & ((Value{1} << format.fraction_bits) - 1);
  const int field = static_cast<int>((bits & format.infinity()) >> format.fraction_bits);
  const Value significand = field == 0 ? fraction : fraction | Value{1} << format.fraction_bits;
  const Rational magnitude =
      Rational(Integer(significand)) *
      power_of_two(std::max(field, 1) - format.bias() - static_cast<int>(format.fraction_bits));
  return format.is_negative(bits) ? Rational(-magnitude) : magnitude;
}

Integer round_to_integer(const Rational& x, Mode mode) {
  const Integer below = floor(x);
  const Rational rest = x - Rational(below), half(1, 2);
  if (rest == 0) return below;
  const bool negative = x < 0;
  switch (mode) {
    case Mode::zero: return negative ? Integer(below + 1) : below;
    case Mode::down: return below;
    case Mode::up: return below + 1;
    case Mode::nearest_away: return rest > half || (rest == half && !negative) ? Integer(below + 1) : below;
    case Mode::nearest_even: break;
  }
  return rest > half || (rest == half && below % 2 != 0) ? Integer(below + 1) : below;
}

Value round(const Format& format, const Rational& x, Mode mode, bool negative_zero) {
  if (x == 0) return negative_zero ? format.sign() : 0;
  const bool negative = x < 0;
  const Rational magnitude = negative ? Rational(-x) : x;
  const int smallest = 1 - format.bias(), digits = static_cast<int>(format.fraction_bits);
  const int exponent = std::max(floor_log2(magnitude), smallest);
  const Integer multiple = round_to_integer(x / power_of_two(exponent - digits), mode);
  const Rational rounded = Rational(mp::abs(multiple)) * power_of_two(exponent - digits);
  const Value sign = negative ? format.sign() : 0;
  if (rounded >= power_of_two(format.bias() + 1)) {
    const bool inwards = mode == Mode::zero || mode == (negative ? Mode::up : Mode::down);
    return sign | (inwards ? format.infinity() - 1 : format.infinity());
  }
  if (rounded == 0) return sign;
  const int result_exponent = std::max(floor_log2(rounded), smallest);
  const Rational significand = rounded / power_of_two(result_exponent - digits);
  const auto whole = static_cast<Value>(mp::numerator(significand));
  const bool normal = whole >> digits != 0;
  const Value field = normal ? static_cast<Value>(result_exponent + format.bias()) : 0;
  return sign | field << digits | (whole & ((Value{1} << digits) - 1));
}

Value sum(const Format& format, Value a, Value b, Mode mode) {
  if (any_nan(format, {a, b})) return nan_of(format, {b, a});
  if (format.is_infinite(a) && format.is_infinite(b)) return a == b ? a : format.nan;
  if (format.is_infinite(a)) return a;
  if (format.is_infinite(b)) return b;
  const bool zero_sign = zero_is_negative(format.is_negative(a), format.is_negative(b), mode);
  return round(format, value_of(format, a) + value_of(format, b), mode, zero_sign);
}

Value product(const Format& format, Value a, Value b, Mode mode) {
  if (any_nan(format, {a, b})) return nan_of(format, {b, a});
  const bool negative = format.is_negative(a) != format.is_negative(b);
  if (format.is_infinite(a) || format.is_infinite(b))
    return format.is_zero(a) || format.is_zero(b) ? format.nan : signed_infinity(format, negative);
  return round(format, value_of(format, a) * value_of(format, b), mode, negative);
}

Value fused(const Format& format, Value a, Value b, Value c, Mode mode) {
  return fused_into(format, format, a, b, c, mode);
}

Value fused_into(const Format& source, const Format& format, Value a, Value b, Value c, Mode mode) {
  if (source.is_nan(a) || source.is_nan(b) || format.is_nan(c))
    return source.fraction_bits == 52 ? nan_of(format, {b, c, a}) : format.nan;
  const bool negative = source.is_negative(a) != source.is_negative(b);
  if (source.is_infinite(a) || source.is_infinite(b)) {
    const bool invalid = source.is_zero(a) || source.is_zero(b) ||
                         (format.is_infinite(c) && format.is_negative(c) != negative);
    return invalid ? format.nan : signed_infinity(format, negative);
  }
  if (format.is_infinite(c)) return c;
  const Rational exact = value_of(source, a) * value_of(source, b) + value_of(format, c);
  return round(format, exact, mode, zero_is_negative(negative, format.is_negative(c), mode));
}

Value quotient(const Format& format, Value a, Value b, Mode mode) {
  if (any_nan(format, {a, b})) return nan_of(format, {a, b});
  const bool negative = format.is_negative(a) != format.is_negative(b);
  if (format.is_infinite(a)) return format.is_infinite(b) ? format.nan : signed_infinity(format, negative);
  if (format.is_infinite(b)) return negative ? format.sign() : 0;
  if (format.is_zero(b)) return format.is_zero(a) ? format.nan : signed_infinity(format, negative);
  return round(format, value_of(format, a) / value_of(format, b), mode, negative);
}

Value square_root(const Format& format, Value a, Mode mode) {
  if (format.is_nan(a)) return nan_of(format, {a});
  if (format.is_zero(a) || a == format.infinity()) return a;
  if (format.is_negative(a)) return format.nan;
  // √(n / d) = √(n d 4^k) / (d 2^k). k is so large that the remainder after the integer root matters only by
  // being non-zero: it counts as an extra half unit, which no rounding confuses with an exact result or a
  // tie.
  const Rational x = value_of(format, a);
  constexpr unsigned k = 200;
  const Integer scaled = mp::numerator(x) * mp::denominator(x) << (2 * k);
  Integer rest;
  const Integer root = mp::sqrt(scaled, rest);
  const Rational numerator = rest == 0 ? Rational(root) : Rational(root) + Rational(1, 2);
  return round(format, numerator / Rational(mp::denominator(x) << k), mode);
}

Value flushed_result(const Format& format, Value result, Value unbounded) {
  const Format wide = format.unbounded();
  const bool tiny = wide.is_finite(unbounded) && floor_is_below(wide, unbounded, 1 - format.bias());
  return tiny ? result & format.sign() : result;
}

Value reformat(const Format& from, const Format& to, Value bits, Mode mode) {
  if (from.is_nan(bits)) return to.nan;
  if (from.is_infinite(bits)) return signed_infinity(to, from.is_negative(bits));
  return round(to, value_of(from, bits), mode, from.is_negative(bits));
}

}  // namespace foldproof::tests
