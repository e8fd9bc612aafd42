// Bounds of standard deviations, their reciprocals, L2 normalization and log-softmax, compared with results
// computed in floats on random rows. FOLDPROOF_ROWS: number of rows of each kind (2500).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "accepted.h"
#include "catch.h"
#include "toy.h"

namespace foldproof {
namespace {

/// How near the results come to their bounds.
class Nearness {
 public:
  void take(const Arithmetic& arithmetic, const std::vector<double>& row, const std::vector<double>& results,
            const ResultLayout& layout = {}) {
    take(checked_result(arithmetic, layout, row, results));
  }

  void take(const CheckResult& checked) {
    if (!checked.ok) FAIL_CHECK(checked.sentence);
    if (!checked.error_over_bound) return;
    ++checked_;
    worst_ = std::max(worst_, *checked.error_over_bound);
  }

  /// A bound that no result comes near to would not be tested.
  void report(const std::string& what, double at_least) const {
    fmt::print("{:<24} {:>8} rows, worst error {:.3f} of the bound\n", what, checked_, worst_);
    CHECK(checked_ > 100);
    CHECK(worst_ >= at_least);
    CHECK(worst_ <= 1);
  }

 private:
  std::uint64_t checked_ = 0;
  double worst_ = 0;
};

using Floats = std::vector<float>;

/// In a random order, each sum rounded.
float added_up(Floats terms, std::mt19937_64& random) {
  while (terms.size() > 1) {
    const std::size_t at = random() % (terms.size() - 1);
    terms[at] += terms.back();
    terms.pop_back();
  }
  return terms.front();
}

Floats normal_row(float mean, float deviation, std::mt19937_64& random) {
  Floats row(2 + random() % 40);
  std::normal_distribution<float> normal(0, 1);
  for (float& x : row) x = mean + deviation * normal(random);
  return row;
}

std::vector<double> doubles(const Floats& values) { return {values.begin(), values.end()}; }

float variance_in_two_passes(const Floats& row, float correction, std::mt19937_64& random) {
  const auto n = static_cast<float>(row.size());
  const float mean = added_up(row, random) / n;
  Floats squares;
  for (const float x : row) squares.push_back((x - mean) * (x - mean));
  return added_up(squares, random) / (n - correction);
}

double in_f16(double x) { return to_double(decode(Element::f16, encode(Element::f16, number_of(x)))); }

std::uint64_t rows() { return number_from("FOLDPROOF_ROWS", 2500); }

}  // namespace

TEST_CASE("no standard deviation in floats, nor its reciprocal, violates its bound") {
  std::mt19937_64 random(5);
  Nearness roots, reciprocals;
  Arithmetic root = arithmetic_of(Operator::deviation),
             reciprocal = arithmetic_of(Operator::reciprocal_deviation);
  root.moment_method = reciprocal.moment_method = MomentMethod::two_pass;
  for (std::uint64_t k = rows(); k-- > 0;) {
    constexpr float means[] = {0, 1, 100}, deviations[] = {1, 1e-3F, 1e6F};
    const float deviation = deviations[random() % 3];
    const Floats row = normal_row(means[random() % 3] * deviation, deviation, random);
    const float epsilon = random() % 2 == 0 ? 0 : 1e-5F;
    root.epsilon = reciprocal.epsilon = static_cast<double>(epsilon);
    root.correction = reciprocal.correction = random() % 2;
    const float s = variance_in_two_passes(row, static_cast<float>(root.correction), random) + epsilon;
    roots.take(root, doubles(row), {static_cast<double>(std::sqrt(s))});
    reciprocals.take(reciprocal, doubles(row), {static_cast<double>(1 / std::sqrt(s))});
  }
  roots.report("standard deviation", 0.1);
  reciprocals.report("its reciprocal", 0.05);
}

/// A normalized row with weights and biases per column; all numbers have the input type.
CheckResult checked(const Arithmetic& norm, const std::vector<double>& row,
                    const std::vector<double>& weights, const std::vector<double>& biases,
                    const std::vector<double>& results) {
  const auto elements = elements_of(norm.input, row), of_weights = elements_of(norm.input, weights),
             of_biases = elements_of(norm.input, biases);
  Operands operands;
  operands.set(Role::weights, {norm.input, of_weights, 1});
  operands.set(Role::biases, {norm.input, of_biases, 1});
  const ResultLayout layout{.shape = ResultShape::rows, .columns = row.size()};
  return ResultChecker(norm, layout, elements, operands).check(elements_of(norm.input, results));
}

TEST_CASE("no RMSNorm in floats violates its bound if weight and bias are applied in f16") {
  std::mt19937_64 random(8);
  Nearness quotients;
  Arithmetic norm = arithmetic_of(Operator::rms_norm);
  norm.input = norm.output = Element::f16;
  norm.affine = AffineType::output;
  for (std::uint64_t k = rows(); k-- > 0;) {
    constexpr float scales[] = {1, 1e-2F, 100};
    std::vector<double> row, weights, biases, results;
    for (const float x : normal_row(0, scales[random() % 3], random)) {
      row.push_back(in_f16(static_cast<double>(x)));
      weights.push_back(in_f16(std::ldexp(static_cast<double>(random() % 2048), -10)));
      biases.push_back(random() % 2 == 0 ? 0 : in_f16(std::ldexp(static_cast<double>(random() % 512), -10)));
    }
    Floats squares;
    for (const double x : row) squares.push_back(static_cast<float>(x * x));
    const float scale = 1 / std::sqrt(added_up(squares, random) / static_cast<float>(row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double normalized = in_f16(static_cast<double>(static_cast<float>(row[i]) * scale));
      results.push_back(in_f16(in_f16(normalized * weights[i]) + biases[i]));
    }
    quotients.take(checked(norm, row, weights, biases, results));
  }
  quotients.report("RMSNorm, f16 weights", 0.2);
}

TEST_CASE("no LayerNorm in floats violates its bound if it is folded into a scale and a shift per column") {
  std::mt19937_64 random(9);
  Nearness quotients;
  Arithmetic norm = arithmetic_of(Operator::layer_norm);
  norm.moment_method = MomentMethod::two_pass;
  norm.epsilon = static_cast<double>(1e-5F);
  for (std::uint64_t k = rows(); k-- > 0;) {
    constexpr float means[] = {0, 1, 100};
    const Floats row = normal_row(means[random() % 3], 1, random);
    const float r = 1 / std::sqrt(variance_in_two_passes(row, 0, random) + 1e-5F);
    const float mean = added_up(row, random) / static_cast<float>(row.size());
    Floats weights, biases;
    std::vector<double> results;
    for (const float x : row) {
      weights.push_back(std::ldexp(static_cast<float>(random() % 4096), -11));
      biases.push_back(random() % 2 == 0 ? 0 : std::ldexp(static_cast<float>(random() % 4096), -8));
      const float scale = r * weights.back(), shift = biases.back() - mean * scale;
      results.push_back(static_cast<double>(
          random() % 2 == 0 ? x * scale + shift : (x * r - mean * r) * weights.back() + biases.back()));
    }
    quotients.take(checked(norm, doubles(row), doubles(weights), doubles(biases), results));
  }
  quotients.report("LayerNorm, folded", 0.2);
}

TEST_CASE("products of a folded LayerNorm may overflow although the results are in range") {
  Arithmetic norm = arithmetic_of(Operator::layer_norm);
  norm.moment_method = MomentMethod::two_pass;
  // The results are near -1 and 1 times the weight, but 10^18 / 10^12 times the weight is infinite.
  const auto elements = elements_of(Element::f32, {1e18, 1e18 + 2e12}),
             weights = elements_of(Element::f32, {1e33, 1e33}),
             results = elements_of(Element::f32, {NAN, NAN});
  Operands operands;
  operands.set(Role::weights, {Element::f32, weights, 1});
  const ResultLayout layout{.shape = ResultShape::rows, .columns = 2};
  const CheckResult checked = ResultChecker(norm, layout, elements, operands).check(results);
  CHECK(checked.ok);
  CHECK(checked.why_not == "the result may overflow");
}

TEST_CASE("no L2 normalization in floats violates its bound") {
  std::mt19937_64 random(6);
  Nearness quotients;
  const Arithmetic normalized = arithmetic_of(Operator::l2_normalize);
  for (std::uint64_t k = rows(); k-- > 0;) {
    constexpr float scales[] = {1, 1e-8F, 1e12F};
    const Floats row = normal_row(0, scales[random() % 3], random);
    Floats squares;
    for (const float x : row) squares.push_back(x * x);
    const float norm = std::sqrt(added_up(squares, random));
    const bool multiplies = random() % 2 == 0;
    std::vector<double> results;
    for (const float x : row) results.push_back(static_cast<double>(multiplies ? x * (1 / norm) : x / norm));
    quotients.take(normalized, doubles(row), results, {.shape = ResultShape::array});
  }
  quotients.report("L2 normalization", 0.05);
}

TEST_CASE("no log-softmax in floats violates its bound") {
  std::mt19937_64 random(7);
  Nearness logarithms;
  Arithmetic logarithm = arithmetic_of(Operator::log_softmax);
  logarithm.functions = MathFunctions::library;
  for (std::uint64_t k = rows(); k-- > 0;) {
    constexpr float scales[] = {1e-3F, 1, 30, 1e4F};
    const Floats row = normal_row(0, scales[random() % 4], random);
    const float max = *std::ranges::max_element(row);
    Floats exponentials;
    for (const float x : row) exponentials.push_back(std::exp(x - max));
    const float log_sum = std::log(added_up(exponentials, random));
    const bool subtracts_twice = random() % 2 == 0;
    std::vector<double> results;
    for (const float x : row)
      results.push_back(static_cast<double>(subtracts_twice ? x - max - log_sum : x - (max + log_sum)));
    logarithms.take(logarithm, doubles(row), results, {.shape = ResultShape::array});
  }
  logarithms.report("log-softmax", 0.1);
}

}  // namespace foldproof
