#include "oracles/bounds/alarms.h"

#include <cmath>

#include "oracles/dyadic.h"
#include "oracles/exact/enclosure.h"

namespace foldproof {
namespace {

constexpr unsigned bits = 128;

/// e^x - 1 keeps its digits where x is as small as u.
Dyadic exponential_less_one(const Dyadic& x) { return exponential(x, bits).high - whole(1); }

Dyadic root(const Dyadic& x) { return square_root(x, bits).high; }

/// 2 ln(a / b) with a and b positive.
Dyadic twice_log_of_ratio(const Dyadic& a, double b) {
  return whole(2) * logarithm(quotient(a, Dyadic(number_of(b)), bits), bits).high;
}

}  // namespace

Alarm height_alarm(std::uint64_t terms, std::uint64_t height, int precision, const Dyadic& magnitude,
                   double lambda) {
  const Dyadic u = unit_roundoff(precision), factor(number_of(lambda));
  const Dyadic second_order = quotient(height * (u * u), whole(1) - u, bits).high;
  const double exponent = lambda * (1 - std::ldexp(1.0, -precision));
  return {exponential_less_one(factor * root(whole(height)) * u + second_order) * magnitude,
          2 * static_cast<double>(terms) * std::exp(-exponent * exponent / 2)};
}

Alarm partial_sums_alarm(std::uint64_t terms, std::uint64_t height, int precision,
                         const Dyadic& squares_of_partial_sums, double delta, double epsilon) {
  const Dyadic u = unit_roundoff(precision), two = whole(2);
  const Dyadic lambda_squared = twice_log_of_ratio(two * whole(terms), epsilon);
  const Dyadic phi = root(lambda_squared * two * whole(height)) * u *
                     exponential(lambda_squared * whole(height) * u * u, bits).high;
  return {u * root(twice_log_of_ratio(two, delta)) * (whole(1) + phi) * root(squares_of_partial_sums),
          delta + epsilon};
}

}  // namespace foldproof
