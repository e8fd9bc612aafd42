// Elementary functions, correctly rounded and the same on every host.
//
// Each is a polynomial in double, whose error is known to be small, and Ziv's test: when the whole interval
// around it rounds to one value, that value is the answer. When not, Boost.Multiprecision decides with 100
// digits.
#pragma once

#include "devices/emulated/isa/half.h"

namespace foldproof::isa::approx {

/// Result: float, Half or Bfloat. Special cases as in the tables of ISA 9.7.3; NaN results are canonical.
template <class Result>
Result ex2(float x);
template <class Result>
Result tanh(float x);
float lg2(float x);
float sin(float x);
float cos(float x);
float rsqrt(float x);

/// a / b, but 0 (NaN for an infinite a) where |b| > 2^126: div.approx multiplies by a reciprocal that
/// underflows.
float div(float a, float b);

/// rsqrt.approx.f64: to the nearest f64.
double rsqrt(double x);
/// The .ftz.f64 approximations see the upper 32 bits of x only and give 32 bits; the lower half of the result
/// is zero.
double rcp_upper(double x);
double rsqrt_upper(double x);

}  // namespace foldproof::isa::approx
