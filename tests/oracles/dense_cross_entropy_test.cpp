// Cross-entropies with a label for each class: known values, special elements, and bounds on random rows.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "accepted.h"
#include "catch.h"
#include "toy.h"

namespace foldproof {
namespace {

CheckResult checked_loss(const std::vector<double>& x, const std::vector<double>& labels, double result,
                         MathFunctions functions = MathFunctions::library) {
  Arithmetic a = arithmetic_of(Operator::dense_cross_entropy);
  a.functions = functions;
  const std::vector<std::byte> first = elements_of(a.input, x), second = elements_of(a.input, labels);
  Operands operands;
  operands.set(Role::second, {a.input, second, 1});
  return ResultChecker(a, {}, first, operands).check(elements_of(a.output, {result}));
}

bool is_loss(const std::vector<double>& x, const std::vector<double>& labels, double result) {
  return checked_loss(x, labels, result).ok;
}

TEST_CASE("the loss of equal elements is ln n times the sum of the labels") {
  CHECK(is_loss({3, 3, 3, 3}, {0.25, 0.25, 0.5, 0}, std::log(4.0)));
  CHECK(is_loss({3, 3, 3, 3}, {1, 1, -1, 1}, 2 * std::log(4.0)));
  CHECK_FALSE(is_loss({3, 3, 3, 3}, {0.25, 0.25, 0.5, 0}, std::log(4.0) * (1 + 1e-4)));
}

TEST_CASE("the loss of one label of 1 is the cross-entropy of that class") {
  const double log_sum = std::log(std::exp(1.0) + std::exp(2.0) + std::exp(4.0));
  CHECK(is_loss({1, 2, 4}, {0, 1, 0}, log_sum - 2));
  CHECK_FALSE(is_loss({1, 2, 4}, {0, 1, 0}, log_sum - 4));
  CHECK(is_loss({1, 2, 4}, {0, 0, 0}, 0));
}

TEST_CASE("a NaN among the elements or labels gives NaN, and an infinity anything") {
  CHECK(is_loss({1, NAN}, {1, 0}, NAN));
  CHECK_FALSE(is_loss({1, 2}, {NAN, 0}, 0));
  CHECK(checked_loss({1, -INFINITY}, {1, 0}, 7).evidence == CheckResult::Evidence::nothing);
  CHECK(is_loss({}, {}, 0));
  CHECK_FALSE(is_loss({}, {}, 7));
}

/// As a kernel computes it: term by term from the log-sum-exp or about the maximum, or from two sums.
float computed_loss(const std::vector<float>& x, const std::vector<float>& y, unsigned form) {
  const float max = *std::ranges::max_element(x);
  float sum = 0, loss = 0, labels = 0, products = 0;
  for (const float one : x) sum += std::exp(one - max);
  const float logarithm = std::log(sum);
  for (std::size_t i = 0; i < x.size(); ++i) {
    loss += form == 0 ? y[i] * (max + logarithm - x[i]) : -y[i] * (x[i] - max - logarithm);
    labels += y[i];
    products = std::fma(y[i], x[i], products);
  }
  return form == 2 ? (max + logarithm) * labels - products : loss;
}

TEST_CASE("no loss computed in floats violates its bound") {
  std::mt19937 random(7);
  double worst = 0;
  for (std::uint64_t k = number_from("FOLDPROOF_ROWS", 1500); k-- > 0;) {
    const float scale = random() % 2 == 0 ? 1 : 20, offset = random() % 2 == 0 ? 0 : 100;
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> label(0, 1);
    std::vector<float> x(1 + random() % 30), y(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = offset + scale * normal(random);
      y[i] = label(random) / static_cast<float>(x.size());
    }
    const auto result = static_cast<double>(computed_loss(x, y, static_cast<unsigned>(random() % 3)));
    const CheckResult check = checked_loss({x.begin(), x.end()}, {y.begin(), y.end()}, result);
    INFO(check.sentence);
    CHECK(check.ok);
    CHECK(check.error_over_bound.has_value());
    worst = std::max(worst, check.error_over_bound.value_or(0));
  }
  CHECK(worst > 0.05);  // this library's functions are more precise than CUDA's
}

}  // namespace
}  // namespace foldproof
