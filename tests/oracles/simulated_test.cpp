// Bounds of log-sum-exp, softmax, variance and norm, compared with results computed in floats on random and
// hostile rows. FOLDPROOF_ROWS: number of rows of each kind (2500; four times as many for variances and
// norms).
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>

#include "catch.h"
#include "elements.h"
#include "exponentials.h"
#include "oracles/bounds.h"
#include "oracles/bounds/exponential.h"
#include "oracles/bounds/variance.h"
#include "oracles/checkers/function_errors.h"
#include "oracles/references/moments.h"
#include "oracles/references/reference.h"
#include "oracles/tally.h"
#include "toy.h"

namespace foldproof {
namespace {

constexpr float f32_infinity = std::numeric_limits<float>::infinity();
const FloatFormat& single_precision = float_format(Element::f32);

// The C library documents errors below one ulp, 2u, for expf and logf.
const ExponentialErrors library{Dyadic(1, -23), Dyadic(1, -149), Dyadic(1, -23)};

struct Sum {
  float value = 0;
  std::uint64_t height = 0;
};

/// Adds the terms in a random tree.
Sum added_simulated(const std::vector<float>& terms, std::mt19937_64& random) {
  std::vector<Sum> nodes;
  for (const float x : terms) nodes.push_back({x, 0});
  while (nodes.size() > 1) {
    const std::size_t at = random() % (nodes.size() - 1);
    Sum& a = nodes[at];
    const Sum b = nodes.back();
    nodes.pop_back();
    a = {a.value + b.value, std::max(a.height, b.height) + 1};
  }
  return nodes.empty() ? Sum{} : nodes.front();
}

std::vector<float> random_row(std::mt19937_64& random) {
  std::vector<float> row(1 + random() % 16);
  constexpr float spreads[] = {1e-3F, 1, 10, 60, 104, 1e4F, 1e38F};
  const float spread = spreads[random() % std::size(spreads)];
  std::uniform_real_distribution<float> uniform(-spread, spread);
  const float shift = random() % 3 == 0 ? 10 * uniform(random) : 0;
  for (float& x : row)
    x = random() % 20 == 0 ? -f32_infinity : uniform(random) + (std::isfinite(shift) ? shift : 0);
  if (random() % 4 == 0) row.back() = row.front();
  if (!std::isfinite(row.front())) row.front() = spread;
  return row;
}

struct Worst {
  double ratio = 0;
  std::uint64_t tried = 0;

  void take(float computed, const Reference& exact, const Bound& bound) {
    ++tried;
    REQUIRE(bound);
    const Enclosure e = exact.enclosure();
    const Dyadic value(number_of(static_cast<double>(computed)));
    const Dyadic error = std::max(abs(value - e.low), abs(value - e.high)),
                 allowed = *bound + (e.high - e.low);
    if (!(error <= allowed)) FAIL_CHECK(fmt::format("computed {}, exact about {}", computed, to_text(e.low)));
    if (!allowed.is_zero()) ratio = std::max(ratio, foldproof::ratio(error, allowed));
  }

  void report(const char* what, double at_least) const {
    fmt::print("{:<24} {:>8} values, worst error {:.3f} of the bound\n", what, tried, ratio);
    CHECK(ratio >= at_least);
  }
};

struct Exponentials {
  float max = -f32_infinity;
  std::vector<float> each;
  Sum sum;
};

Exponentials exponentials_of(const std::vector<float>& row, std::mt19937_64& random) {
  Exponentials e;
  for (const float x : row) e.max = std::max(e.max, x);
  for (const float x : row) e.each.push_back(std::exp(x - e.max));
  e.sum = added_simulated(e.each, random);
  return e;
}

TEST_CASE("no log-sum-exp or softmax in floats violates its bound") {
  std::mt19937_64 random(1);
  Worst log_sum, division, reciprocal;
  std::vector<std::vector<float>> rows{
      {88, 0},         {104, 0},          {0, -103, -103, -103}, {-87.5F, 0},       {5},
      {3e38F, -3e38F}, {1e-38F, -1e-38F}, {-f32_infinity, 2},    {0, -17, -17, -17}};
  for (std::uint64_t k = number_from("FOLDPROOF_ROWS", 2500); k-- > 0;) rows.push_back(random_row(random));
  for (const std::vector<float>& row : rows) {
    const Exponentials e = exponentials_of(row, random);
    const auto bytes = bytes_of(row);
    const ExponentialSums sums =
        ExactExponentials(Element::f32, bytes, single_precision.precision, 128, Difference::exact_if_possible)
            .sums();
    const Reference exact = log_sum_exp(Element::f32, bytes);
    const Enclosure result = exact.enclosure();
    const Dyadic magnitude = std::max(abs(result.low), abs(result.high));
    log_sum.take(e.max + std::log(e.sum.value), exact,
                 log_sum_exp_bound(sums, e.sum.height, single_precision, library, magnitude));
    const auto shares = softmax(Element::f32, bytes);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!std::isfinite(row[i])) continue;
      const Dyadic gap = Dyadic(number_of(e.max)) - Dyadic(number_of(row[i]));
      const auto bound = [&](std::uint64_t roundings) {
        return SoftmaxBounds(sums, e.sum.height, single_precision, library, Difference::exact_if_possible,
                             roundings)
            .of(shares[i].enclosure().high, gap);
      };
      division.take(e.each[i] / e.sum.value, shares[i], bound(1));
      reciprocal.take(e.each[i] * (1 / e.sum.value), shares[i], bound(2));
    }
  }
  log_sum.report("log-sum-exp", 0.5);
  division.report("softmax, division", 0.4);
  reciprocal.report("softmax, reciprocal", 0.4);
}

/// exp(x - max) by fast functions whose result is off by at most 2 units in the last place.
using FastExponential = float (*)(float x, float max, float units);

float off_by(float units, float value) { return std::isnormal(value) ? value * (1 + units * 0x1p-23F) : 0; }

constexpr float log2_e = 1.44269504F;
const FastExponential fast_exponentials[] = {
    [](float x, float max, float units) { return off_by(units, std::exp2((x - max) * log2_e)); },
    [](float x, float max, float units) {
      return off_by(units, std::exp2(std::fma(x, log2_e, -(max * log2_e))));
    },
    [](float x, float max, float units) {
      const float scaled = x * log2_e, of_max = max * log2_e;
      return off_by(units, std::exp2(scaled - of_max));
    },
    [](float x, float max, float units) {  // what the programming guide says of __expf
      return off_by(units * (1 + 0.586F * (max - x)), std::exp(x - max));
    }};

TEST_CASE("no softmax by fast functions violates its bound, which grows with the distance from the maximum") {
  std::mt19937_64 random(1);
  Worst worst;
  std::vector<std::vector<float>> rows{{0, -1, -2},  {5, -5},   {0, -50, -80},
                                       {3, 2.5F, 2}, {100, 99}, {-200, -201}};
  for (std::uint64_t k = number_from("FOLDPROOF_ROWS", 2500); k-- > 0;) {
    rows.push_back(random_row(random));
    if (std::ranges::any_of(rows.back(), [](float x) { return std::isfinite(x) && std::abs(x) > 1e5F; }))
      rows.pop_back();
  }
  Arithmetic arithmetic;
  arithmetic.accumulator = Element::f32;
  arithmetic.functions = MathFunctions::fast;
  for (const std::vector<float>& row : rows)
    for (const FastExponential exponential : fast_exponentials) {
      const float max = *std::ranges::max_element(row), units = random() % 2 == 0 ? 2.F : -2.F;
      std::vector<float> each;
      for (const float x : row) each.push_back(exponential(x, max, units));
      const float away = row.size() > 1 ? -units : units;  // the sum errs in the other direction
      std::vector<float> summed;
      for (const float x : row) summed.push_back(exponential(x, max, away));
      const Sum sum = added_simulated(summed, random);
      const auto bytes = bytes_of(row);
      const ExactExponentials exact(Element::f32, bytes, single_precision.precision, 128,
                                    Difference::exact_if_possible);
      const SoftmaxBounds bounds(exact.sums(), sum.height, single_precision,
                                 function_errors(arithmetic, exact.max()), Difference::exact_if_possible, 1,
                                 true);
      const auto shares = softmax(Element::f32, bytes);
      for (std::size_t i = 0; i < row.size(); ++i)
        if (std::isfinite(row[i]))
          worst.take(each[i] / sum.value, shares[i], bounds.of(shares[i].enclosure().high, *exact.gap(i)));
    }
  worst.report("softmax, fast functions", 0.5);
}

TEST_CASE("near the maximum, fast functions have small errors") {
  Arithmetic arithmetic;
  arithmetic.accumulator = Element::f32;
  arithmetic.functions = MathFunctions::fast;
  const ExactExponentials exact(Element::f32, bytes_of(std::vector<float>{0.5F, 0.25F}),
                                single_precision.precision, 64, Difference::exact_if_possible);
  const SoftmaxBounds bounds(exact.sums(), 1, single_precision, function_errors(arithmetic, exact.max()),
                             Difference::exact_if_possible);
  // The share 0.56 of the first: its own errors and those of the sum have at most 12 ulp of 2^-23 together.
  CHECK(*bounds.of(Dyadic(9, -4), Dyadic{}) < Dyadic(12, -23));
}

TEST_CASE("an exponential sum without a bound has no bound for its logarithm") {
  const ExponentialErrors careless{Dyadic(1, 0), Dyadic(1, -149), Dyadic(1, -23)};
  const auto sums = ExactExponentials(Element::f32, bytes_of(std::vector<float>{1, 2}),
                                      single_precision.precision, 128, Difference::exact_if_possible)
                        .sums();
  CHECK_FALSE(log_sum_exp_bound(sums, 1, single_precision, careless, Dyadic(3, 0)));
  CHECK_FALSE(SoftmaxBounds(sums, 1, single_precision, careless, Difference::exact_if_possible)
                  .of(Dyadic(1, 0), Dyadic(1, 0)));
}

Moments moments_of(const std::vector<float>& row) {
  const auto bytes = bytes_of(row);
  const Tally values = tally(Element::f32, bytes), squares = tally_products(Element::f32, bytes, bytes);
  return {row.size(), values.sum(), values.magnitude(), squares.sum()};
}

std::vector<float> row_about(float mean, float deviation, std::mt19937_64& random) {
  std::vector<float> row(2 + random() % 60);
  std::normal_distribution<float> normal(0, 1);
  for (float& x : row) x = mean + deviation * normal(random);
  return row;
}

/// The variance for a sum of squared deviations: of the population or, in one of three ways, of a sample.
float divided(float sum, std::size_t count, bool sample, std::mt19937_64& random) {
  const auto n = static_cast<float>(count);
  if (!sample) return sum / n;
  switch (random() % 3) {
    case 0: return sum / (n - 1);
    case 1: return sum / n * n / (n - 1);
    default: return sum / n * (n / (n - 1));
  }
}

float two_pass(const std::vector<float>& row, bool sample, bool fused, std::mt19937_64& random) {
  const float mean = added_simulated(row, random).value / static_cast<float>(row.size());
  std::vector<float> squares;
  float chain = 0;
  for (const float x : row) {
    const float difference = x - mean;
    squares.push_back(difference * difference);
    chain = std::fma(difference, difference, chain);
  }
  return divided(fused ? chain : added_simulated(squares, random).value, row.size(), sample, random);
}

float textbook(const std::vector<float>& row, bool sample, std::mt19937_64& random) {
  std::vector<float> squares;
  for (const float x : row) squares.push_back(x * x);
  const float sum = added_simulated(row, random).value;
  const float deviations =
      added_simulated(squares, random).value - sum * sum / static_cast<float>(row.size());
  return divided(deviations, row.size(), sample, random);
}

float shifted(const std::vector<float>& row, bool sample, std::mt19937_64& random) {
  std::vector<float> distances;
  for (const float x : row) distances.push_back(x - row.front());
  return textbook(distances, sample, random);
}

TEST_CASE("no variance in floats violates its bound, for any mean") {
  std::mt19937_64 random(2);
  Worst of_two_pass, of_textbook, of_shifted;
  constexpr float means[] = {0, 1, 1e3F, 1e8F, 1e15F}, deviations[] = {1, 1e-3F, 1e7F, 1e-20F, 1e-23F};
  for (std::uint64_t k = 4 * number_from("FOLDPROOF_ROWS", 2500); k-- > 0;) {
    const float deviation = deviations[random() % std::size(deviations)];
    const std::vector<float> row =
        row_about(means[random() % std::size(means)] * deviation, deviation, random);
    const bool sample = random() % 2 != 0;
    const Moments moments = moments_of(row);
    const auto bound_of = [&](const Bound& population) {
      return sample && population ? sample_variance_bound(moments, *population, single_precision)
                                  : population;
    };
    const Reference exact = variance(Element::f32, bytes_of(row), sample ? 1 : 0);
    of_two_pass.take(two_pass(row, sample, random() % 2 != 0, random), exact,
                     bound_of(two_pass_variance_bound(moments, single_precision)));
    const auto largest = [&] {
      float most = 0;
      for (const float x : row) most = std::max(most, std::fabs(x));
      return Dyadic(number_of(static_cast<double>(most)));
    };
    std::vector<float> with_outlier = row;  // the shift is then far from the mean
    if (random() % 2 != 0) std::swap(with_outlier.front(), *std::ranges::max_element(with_outlier));
    if (const Bound bound = bound_of(shifted_variance_bound(row.size(), largest(), single_precision)))
      of_shifted.take(shifted(with_outlier, sample, random), exact, bound);
    const float computed = textbook(row, sample, random);
    if (std::isfinite(computed))
      of_textbook.take(computed, exact, bound_of(textbook_variance_bound(moments, single_precision)));
  }
  of_two_pass.report("two-pass variance", 0.1);
  of_textbook.report("textbook variance", 0.1);
  of_shifted.report("shifted variance", 0.001);
}

TEST_CASE("a variance without a bound is recognized") {
  CHECK_FALSE(two_pass_variance_bound({}, single_precision));
  CHECK_FALSE(sample_variance_bound({1, Dyadic(1, 0), Dyadic(1, 0), Dyadic(1, 0)}, {}, single_precision));
  CHECK_FALSE(two_pass_variance_bound({(1 << 24) + 1, {}, {}, {}}, single_precision));
}

/// Calls `take` with rows about 0 of these scales, and the tallies of their squares.
template <class Take>
void for_rows_about_zero(std::span<const float> scales, std::mt19937_64& random, const Take& take) {
  for (std::uint64_t k = 4 * number_from("FOLDPROOF_ROWS", 2500); k-- > 0;) {
    const std::vector<float> row = row_about(0, scales[random() % scales.size()], random);
    const auto bytes = bytes_of(row);
    take(row, norm(Element::f32, bytes), tally_products(Element::f32, bytes, bytes));
  }
}

TEST_CASE("no norm in floats violates its bound, from underflow to near overflow of the squares") {
  std::mt19937_64 random(3);
  Worst worst;
  constexpr float scales[] = {1, 1e-19F, 1e-22F, 1e-25F, 1e17F};
  for_rows_about_zero(scales, random, [&](const auto& row, const Reference& exact, const Tally& t) {
    std::vector<float> squares;
    for (const float x : row) squares.push_back(x * x);
    const Bound sum =
        dot_bound_any_order(t.nonzero, t.lowest_place < -149 ? t.nonzero : 0, single_precision, t.sum());
    worst.take(std::sqrt(added_simulated(squares, random).value), exact,
               norm_bound(t.sum(), *sum, single_precision));
  });
  worst.report("norm", 0.3);
}

/// Divided by the largest magnitude, or by the largest so far, or combined by hypot.
float scaled_norm(const std::vector<float>& row, std::uint64_t algorithm) {
  if (algorithm == 2) {
    float norm = 0;
    for (const float x : row) norm = std::hypot(norm, x);
    return norm;
  }
  float scale = 0, sum = 0;
  if (algorithm == 0)
    for (const float x : row) scale = std::max(scale, std::fabs(x));
  for (const float x : row) {
    if (x == 0) continue;
    const float magnitude = std::fabs(x);
    if (magnitude > scale) {
      sum = 1 + sum * (scale / magnitude) * (scale / magnitude);
      scale = magnitude;
    } else {
      sum += (magnitude / scale) * (magnitude / scale);
    }
  }
  return scale * std::sqrt(sum);
}

TEST_CASE("no scaled norm in floats violates its bound, from the smallest to the largest elements") {
  std::mt19937_64 random(4);
  Worst worst;
  constexpr float scales[] = {1, 1e-19F, 1e-37F, 1e-44F, 1e37F};
  for_rows_about_zero(scales, random, [&](const auto& row, const Reference& exact, const Tally& t) {
    worst.take(scaled_norm(row, random() % 3), exact,
               scaled_norm_bound(row.size(), t.sum(), single_precision));
  });
  worst.report("scaled norm", 0.01);
}

}  // namespace
}  // namespace foldproof
