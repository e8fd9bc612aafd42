// Sums and means of squared and absolute differences, and of Huber losses: exact results, categories, and
// bounds on random pairs.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "accepted.h"
#include "catch.h"
#include "toy.h"

namespace foldproof {
namespace {

struct Pairs {
  std::vector<double> x, y;
};

CheckResult checked_pairs(const Arithmetic& a, const Pairs& pairs, const std::vector<double>& outputs,
                          const ResultLayout& layout = {}) {
  const std::vector<std::byte> x = elements_of(a.input, pairs.x), y = elements_of(a.input, pairs.y);
  Operands operands;
  operands.set(Role::second, {a.input, y, 1});
  return ResultChecker(a, layout, x, operands).check(elements_of(a.output, outputs));
}

bool is_accepted(Operator op, const Pairs& pairs, double result) {
  return checked_pairs(arithmetic_of(op), pairs, {result}).ok;
}

constexpr Operator error_operators[] = {Operator::squared_error, Operator::absolute_error,
                                        Operator::mse,           Operator::mae,
                                        Operator::huber,         Operator::mean_huber};

TEST_CASE("differences of small integers have exact sums and means") {
  const Pairs pairs{{1, 2, -3, 5}, {4, 2, 1, 4}};  // the differences are -3, 0, -4 and 1
  CHECK(is_accepted(Operator::squared_error, pairs, 26));
  CHECK(is_accepted(Operator::absolute_error, pairs, 8));
  CHECK(is_accepted(Operator::mse, pairs, 6.5));
  CHECK(is_accepted(Operator::mae, pairs, 2));
  const double off = 1 + 0x1p-20;
  CHECK_FALSE(is_accepted(Operator::squared_error, pairs, 26 * off));
  CHECK_FALSE(is_accepted(Operator::absolute_error, pairs, 8 * off));
  CHECK_FALSE(is_accepted(Operator::mse, pairs, 6.5 * off));
  CHECK_FALSE(is_accepted(Operator::mae, pairs, 2 * off));
}

TEST_CASE("a Huber loss squares differences up to delta, and is linear beyond") {
  const Pairs pairs{{1, 2, -3, 5}, {4, 2, 1, 4}};  // the differences are -3, 0, -4 and 1
  const auto accepts = [&](Operator op, double delta, double result) {
    Arithmetic a = arithmetic_of(op);
    a.delta = delta;
    return checked_pairs(a, pairs, {result}).ok;
  };
  CHECK(accepts(Operator::huber, 1, 2.5 + 0 + 3.5 + 0.5));
  CHECK(accepts(Operator::huber, 3, 4.5 + 0 + 7.5 + 0.5));
  CHECK(accepts(Operator::huber, 0.5, 0.5 * (2.75 + 0 + 3.75 + 0.75)));
  CHECK(accepts(Operator::huber, 100, 13));
  CHECK(accepts(Operator::mean_huber, 3, 3.125));
  CHECK_FALSE(accepts(Operator::huber, 3, 12.5 + 0x1p-20));
  CHECK_FALSE(accepts(Operator::mean_huber, 3, 3.125 + 0x1p-18));
  CHECK_FALSE(accepts(Operator::huber, 3, 13));
}

TEST_CASE("a Huber loss is not checked where delta may be flushed or a difference may overflow") {
  Arithmetic a = arithmetic_of(Operator::huber);
  a.delta = 0x1p-126;
  CHECK_FALSE(checked_pairs(a, {{1}, {3}}, {0}).ok);
  a.flush_to_zero = true;
  CHECK(checked_pairs(a, {{1}, {3}}, {0}).evidence == CheckResult::Evidence::nothing);
  a.delta = 0x1p-10;
  CHECK(checked_pairs(a, {{0x1p127}, {-0x1p127}}, {INFINITY}).evidence == CheckResult::Evidence::nothing);
  CHECK_FALSE(checked_pairs(a, {{1}, {2}}, {0}).ok);
}

TEST_CASE("equal vectors have no error") {
  for (const Operator op : error_operators) {
    CHECK(is_accepted(op, {{0.1F, -7, 0x1p-140}, {0.1F, -7, 0x1p-140}}, 0));
    CHECK_FALSE(is_accepted(op, {{0.1F, -7, 0x1p-140}, {0.1F, -7, 0x1p-140}}, 0x1p-149));
  }
}

TEST_CASE("a difference of equal infinities is NaN, and any other infinite one is infinite") {
  for (const Operator op : error_operators) {
    CHECK(is_accepted(op, {{1, INFINITY}, {2, INFINITY}}, NAN));
    CHECK_FALSE(is_accepted(op, {{1, INFINITY}, {2, INFINITY}}, INFINITY));
    CHECK(is_accepted(op, {{1, INFINITY}, {2, -INFINITY}}, INFINITY));
    CHECK(is_accepted(op, {{1, 3}, {-INFINITY, 3}}, INFINITY));
    CHECK_FALSE(is_accepted(op, {{1, 3}, {-INFINITY, 3}}, NAN));
    CHECK(is_accepted(op, {{1, INFINITY}, {NAN, 2}}, NAN));
  }
}

TEST_CASE("the mean of no differences is NaN, and their sum is 0") {
  CHECK(is_accepted(Operator::mse, {}, NAN));
  CHECK_FALSE(is_accepted(Operator::mae, {}, 0));
  CHECK(is_accepted(Operator::squared_error, {}, 0));
  CHECK_FALSE(is_accepted(Operator::absolute_error, {}, NAN));
}

TEST_CASE("partial sums of differences add up to the whole") {
  const ResultLayout partials{.shape = ResultShape::partials};
  const Pairs pairs{{1, 2, 3}, {4, 2, 1}};
  CHECK(checked_pairs(arithmetic_of(Operator::squared_error), pairs, {9, 4, 0}, partials).ok);
  CHECK_FALSE(checked_pairs(arithmetic_of(Operator::squared_error), pairs, {9, 3}, partials).ok);
  CHECK(checked_pairs(arithmetic_of(Operator::absolute_error), pairs, {3, 2}, partials).ok);
  CHECK_FALSE(checked_pairs(arithmetic_of(Operator::absolute_error), pairs, {3, 1}, partials).ok);
}

TEST_CASE("partial sums in a narrower output are exact if nothing differs") {
  const ResultLayout partials{.shape = ResultShape::partials};
  Arithmetic narrow = arithmetic_of(Operator::squared_error);
  narrow.output = Element::f16;
  CHECK(checked_pairs(narrow, {{1, 2}, {1, 2}}, {0, 0}, partials).ok);
  CHECK_FALSE(checked_pairs(narrow, {{1, 2}, {1, 2}}, {0, 1}, partials).ok);
}

TEST_CASE("a subnormal difference counts unless subnormal numbers are flushed") {
  Arithmetic flushed = arithmetic_of(Operator::absolute_error);
  const Pairs close{{0x1p-126}, {0x1.8p-126}};
  CHECK_FALSE(checked_pairs(flushed, close, {0}).ok);
  flushed.flush_to_zero = true;
  CHECK(checked_pairs(flushed, close, {0}).ok);
  CHECK_FALSE(checked_pairs(flushed, {{1}, {1.5}}, {0.25}).ok);
}

/// The loss of one difference, in one of the usual forms.
float computed_huber(float d, float delta, unsigned form) {
  const float size = std::fabs(d), least = std::fmin(size, delta);
  switch (form) {
    case 0: return size <= delta ? 0.5F * d * d : delta * (size - 0.5F * delta);
    case 1: return size < delta ? d * d * 0.5F : delta * size - 0.5F * delta * delta;
    case 2: return least * (size - 0.5F * least);
    case 3: return size < delta ? 0.5F * (d * d) : std::fma(delta, size, -0.5F * (delta * delta));
    default: return 0.5F * least * least + delta * (size - least);
  }
}

/// As a kernel computes it: terms rounded, or fused with the sum, in a random order.
float computed_error(Operator op, const std::vector<float>& x, const std::vector<float>& y, float delta,
                     std::mt19937& random) {
  const bool squares = op == Operator::squared_error || op == Operator::mse;
  const bool is_mean = is_mean_of_pairs(op);
  const bool is_huber = op == Operator::huber || op == Operator::mean_huber;
  const auto form = static_cast<unsigned>(random() % 5);
  const auto term = [&](float d) {
    return is_huber ? computed_huber(d, delta, form) : squares ? d * d : std::fabs(d);
  };
  const auto n = static_cast<float>(x.size());
  const bool fuses = random() % 2 == 0, divides_first = is_mean && random() % 2 == 0;
  std::vector<float> sums(1 + random() % 4);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float d = x[i] - y[i];
    float& sum = sums[random() % sums.size()];
    if (divides_first)
      sum += term(d) / n;
    else if (squares && fuses)
      sum = std::fma(d, d, sum);
    else
      sum += term(d);
  }
  float total = 0;
  for (const float sum : sums) total += sum;
  return is_mean && !divides_first ? total / n : total;
}

TEST_CASE("no sum or mean of differences in floats violates its bound") {
  std::mt19937 random(3);
  for (const Operator op : error_operators) {
    double worst = 0;
    for (std::uint64_t k = number_from("FOLDPROOF_ROWS", 1500); k-- > 0;) {
      constexpr float scales[] = {1, 1e-22F, 1e17F};
      const float scale = scales[random() % 3], near = random() % 2 == 0 ? 1 : 1e-3F;
      std::normal_distribution<float> normal;
      std::vector<float> x(1 + random() % 30), y(x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = scale * normal(random);
        y[i] = x[i] + near * scale * normal(random);
      }
      constexpr float deltas[] = {1, 0.3F, 1e-4F};
      const float delta = scale * deltas[random() % 3];
      Arithmetic a = arithmetic_of(op);
      a.delta = static_cast<double>(delta);
      const double result = static_cast<double>(computed_error(op, x, y, delta, random));
      const CheckResult check = checked_pairs(a, {{x.begin(), x.end()}, {y.begin(), y.end()}}, {result});
      INFO(check.sentence);
      CHECK(check.ok);
      worst = std::max(worst, check.error_over_bound.value_or(0));
    }
    INFO(info(op).name);
    CHECK(worst > 0.3);  // a bound that no result comes near to would not be tested
  }
}

}  // namespace
}  // namespace foldproof
