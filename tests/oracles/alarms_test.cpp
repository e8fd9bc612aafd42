// Alarms: their formulas in double precision, and that they lie below the bounds where they are of use.
#include "oracles/bounds/alarms.h"

#include <cmath>

#include "catch.h"
#include "oracles/bounds.h"

namespace foldproof {
namespace {

TEST_CASE("the alarm of a height is far below the bound of long loops") {
  const std::uint64_t n = 1 << 20;
  const Alarm alarm = height_alarm(n, n - 1, 24, Dyadic(1, 0), 10);
  const double u = 0x1p-24, h = static_cast<double>(n - 1);
  CHECK(nearest_double(alarm.limit) == Approx(std::expm1(10 * std::sqrt(h) * u + h * u * u / (1 - u))));
  CHECK(alarm.failure_probability == Approx(2.0 * static_cast<double>(n) * std::exp(-50.0)).epsilon(1e-4));
  CHECK(alarm.limit * Dyadic(50, 0) < *sum_bound_of_height(n - 1, 24, Dyadic(1, 0)));
}

TEST_CASE("the alarm of partial sums follows their squares") {
  const Alarm alarm = partial_sums_alarm(1000, 10, 24, Dyadic(9, 0), 1e-8, 1e-8);
  const double u = 0x1p-24, lambda = std::sqrt(2 * std::log(2000 / 1e-8));
  const double phi = lambda * std::sqrt(20.0) * u * std::exp(lambda * lambda * 10 * u * u);
  CHECK(nearest_double(alarm.limit) == Approx(u * std::sqrt(2 * std::log(2 / 1e-8)) * (1 + phi) * 3));
  CHECK(alarm.failure_probability == 2e-8);
}

}  // namespace
}  // namespace foldproof
