// Rounding by definition, in rational arithmetic: the reference for every floating-point expectation.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <optional>

#include "run.h"

namespace foldproof::tests {

using Rational = boost::multiprecision::cpp_rational;

/// A binary format by its field widths, with infinities and NaNs as in IEEE 754.
struct Format {
  unsigned exponent_bits, fraction_bits;
  Value nan;  ///< the canonical NaN of results

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  Value sign() const { return Value{1} << (exponent_bits + fraction_bits); }
  Value infinity() const { return ((Value{1} << exponent_bits) - 1) << fraction_bits; }
  bool is_nan(Value bits) const { return (bits & ~sign()) > infinity(); }
  bool is_infinite(Value bits) const { return (bits & ~sign()) == infinity(); }
  bool is_zero(Value bits) const { return (bits & ~sign()) == 0; }
  bool is_negative(Value bits) const { return (bits & sign()) != 0; }
  bool is_finite(Value bits) const { return (bits & ~sign()) < infinity(); }
  /// Replaces subnormals with zeros of the same sign.
  Value flushed(Value bits) const { return (bits & infinity()) == 0 ? bits & sign() : bits; }
  /// The same precision with a larger exponent range.
  Format unbounded() const { return {exponent_bits + 3, fraction_bits, nan << 3}; }
};

inline constexpr Format f64_format{11, 52, 0xFFF8000000000000};
inline constexpr Format f32_format{8, 23, 0x7FFFFFFF};
inline constexpr Format f16_format{5, 10, 0x7FFF};
inline constexpr Format bf16_format{8, 7, 0x7FFF};

enum class Mode { nearest_even, nearest_away, zero, down, up };
inline constexpr std::pair<const char*, Mode> modes[] = {
    {"rn", Mode::nearest_even}, {"rz", Mode::zero}, {"rm", Mode::down}, {"rp", Mode::up}};

/// The exact value of finite bits.
Rational value_of(const Format& format, Value bits);

/// Rounds a rational to an integer.
boost::multiprecision::cpp_int round_to_integer(const Rational& x, Mode mode);

/// x rounded in the mode. A zero result has the sign of x, or `negative_zero` if x is zero.
Value round(const Format& format, const Rational& x, Mode mode, bool negative_zero = false);

/// a + b, a · b, a · b + c, a / b, √a as IEEE 754 defines them, with NaN results of the format. For f64 a NaN
/// operand is propagated and made quiet: b before c before a, in a quotient a before b.
Value sum(const Format& format, Value a, Value b, Mode mode);
Value product(const Format& format, Value a, Value b, Mode mode);
Value fused(const Format& format, Value a, Value b, Value c, Mode mode);
Value quotient(const Format& format, Value a, Value b, Mode mode);
Value square_root(const Format& format, Value a, Mode mode);

/// A sum of products of one format rounded to another format: mixed precision and matrices.
Value fused_into(const Format& source, const Format& format, Value a, Value b, Value c, Mode mode);

/// .ftz of a result: zero if the result, computed with an unbounded exponent, is below the normal numbers.
Value flushed_result(const Format& format, Value result, Value unbounded);

/// The bits of a finite value, infinity or NaN in another format.
Value reformat(const Format& from, const Format& to, Value bits, Mode mode);

}  // namespace foldproof::tests
