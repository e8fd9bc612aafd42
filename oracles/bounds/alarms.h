// Limits that rounding errors almost never pass, if they behave like independent random numbers of mean zero.
// They do not where data is constant or a sum stagnates: an alarm asks for a look and never fails a run, so
// it has a type of its own, which no judge takes for a bound.
#pragma once

#include <cstdint>

#include "oracles/dyadic.h"

namespace foldproof {

struct Alarm {
  Dyadic limit;                    ///< of |computed - exact|
  double failure_probability = 1;  ///< that the error is larger, at most, under the assumption above
};

/// A tree of height h over n terms (Higham and Mary 2019, with the height in the place of n):
/// (exp(lambda sqrt(h) u + h u^2 / (1 - u)) - 1) A, larger with a probability below
/// 2n exp(-lambda^2 (1 - u)^2 / 2).
Alarm height_alarm(std::uint64_t terms, std::uint64_t height, int precision, const Dyadic& magnitude,
                   double lambda);

/// The same from the exact partial sums s_k of the run (Hallman and Ipsen 2023), of which only the sum of
/// squares matters: u sqrt(2 ln(2 / delta)) (1 + phi) sqrt(sum of s_k^2), with
/// phi = lambda sqrt(2h) u exp(lambda^2 h u^2) and lambda = sqrt(2 ln(2n / epsilon)), larger with a
/// probability below delta + epsilon.
Alarm partial_sums_alarm(std::uint64_t terms, std::uint64_t height, int precision,
                         const Dyadic& squares_of_partial_sums, double delta, double epsilon);

}  // namespace foldproof
