// Elementary functions, correctly rounded and identical on every host.
//
// Each evaluates a polynomial in double with a known error bound, followed by Ziv's test: if the whole error
// interval rounds to one value, that value is the result. Otherwise Boost.Multiprecision computes it with 100
// digits.
#pragma once

#include "devices/emulated/isa/half.h"

namespace foldproof::isa::approx {

/// Result: float, Half or Bfloat. Special cases follow the tables of ISA 9.7.3; NaN results are canonical.
template <class Result>
Result ex2(float x);
template <class Result>
Result tanh(float x);
float lg2(float x);
float sin(float x);
float cos(float x);
float rsqrt(float x);

/// a / b, but 0 (NaN for an infinite a) if |b| > 2^126: div.approx multiplies by a reciprocal that
/// underflows.
float div(float a, float b);

/// rsqrt.approx.f64: rounded to the nearest f64.
double rsqrt(double x);
/// The .ftz.f64 approximations read only the upper 32 bits of x and produce 32 bits; the lower half of the
/// result is zero.
double rcp_upper(double x);
double rsqrt_upper(double x);

}  // namespace foldproof::isa::approx
