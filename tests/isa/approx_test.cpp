// Approximations, ISA 9.7.3 and 9.7.4: correctly rounded, compared with Boost.Multiprecision at 250 digits
// (60 for the 16-bit formats, whose results are at least 2^-25 away from a tie).
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "catch.h"
#include "oracle.h"
#include "run.h"
#include "values.h"

namespace foldproof::tests {
namespace approx {

const Format& f32 = f32_format;

namespace mp = boost::multiprecision;
using Big = mp::number<mp::cpp_bin_float<250>, mp::et_off>;
using Small = mp::number<mp::cpp_bin_float<60>, mp::et_off>;

constexpr Value nan = 0x7FFFFFFF, infinity = 0x7F800000, minus_infinity = 0xFF800000, one = 0x3F800000;

template <class Number>
Number as_number(Value bits, const Format& f) {
  const Rational x = value_of(f, bits);
  return Number(mp::numerator(x)) / Number(mp::denominator(x));
}
Big as_big(Value bits, const Format& f = f32) { return as_number<Big>(bits, f); }

/// x as a rational, with 190 bits.
template <class Number>
Rational as_rational(const Number& x) {
  constexpr int digits = 190;
  int exponent = 0;
  const Number fraction = mp::frexp(x, &exponent);
  const mp::cpp_int scaled = static_cast<mp::cpp_int>(mp::ldexp(fraction, digits));
  const int shift = exponent - digits;
  const mp::cpp_int power = mp::cpp_int(1) << std::abs(shift);
  return shift >= 0 ? Rational(scaled * power) : Rational(scaled, power);
}

template <class Number>
Value nearest(const Number& x, const Format& f = f32) {
  return round(f, as_rational(x), Mode::nearest_even);
}

Value bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

/// Checks op.f32 and op.ftz.f32: `function` gives the result for finite non-zero operands, `special` for all
/// others.
void check_f32(const std::string& opcode, const Column& operands,
               const std::function<Value(Value)>& function) {
  for (const bool ftz : {false, true})
    check1(opcode + (ftz ? ".ftz.f32" : ".f32"), {operands}, [&](Value x) {
      if (f32.is_nan(x)) return nan;
      const Value result = function(ftz ? f32.flushed(x) : x);
      return ftz ? f32.flushed(result) : result;
    });
}

/// Random operands, and consecutive ones around difficult values.
Column operands(std::initializer_list<float> hard_places) {
  Column values = f32s(1);
  for (const float place : hard_places)
    for (int step = -20; step <= 20; ++step)
      for (const Value sign : {Value{0}, Value{0x80000000}})
        values.push_back((bits_of(place) + static_cast<Value>(step)) ^ sign);
  return values;
}

TEST_CASE("ex2.approx is correctly rounded", "[approx]") {
  check_f32("ex2.approx", operands({0.5f, 1, 24, 126, 127, 127.99999f, 149, 149.5f, 150, 1e-4f, 1e-10f}),
            [](Value x) -> Value {
              if (x == infinity) return infinity;
              if (x == minus_infinity) return 0;
              const Big exponent = as_big(x);
              if (exponent > 300) return infinity;
              if (exponent < -300) return 0;
              return nearest(mp::pow(Big(2), exponent));
            });
}

TEST_CASE("lg2.approx is correctly rounded", "[approx]") {
  check_f32("lg2.approx", operands({1, 2, 0.5f, 1024, 3e-39f, 1.5f, 1.0001f}), [](Value x) -> Value {
    if (f32.is_zero(x)) return minus_infinity;
    if (f32.is_negative(x)) return nan;
    if (x == infinity) return infinity;
    return x == one ? 0 : nearest(mp::log(as_big(x)) / mp::log(Big(2)));
  });
}

/// sin(x + quarter · π/2); the reduction uses 250 digits, so that 170 remain for any f32.
Value sine(Value x, int quarter) {
  if (!f32.is_finite(x)) return nan;
  static const Big half_pi = mp::acos(Big(-1)) / 2;
  const Big n = mp::round(as_big(x) / half_pi);
  const Big rest = as_big(x) - n * half_pi;
  const int quadrant = static_cast<int>((static_cast<mp::cpp_int>(n) % 4 + 4 + quarter) % 4);
  const Big y = quadrant % 2 == 0 ? mp::sin(rest) : mp::cos(rest);
  return nearest(quadrant < 2 ? y : Big(-y));
}

TEST_CASE("sin.approx and cos.approx are correctly rounded for arguments of every magnitude", "[approx]") {
  const Column angles = operands({1, 1.5707964f, 3.1415927f, 0.7853982f, 6.2831855f, 1000, 1048576, 16777216,
                                  3.4e38f, 22, 355, 1e-4f, 1e-12f, 103993, 5.5e24f});
  check_f32("sin.approx", angles, [](Value x) { return f32.is_zero(x) ? x : sine(x, 0); });
  check_f32("cos.approx", angles, [](Value x) { return sine(x, 1); });
}

TEST_CASE("tanh.approx is correctly rounded", "[approx]") {
  Column values = operands({0.5f, 1, 2, 9, 9.01f, 1e-4f, 1e-10f, 30});
  check1("tanh.approx.f32", {values}, [](Value x) -> Value {
    if (f32.is_nan(x)) return nan;
    if (f32.is_zero(x)) return x;
    if (f32.is_infinite(x)) return one | (x & f32.sign());
    const Big magnitude = mp::abs(as_big(x));
    return magnitude > 100 ? one | (x & f32.sign()) : nearest(mp::tanh(as_big(x)));
  });
}

TEST_CASE("the approximate forms of rcp, sqrt, rsqrt and div are correctly rounded", "[approx]") {
  const Column values = operands({1, 2, 3, 0.333333f, 1.7e38f, 1.2e-38f});
  check_f32("rcp.approx", values, [](Value x) { return quotient(f32, one, x, Mode::nearest_even); });
  check_f32("sqrt.approx", values, [](Value x) { return square_root(f32, x, Mode::nearest_even); });
  check_f32("rsqrt.approx", values, [](Value x) -> Value {
    if (f32.is_zero(x)) return infinity | (x & f32.sign());
    if (f32.is_negative(x)) return nan;
    return x == infinity ? 0 : nearest(1 / mp::sqrt(as_big(x)));
  });
  for (const bool ftz : {false, true}) {
    const auto in = [=](Value x) { return ftz ? f32.flushed(x) : x; };
    const Columns pairs = crossed({f32s(1), f32s(2)}, 30);
    const auto full = [&](Value a, Value b) { return in(quotient(f32, in(a), in(b), Mode::nearest_even)); };
    check2(ftz ? "div.full.ftz.f32" : "div.full.f32", pairs, full);
    check2(ftz ? "div.approx.ftz.f32" : "div.approx.f32", pairs, [&](Value a, Value b) {
      const Value magnitude = b & ~f32.sign();
      if (f32.is_nan(a) || f32.is_nan(b) || magnitude <= 0x7E800000 || magnitude == infinity)
        return full(a, b);
      return f32.is_infinite(a) ? nan : (a ^ b) & f32.sign();  // 2^126 < |b| < 2^128
    });
  }
}

TEST_CASE("the f64 approximations use only the upper words", "[approx]") {
  // The upper 32 bits of a double: a format with 20 fraction bits.
  const Format upper{11, 20, 0x7FFFFFFF};
  const auto word = [&](Value x) { return upper.flushed(x >> 32); };
  check1("rcp.approx.ftz.f64", {f64s(1)}, [&](Value x) {
    return upper.flushed(quotient(upper, 0x3FF00000, word(x), Mode::nearest_even)) << 32;
  });
  const auto inverse_root = [](const Format& f, Value x) -> Value {
    if (f.is_zero(x)) return f.infinity() | (x & f.sign());
    if (f.is_negative(x)) return f.nan;
    return x == f.infinity() ? 0 : nearest(1 / mp::sqrt(as_big(x, f)), f);
  };
  check1("rsqrt.approx.ftz.f64", {f64s(1)}, [&](Value x) {
    return upper.is_nan(word(x)) ? upper.nan << 32 : inverse_root(upper, word(x)) << 32;
  });
  check1("rsqrt.approx.f64", {f64s(1)}, [&](Value x) {
    return f64_format.is_nan(x) ? x | 0x0008000000000000 : inverse_root(f64_format, x);
  });
}

/// Passes every value of a 16-bit format through f, alone and paired with the values in reverse order.
void check_half(const std::string& text, const Format& f, const std::function<Value(Value)>& function) {
  Column results;
  for (const Value x : all_16_bits()) results.push_back(f.is_nan(x) ? f.nan : function(x));
  check1(text, {all_16_bits()}, [&](Value x) { return results[x]; });
  const Column low = all_16_bits();
  check1(text + "x2", {paired(low, {low.rbegin(), low.rend()})},
         [&](Value x) { return results[x & 0xFFFF] | results[x >> 16] << 16; });
}

Value ex2(const Format& f, Value x) {
  if (f.is_infinite(x)) return f.is_negative(x) ? 0 : f.infinity();
  const Small exponent = as_number<Small>(x, f);
  if (exponent > 300) return f.infinity();
  return exponent < -300 ? 0 : nearest(mp::pow(Small(2), exponent), f);
}

Value tanh(const Format& f, Value x) {
  const Value unit = static_cast<Value>(f.bias()) << f.fraction_bits;
  if (f.is_zero(x)) return x;
  if (f.is_infinite(x) || mp::abs(as_number<Small>(x, f)) > 50) return unit | (x & f.sign());
  return nearest(mp::tanh(as_number<Small>(x, f)), f);
}

TEST_CASE("ex2 and tanh are correctly rounded for every f16 and bf16", "[approx]") {
  check_half("ex2.approx.f16", f16_format, [](Value x) { return ex2(f16_format, x); });
  check_half("ex2.approx.ftz.bf16", bf16_format,
             [](Value x) { return bf16_format.flushed(ex2(bf16_format, bf16_format.flushed(x))); });
  check_half("tanh.approx.f16", f16_format, [](Value x) { return tanh(f16_format, x); });
  check_half("tanh.approx.bf16", bf16_format, [](Value x) { return tanh(bf16_format, x); });
  CHECK_FALSE(exists("ex2.approx.bf16"));
  CHECK_FALSE(exists("ex2.approx.ftz.f16"));
}

}  // namespace approx
}  // namespace foldproof::tests
