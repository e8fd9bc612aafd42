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

/// The errors of a device's functions, relative to what this library computes.
struct Errors {
  double quotient = 0, logarithm = 0, absolute = 0;
};

/// As a kernel computes it: the logarithm of the quotient or the difference of logarithms, in base e or 2,
/// and fused with the sum or not, in a random order.
template <class T>
T computed_divergence(const std::vector<T>& x, const std::vector<T>& y, const Errors& errors,
                      std::mt19937& random) {
  const auto ln2 = static_cast<T>(std::log(2.0));
  std::uniform_real_distribution<double> part(-1, 1);
  const auto off = [&](T value, double relative, double absolute = 0) {
    return static_cast<T>(static_cast<double>(value) * (1 + relative * part(random)) +
                          absolute * part(random));
  };
  const auto ln = [&](T value) { return off(std::log(value), errors.logarithm, errors.absolute); };
  const auto form = random() % 3;
  const bool fuses = random() % 2 == 0;
  std::vector<T> sums(1 + random() % 4);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T logarithm = form == 0   ? ln(off(x[i] / y[i], errors.quotient))
                        : form == 1 ? ln(x[i]) - ln(y[i])
                                    : (ln(x[i]) / ln2 - ln(y[i]) / ln2) * ln2;
    T& sum = sums[random() % sums.size()];
    sum = fuses ? std::fma(x[i], logarithm, sum) : sum + x[i] * logarithm;
  }
  T total = 0;
  for (const T sum : sums) total += sum;
  return total;
}

/// The largest error over the bound of random divergences, which all obey it.
template <class T>
double worst_ratio(const Arithmetic& a, const Errors& errors) {
  std::mt19937 random(5);
  double worst = 0;
  for (std::uint64_t k = number_from("FOLDPROOF_ROWS", 500); k-- > 0;) {
    constexpr T scales[] = {1, static_cast<T>(1e-12), static_cast<T>(1e12)};
    const T scale = scales[random() % 3], near = random() % 2 == 0 ? 1 : static_cast<T>(1e-3);
    std::uniform_real_distribution<T> positive(static_cast<T>(0.01), 1);
    std::vector<T> x(1 + random() % 30), y(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = scale * positive(random);
      y[i] = x[i] * (1 + near * (positive(random) - static_cast<T>(0.5)));
    }
    const auto result = static_cast<double>(computed_divergence(x, y, errors, random));
    const CheckResult check = checked_divergence(a, {x.begin(), x.end()}, {y.begin(), y.end()}, result);
    INFO(check.sentence);
    CHECK(check.ok);
    CHECK(check.error_over_bound.has_value());
    worst = std::max(worst, check.error_over_bound.value_or(0));
  }
  return worst;
}

// A bound that no result comes near to would not be tested.
TEST_CASE("no divergence violates its bound, whatever the permitted errors of the functions are") {
  constexpr double ulp = 0x1p-23, ulp_of_f64 = 0x1p-52;
  CHECK(worst_ratio<float>(divergence(), {}) > 0.05);
  CHECK(worst_ratio<float>(divergence(), {ulp / 2, 2 * ulp}) > 0.2);
  CHECK(worst_ratio<float>(divergence(MathFunctions::fast), {2 * ulp, 3 * ulp, 0x1p-21}) > 0.2);
  Arithmetic f64 = divergence();
  f64.input = f64.accumulator = f64.output = Element::f64;
  CHECK(worst_ratio<double>(f64, {ulp_of_f64 / 2, 2 * ulp_of_f64}) > 0.2);
}

TEST_CASE("a term that may be flushed to zero may be missing") {
  Arithmetic a = divergence();
  CHECK_FALSE(checked_divergence(a, {0x1p-126}, {0x1.8p-126}, 0).ok);
  a.flush_to_zero = true;
  CHECK(checked_divergence(a, {0x1p-126}, {0x1.8p-126}, 0).ok);
  CHECK_FALSE(checked_divergence(a, {1}, {1.5}, 0).ok);
}

TEST_CASE("an infinite term among terms that may be infinite as well is not checked") {
  CHECK_FALSE(checked_divergence(divergence(), {INFINITY, 1}, {1, 1}, NAN).ok);
  const CheckResult fast =
      checked_divergence(divergence(MathFunctions::fast), {INFINITY, 1}, {1, 0x1p127}, NAN);
  CHECK(fast.evidence == CheckResult::Evidence::nothing);
}

TEST_CASE("a quotient that may leave the range of the format has no bound") {
  CHECK(checked_divergence(divergence(), {0x1p100}, {0x1p-100}, 0).ok);
  CHECK(checked_divergence(divergence(), {1, 0x1p-140}, {1, 1}, 7).ok);
  CHECK(checked_divergence(divergence(MathFunctions::fast), {0x1p126}, {0x1p126}, 7).ok);
  CHECK_FALSE(checked_divergence(divergence(), {0x1p120}, {0x1p120}, 0x1p120).ok);
}

}  // namespace
}  // namespace foldproof
