// Checks of means, norms and variances.
#include <cmath>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "accepted.h"
#include "catch.h"
#include "oracles/result_checker.h"
#include "special_values.h"

namespace foldproof {
namespace {

TEST_CASE("a mean is compared with the exact mean") {
  // (1 + 2 + 4) / 3 = 2.333…: a rounded sum and a rounded quotient have an error below two ulps.
  CHECK(accepts_result(arithmetic_of(Operator::mean), {1, 2, 4}, {static_cast<double>(7.0f / 3.0f)}));
  CHECK_FALSE(
      accepts_result(arithmetic_of(Operator::mean), {1, 2, 4}, {static_cast<double>(moved(7.0f / 3.0f, 8))}));
  CHECK(accepts_result(arithmetic_of(Operator::mean), {1, nan}, {nan}));
  CHECK(accepts_result(arithmetic_of(Operator::mean), {1, inf}, {inf}));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::mean), {1, inf}, {1}));
}

TEST_CASE("a norm is compared with the root of the exact sum of squares") {
  CHECK(accepts_result(arithmetic_of(Operator::norm), {3, -4}, {5}));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::norm), {3, -4}, {5.00001}));
  CHECK(accepts_result(arithmetic_of(Operator::norm), {}, {0}));
  for (const double wrong : {7.0, -1.0, inf, nan})
    CHECK_FALSE(accepts_result(arithmetic_of(Operator::norm), {}, {wrong}));
}

TEST_CASE("a norm is not checked if a sum of squares may overflow") {
  // Computing the squares gives infinity; scaling first gives 5e30.
  for (const double result : {inf, 5e30, 17.0}) {
    const CheckResult check_result =
        checked_result(arithmetic_of(Operator::norm), {}, {3e30, 4e30}, {result});
    CHECK(check_result.ok);
    CHECK(check_result.evidence == CheckResult::Evidence::nothing);
    CHECK(check_result.why_not == "the sum of squares may overflow");
  }
}

TEST_CASE("a norm beyond its output's range is plus infinity") {
  Arithmetic norm = arithmetic_of(Operator::norm, Element::f16);
  norm.accumulator = Element::f32;
  CHECK(accepts_result(norm, {65504, 65504}, {inf}));
  CHECK_FALSE(accepts_result(norm, {65504, 65504}, {nan}));
  CHECK_FALSE(accepts_result(norm, {65504, 65504}, {-inf}));
}

TEST_CASE("a mean with an infinity is infinite, or NaN if the others may overflow to the other side") {
  CHECK(accepts_result(arithmetic_of(Operator::mean), {-inf, 1}, {-inf}));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::mean), {-inf, 1}, {nan}));
  CHECK(accepts_result(arithmetic_of(Operator::mean), {0x1p127, 0x1p127, -inf}, {nan}));
  CHECK(accepts_result(arithmetic_of(Operator::mean), {0x1p127, 0x1p127, -inf}, {-inf}));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::mean), {0x1p127, 0x1p127, -inf}, {inf}));
}

TEST_CASE("a NaN in a mean, norm or variance propagates or is unspecified but never ignored") {
  for (const Operator op : {Operator::mean, Operator::norm, Operator::variance}) {
    Arithmetic a = arithmetic_of(op);
    CHECK(accepts_result(a, {1, nan}, {nan}));
    CHECK_FALSE(accepts_result(a, {1, nan}, {1}));
    a.nan = NanPolicy::unspecified;
    CHECK(checked_result(a, {}, {1, nan}, {1}).evidence == CheckResult::Evidence::nothing);
    a.nan = NanPolicy::ignore;
    CHECK(why_no_checker(a).value_or("").ends_with(
        "nan = \"ignore\" applies to sum, prod, min, max, argmin and argmax"));
  }
}

TEST_CASE("the variance of an infinite element is NaN, or infinite if parts may be merged") {
  Arithmetic a = arithmetic_of(Operator::variance);
  for (const MomentMethod method : {MomentMethod::unspecified, MomentMethod::welford}) {
    a.moment_method = method;
    CHECK(accepts_result(a, {1, inf, 2}, {nan}));
    CHECK(accepts_result(a, {1, inf, 2}, {inf}));
    CHECK(accepts_result(a, {inf}, {0}));  // one part, which has no spread
    CHECK_FALSE(accepts_result(a, {1, inf, 2}, {0}));
    CHECK_FALSE(accepts_result(a, {1, inf, 2}, {-inf}));
  }
  a.moment_method = MomentMethod::two_pass;
  CHECK(accepts_result(a, {1, inf, 2}, {nan}));
  CHECK_FALSE(accepts_result(a, {1, inf, 2}, {inf}));
}

TEST_CASE("with a correction, a variance is that of a sample") {
  // The deviations of 1, 2, 3 and 4 from their mean have the squares 2.25, 0.25, 0.25 and 2.25.
  for (const auto& [op, population, sample] :
       {std::tuple(Operator::variance, 1.25, 5.0 / 3),
        {Operator::deviation, std::sqrt(1.25), std::sqrt(5.0 / 3)},
        {Operator::reciprocal_deviation, std::sqrt(0.8), std::sqrt(0.6)}}) {
    Arithmetic a = arithmetic_of(op);
    CHECK(accepts_result(a, {1, 2, 3, 4}, {population}));
    CHECK_FALSE(accepts_result(a, {1, 2, 3, 4}, {sample}));
    a.correction = 1;
    CHECK(accepts_result(a, {1, 2, 3, 4}, {sample}));
    CHECK_FALSE(accepts_result(a, {1, 2, 3, 4}, {population}));
    CHECK_FALSE(accepts_result(a, {1, 2, 3, nan}, {0}));
    for (const std::vector<double>& too_few : {std::vector<double>{}, {5}})
      for (const double anything : {0.0, nan, 7.0})
        CHECK(checked_result(a, {}, too_few, {anything}).evidence == CheckResult::Evidence::nothing);
  }
}

TEST_CASE("variances by either method are within their bounds, and one that omits an element is not") {
  std::mt19937 random(7);
  for (const double mean : {0.0, 100.0}) {
    std::vector<double> x = random_values(random, 100, 1.0f);
    for (double& value : x) value = static_cast<double>(static_cast<float>(value + mean));
    float sum = 0, squares = 0, deviations = 0;
    for (const double value : x) sum += static_cast<float>(value);
    for (const double value : x) {
      const auto v = static_cast<float>(value);
      squares += v * v;
      deviations += (v - sum / 100) * (v - sum / 100);
    }
    Arithmetic two_pass = arithmetic_of(Operator::variance), textbook = two_pass;
    two_pass.moment_method = MomentMethod::two_pass;
    textbook.moment_method = MomentMethod::textbook;
    CHECK(accepts_result(two_pass, x, {static_cast<double>(deviations / 100)}));
    CHECK(accepts_result(textbook, x, {static_cast<double>((squares - sum * sum / 100) / 100)}));
    CHECK_FALSE(accepts_result(two_pass, x, {static_cast<double>(deviations / 100 * 1.01f)}));
  }
}

TEST_CASE("a variance may use the means of x and x^2, and a product with 1 / n instead of a division") {
  std::mt19937 random(11);
  Arithmetic textbook = arithmetic_of(Operator::variance);
  textbook.moment_method = MomentMethod::textbook;
  for (std::size_t n = 2; n < 60; ++n) {
    const std::vector<double> x = random_values(random, n, 1000.0f);
    float sum = 0, squares = 0;
    for (const double value : x)
      sum += static_cast<float>(value), squares += static_cast<float>(value * value);
    const auto count = static_cast<float>(n);
    const float reciprocal = 1 / count, mean = sum * reciprocal;
    CHECK(accepts_result(textbook, x, {static_cast<double>(squares * reciprocal - mean * mean)}));
    CHECK(
        accepts_result(textbook, x, {static_cast<double>(squares / count - (sum / count) * (sum / count))}));
  }
}

TEST_CASE("a mean of shares may lose half a subnormal per share") {
  Arithmetic late = arithmetic_of(Operator::mean, Element::f16), early = late;
  early.moment_method = MomentMethod::shares;
  const double least =
      0x1p-24;  // the smallest number of f16: of 1 and -3 of them each, the shares are 0 and -2
  CHECK(accepts_result(early, {least, -3 * least}, {-2 * least}));
  CHECK_FALSE(accepts_result(late, {least, -3 * least}, {-2 * least}));
  CHECK_FALSE(accepts_result(early, {least, -3 * least}, {-4 * least}));
}

TEST_CASE("a mean of shares may lose flushed shares") {
  Arithmetic kept = arithmetic_of(Operator::mean), flushed = kept;
  kept.moment_method = flushed.moment_method = MomentMethod::shares;
  flushed.flush_to_zero = true;
  // Half of the smallest normal number of f32 is flushed.
  CHECK(accepts_result(flushed, {0x1p-126, 0x1p-126}, {0}));
  CHECK_FALSE(accepts_result(kept, {0x1p-126, 0x1p-126}, {0}));
  CHECK_FALSE(accepts_result(flushed, {0x1p-120, 0x1p-120}, {0}));
  CHECK_FALSE(accepts_result(flushed, {1, 1}, {1 + 0x1p-18}));
}

/// Mean and variance computed by Welford's recurrence in f32.
std::pair<float, float> welford_of(const std::vector<double>& values) {
  float mean = 0, deviations = 0, count = 0;
  for (const double value : values) {
    const auto x = static_cast<float>(value);
    const float before = x - mean;
    count += 1;
    mean += before / count;
    deviations += before * (x - mean);
  }
  return {mean, deviations / count};
}

TEST_CASE("Welford's recurrence has its own bound") {
  Arithmetic variance = arithmetic_of(Operator::variance), mean = arithmetic_of(Operator::mean);
  variance.moment_method = mean.moment_method = MomentMethod::welford;
  CHECK(accepts_result(variance, {1, 2}, {0.25}));
  CHECK_FALSE(accepts_result(variance, {1, 2}, {0.2501}));
  CHECK_FALSE(accepts_result(mean, {1, 2}, {1.501}));
  CHECK_FALSE(accepts_result(variance, {1, nan}, {17}));
  std::mt19937 random(5);
  for (const double offset : {0.0, 1.0, 1000.0})
    for (const std::size_t count : {1, 2, 3, 100, 5000}) {
      std::vector<double> values = random_values(random, count, 1);
      for (double& x : values) x = static_cast<double>(static_cast<float>(x + offset));
      const auto [m, v] = welford_of(values);
      CHECK(accepts_result(mean, values, {static_cast<double>(m)}));
      CHECK(accepts_result(variance, values, {static_cast<double>(v)}));
    }
}

TEST_CASE("a standard deviation is the root of the variance plus epsilon, and may be divided by") {
  Arithmetic root = arithmetic_of(Operator::deviation),
             reciprocal = arithmetic_of(Operator::reciprocal_deviation);
  root.moment_method = reciprocal.moment_method = MomentMethod::two_pass;
  const std::vector<double> x{1, 3, 5, 7};  // the variance is 5
  CHECK(accepts_result(root, x, {2.2360679774997896}));
  CHECK_FALSE(accepts_result(root, x, {5}));
  CHECK_FALSE(accepts_result(root, x, {2.2361}));
  CHECK(accepts_result(reciprocal, x, {0.4472135954999579}));
  CHECK_FALSE(accepts_result(reciprocal, x, {2.2360679774997896}));
  root.epsilon = reciprocal.epsilon = 4;  // the root is 3
  CHECK(accepts_result(root, x, {3}));
  CHECK_FALSE(accepts_result(root, x, {2.2360679774997896}));
  CHECK(accepts_result(reciprocal, x, {1.0 / 3}));
  CHECK_FALSE(accepts_result(reciprocal, x, {0.3334}));
}

TEST_CASE("equal elements have a deviation of 0, and rounding errors decide what its reciprocal is") {
  const Arithmetic root = arithmetic_of(Operator::deviation),
                   reciprocal = arithmetic_of(Operator::reciprocal_deviation);
  CHECK(accepts_result(root, {2, 2, 2}, {0}));
  CHECK_FALSE(accepts_result(root, {2, 2, 2}, {2}));
  CHECK(accepts_result(reciprocal, {2, 2, 2}, {std::numeric_limits<double>::infinity()}));
  CHECK(accepts_result(reciprocal, {2, 2, 2}, {1e6}));
}

TEST_CASE("no elements, or an infinite one, have no standard deviation") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Arithmetic root = arithmetic_of(Operator::deviation);
  root.moment_method = MomentMethod::two_pass;
  CHECK(accepts_result(root, {}, {nan}));
  CHECK(accepts_result(root, {1, std::numeric_limits<double>::infinity()}, {nan}));
  CHECK_FALSE(accepts_result(root, {1, std::numeric_limits<double>::infinity()}, {1}));
}

TEST_CASE("a single infinite element has no spread if parts are merged, but not any other") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Arithmetic root = arithmetic_of(Operator::deviation),
             reciprocal = arithmetic_of(Operator::reciprocal_deviation);
  root.epsilon = reciprocal.epsilon = 4;
  CHECK(accepts_result(root, {inf}, {2}));
  CHECK_FALSE(accepts_result(root, {inf}, {3}));
  CHECK(accepts_result(root, {inf}, {inf}));
  CHECK(accepts_result(root, {inf}, {std::numeric_limits<double>::quiet_NaN()}));
  CHECK(accepts_result(reciprocal, {inf}, {0.5}));
  CHECK(accepts_result(reciprocal, {inf}, {0}));
  CHECK_FALSE(accepts_result(reciprocal, {inf}, {1}));
}

}  // namespace
}  // namespace foldproof
