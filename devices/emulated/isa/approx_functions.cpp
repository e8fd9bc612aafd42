#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <numbers>

#include "devices/emulated/isa/approx.h"
#include "devices/emulated/isa/double.h"

namespace foldproof::isa::approx {
namespace {

namespace mp = boost::multiprecision;
using Exact = mp::number<mp::cpp_bin_float<100>, mp::et_off>;

/// Bound on the relative error of every polynomial below; they are accurate to 2^-49 or better.
constexpr double relative_error = 0x1p-46;

template <class Result>
Result round_to(double x) {
  return narrow<Result>(to_odd_float(x));
}
template <>
float round_to<float>(double x) {
  return static_cast<float>(x);
}

template <class T>
bool same_bits(T a, T b) {
  if constexpr (std::is_same_v<T, float>)
    return bits_of(a) == bits_of(b);
  else
    return a.bits == b.bits;
}

/// An exact value rounded to odd, in double: it then rounds to Result as the exact value would.
double to_odd_double(const Exact& x) {
  const auto nearest = x.convert_to<double>();
  if (Exact(nearest) == x) return nearest;
  const bool outside = mp::abs(Exact(nearest)) > mp::abs(x);
  return std::bit_cast<double>((bits_of(nearest) - std::uint64_t{outside}) | 1);
}

/// `y` approximates f(x); `exact` is evaluated if y does not determine the rounding.
template <class Result, class F>
Result decide(double y, F exact) {
  const Result low = round_to<Result>(y * (1 - relative_error)),
               high = round_to<Result>(y * (1 + relative_error));
  return same_bits(low, high) ? low : round_to<Result>(to_odd_double(exact()));
}

/// 2^n for n in the range of normal doubles.
double power_of_two(int n) { return std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52); }

/// Rounds to the nearest integer, for |x| < 2^31.
int nearest(double x) { return static_cast<int>(x + (x < 0 ? -0.5 : 0.5)); }

/// e^x for |x| ≤ 0.35: Taylor series.
double exp_near_zero(double x) {
  double sum = 1;
  for (int i = 16; i > 0; --i) sum = 1 + x / i * sum;
  return sum;
}
/// 2^x for |x| < 1000.
double exp2_double(double x) {
  const int n = nearest(x);
  return exp_near_zero((x - n) * std::numbers::ln2) * power_of_two(n);
}

/// log2 of a normal x > 0: with x = 2^k m and m near 1, k + 2 atanh((m−1)/(m+1)) / ln 2.
double log2_double(double x) {
  const auto bits = bits_of(x);
  int k = static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFF) | 0x3FF0000000000000);
  if (m > std::numbers::sqrt2) m /= 2, ++k;
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int i = 31; i > 0; i -= 2) sum = sum * square + 1.0 / i;
  return k + 2 * s * sum / std::numbers::ln2;
}

/// x minus the nearest multiple of π/2, and the index of that multiple modulo 4 (`quadrant`). Requires |x| ≤
/// 2^20: n has 20 bits and the parts of π/2 have 33, so that the products with n are exact.
struct Reduced {
  double rest;
  int quadrant;
};
Reduced reduce(double x) {
  constexpr double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34, part3 = 0x1.3198a2e037073p-69;
  const int n = nearest(x * (2 / std::numbers::pi));
  return {((x - n * part1) - n * part2) - n * part3, n & 3};
}

/// Taylor series for |x| ≤ 0.8.
double sin_near_zero(double x) {
  double sum = 1;
  for (int i = 22; i > 0; i -= 2) sum = 1 - x * x / (i * (i + 1)) * sum;
  return x * sum;
}
double cos_near_zero(double x) {
  double sum = 1;
  for (int i = 23; i > 0; i -= 2) sum = 1 - x * x / (i * (i + 1)) * sum;
  return sum;
}

/// sin(x + shift · π/2).
float sin_shifted(float x, int shift) {
  const auto exact = [&] { return shift == 0 ? mp::sin(Exact(x)) : mp::cos(Exact(x)); };
  if (std::fabs(x) > 0x1p20f) return round_to<float>(to_odd_double(exact()));
  const Reduced reduced = reduce(x);
  const int quadrant = (reduced.quadrant + shift) & 3;
  const double y = quadrant % 2 == 0 ? sin_near_zero(reduced.rest) : cos_near_zero(reduced.rest);
  return decide<float>(quadrant < 2 ? y : -y, exact);
}

/// tanh as a continued fraction, for |x| ≤ 1.
double tanh_near_zero(double x) {
  double fraction = 29;
  for (int i = 27; i > 0; i -= 2) fraction = i + x * x / fraction;
  return x / fraction;
}
double tanh_double(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude <= 1) return tanh_near_zero(x);
  const double y = magnitude > 30 ? 1 : 1 - 2 / (exp2_double(2 * magnitude * std::numbers::log2e) + 1);
  return std::copysign(y, x);
}

template <class Result>
Result canonical_nan() {
  return narrow<Result>(std::bit_cast<float>(f32_nan));
}

}  // namespace

template <class Result>
Result ex2(float x) {
  if (x != x) return canonical_nan<Result>();
  // Beyond these limits every format overflows, or is below half its smallest subnormal.
  if (x >= 128) return narrow<Result>(std::bit_cast<float>(f32_infinity));
  if (x < -151) return narrow<Result>(0.0f);
  // Only an integer x gives a power of two, which may be exactly halfway between two values.
  if (x == std::trunc(x)) return round_to<Result>(power_of_two(static_cast<int>(x)));
  return decide<Result>(exp2_double(x), [&] { return mp::exp2(Exact(x)); });
}
template float ex2(float);
template Half ex2(float);
template Bfloat ex2(float);

template <class Result>
Result tanh(float x) {
  if (x != x) return canonical_nan<Result>();
  if (x == 0) return narrow<Result>(x);
  return decide<Result>(tanh_double(x), [&] { return mp::tanh(Exact(x)); });
}
template float tanh(float);
template Half tanh(float);
template Bfloat tanh(float);

float lg2(float x) {
  if (x == 0) return -std::bit_cast<float>(f32_infinity);
  if (!(x > 0)) return std::bit_cast<float>(f32_nan);
  if (bits_of(x) == f32_infinity || x == 1) return x == 1 ? 0.0f : x;
  return decide<float>(log2_double(x), [&] { return mp::log2(Exact(x)); });
}

float sin(float x) {
  if (x == 0) return x;
  return std::isfinite(x) ? sin_shifted(x, 0) : std::bit_cast<float>(f32_nan);
}
float cos(float x) { return std::isfinite(x) ? sin_shifted(x, 1) : std::bit_cast<float>(f32_nan); }

float rsqrt(float x) {
  if (x == 0) return 1 / x;
  if (!(x > 0)) return std::bit_cast<float>(f32_nan);
  if (bits_of(x) == f32_infinity) return 0;
  return decide<float>(1 / std::sqrt(static_cast<double>(x)), [&] { return 1 / mp::sqrt(Exact(x)); });
}

float div(float a, float b) {
  const float magnitude = std::fabs(b);
  if (magnitude > 0x1p126f && magnitude < std::bit_cast<float>(f32_infinity)) {
    if (!std::isfinite(a)) return std::bit_cast<float>(f32_nan);
    return std::copysign(0.0f, std::signbit(a) != std::signbit(b) ? -1.0f : 1.0f);
  }
  return canonical(a / b);
}

double rsqrt(double x) {
  if (x != x) return f64::quiet(x);
  if (x == 0) return 1 / x;
  if (x < 0) return std::bit_cast<double>(f64::invalid);
  return std::isinf(x) ? 0.0 : (1 / mp::sqrt(Exact(x))).convert_to<double>();
}

namespace {

constexpr std::uint64_t upper_half = 0xFFFFFFFF00000000;
constexpr std::uint64_t upper_nan = 0x7FFFFFFF00000000;

/// The upper 32 bits, subnormals flushed. A NaN whose payload is entirely in the lower half reads as an
/// infinity.
double read_upper(double x) {
  const std::uint64_t bits = bits_of(x) & upper_half;
  return std::bit_cast<double>((bits & 0x7FF0000000000000) == 0 ? bits & f64::sign : bits);
}
/// Rounds to 20 fraction bits. A carry out of the fraction may increment the exponent.
double write_upper(double x) {
  if (x != x) return std::bit_cast<double>(upper_nan);
  const std::uint64_t bits = bits_of(x);
  const std::uint64_t rounded = bits + 0x7FFFFFFF + (bits >> 32 & 1);
  return read_upper(std::bit_cast<double>(std::isinf(x) ? bits : rounded));
}

}  // namespace

double rcp_upper(double x) { return write_upper(1 / read_upper(x)); }
double rsqrt_upper(double x) { return write_upper(rsqrt(read_upper(x))); }

}  // namespace foldproof::isa::approx
