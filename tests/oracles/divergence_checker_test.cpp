// The Kullback-Leibler divergence: known values, special elements, and bounds on random pairs.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "accepted.h"
#include "catch.h"
#include "toy.h"

namespace foldproof {
namespace {

Arithmetic divergence(MathFunctions functions = MathFunctions::library) {
  Arithmetic a = arithmetic_of(Operator::kl_divergence);
  a.functions = functions;
  return a;
}

CheckResult checked_divergence(const Arithmetic& a, const std::vector<double>& x,
                               const std::vector<double>& y, double result) {
  const std::vector<std::byte> first = elements_of(a.input, x), second = elements_of(a.input, y);
  Operands operands;
  operands.set(Role::second, {a.input, second, 1});
  return ResultChecker(a, {}, first, operands).check(elements_of(a.output, {result}));
}

bool is_divergence(const std::vector<double>& x, const std::vector<double>& y, double result) {
  return checked_divergence(divergence(), x, y, result).ok;
}

TEST_CASE("the divergence of powers of two is a multiple of ln 2") {
  CHECK(is_divergence({0.5, 0.5}, {0.25, 0.25}, std::log(2.0)));
  CHECK(is_divergence({0.5, 0.25, 0.25}, {0.25, 0.25, 0.5}, std::log(2.0) / 4));
  CHECK_FALSE(is_divergence({0.5, 0.5}, {0.25, 0.25}, std::log(2.0) * (1 + 0x1p-19)));
  CHECK_FALSE(is_divergence({0.5, 0.5}, {0.25, 0.25}, std::log2(2.0)));
}

TEST_CASE("equal distributions do not diverge") {
  CHECK(is_divergence({0.1F, 0.9F}, {0.1F, 0.9F}, 0));
  CHECK_FALSE(is_divergence({0.1F, 0.9F}, {0.1F, 0.9F}, 1e-5));
  CHECK(is_divergence({}, {}, 0));
}

TEST_CASE("a zero element contributes nothing, and a zero divisor an infinity") {
  CHECK(is_divergence({0, 1}, {0.5, 0.5}, std::log(2.0)));
  CHECK(is_divergence({0, 1}, {0, 1}, 0));
  CHECK_FALSE(is_divergence({0, 1}, {0.5, 0.5}, NAN));
  CHECK(is_divergence({0.5, 0.5}, {0, 1}, INFINITY));
  CHECK_FALSE(is_divergence({0.5, 0.5}, {0, 1}, NAN));
}

TEST_CASE("infinite and NaN elements give infinities and NaN, and negative ones anything") {
  CHECK(is_divergence({INFINITY}, {1}, INFINITY));
  CHECK(is_divergence({1}, {INFINITY}, -INFINITY));
  CHECK(is_divergence({INFINITY, 1}, {1, INFINITY}, NAN));
  CHECK(is_divergence({NAN, 1}, {1, 1}, NAN));
  CHECK_FALSE(is_divergence({NAN, 1}, {1, 1}, 0));
  const CheckResult negative = checked_divergence(divergence(), {-1, 1}, {1, 1}, 7);
  CHECK(negative.ok);
  CHECK(negative.evidence == CheckResult::Evidence::nothing);
}

/// As a kernel computes it: the logarithm of the quotient or the difference of logarithms, in base e or 2,
/// and fused with the sum or not, in a random order.
float computed_divergence(const std::vector<float>& x, const std::vector<float>& y, std::mt19937& random) {
  constexpr float ln2 = 0.693147182F;
  const auto form = random() % 3;
  const bool fuses = random() % 2 == 0;
  std::vector<float> sums(1 + random() % 4);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float logarithm = form == 0   ? std::log(x[i] / y[i])
                            : form == 1 ? std::log(x[i]) - std::log(y[i])
                                        : (std::log2(x[i]) - std::log2(y[i])) * ln2;
    float& sum = sums[random() % sums.size()];
    sum = fuses ? std::fma(x[i], logarithm, sum) : sum + x[i] * logarithm;
  }
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

TEST_CASE("no divergence computed in floats violates its bound") {
  std::mt19937 random(5);
  double worst = 0;
  for (std::uint64_t k = number_from("FOLDPROOF_ROWS", 1500); k-- > 0;) {
    constexpr float scales[] = {1, 1e-12F, 1e12F};
    const float scale = scales[random() % 3], near = random() % 2 == 0 ? 1 : 1e-3F;
    std::uniform_real_distribution<float> positive(0.01F, 1);
    std::vector<float> x(1 + random() % 30), y(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = scale * positive(random);
      y[i] = x[i] * (1 + near * (positive(random) - 0.5F));
    }
    const auto result = static_cast<double>(computed_divergence(x, y, random));
    const CheckResult check =
        checked_divergence(divergence(), {x.begin(), x.end()}, {y.begin(), y.end()}, result);
    INFO(check.sentence);
    CHECK(check.ok);
    CHECK(check.error_over_bound.has_value());
    worst = std::max(worst, check.error_over_bound.value_or(0));
  }
  CHECK(worst > 0.05);  // this library's logarithms are more precise than CUDA's
}

TEST_CASE("a quotient that may leave the range of the format has no bound") {
  CHECK(checked_divergence(divergence(), {0x1p100}, {0x1p-100}, 0).ok);
  CHECK(checked_divergence(divergence(), {1, 0x1p-140}, {1, 1}, 7).ok);
  CHECK(checked_divergence(divergence(MathFunctions::fast), {0x1p126}, {0x1p126}, 7).ok);
  CHECK_FALSE(checked_divergence(divergence(), {0x1p120}, {0x1p120}, 0x1p120).ok);
}

}  // namespace
}  // namespace foldproof
