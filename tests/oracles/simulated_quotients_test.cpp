// Bounds of standard deviations, their reciprocals, L2 normalization and log-softmax, compared with results
// computed in floats on random rows. FOLDPROOF_ROWS: number of rows of each kind (2500).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
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

TEST_CASE("no RMSNorm of tiny elements violates its bound if the weight is applied first") {
  std::mt19937_64 random(10);
  Nearness quotients;
  Arithmetic norm = arithmetic_of(Operator::rms_norm);
  norm.epsilon = static_cast<double>(1e-5F);
  for (std::uint64_t k = rows(); k-- > 0;) {
    const Floats row = normal_row(0, std::ldexp(1.0F, -120 - static_cast<int>(random() % 29)), random);
    Floats squares, weights;
    for (const float x : row) squares.push_back(x * x);
    const float scale = 1 / std::sqrt(added_up(squares, random) / static_cast<float>(row.size()) + 1e-5F);
    std::vector<double> results;
    for (const float x : row) {
      weights.push_back(std::ldexp(static_cast<float>(random() % 4096), -11));
      results.push_back(static_cast<double>(weights.back() * x * scale));
    }
    quotients.take(checked(norm, doubles(row), doubles(weights), std::vector<double>(row.size()), results));
  }
  quotients.report("RMSNorm, weights first", 0.2);
}

/// Mean and sum of squared deviations of some elements.
struct MergedPart {
  float count = 0, mean = 0, deviations = 0;
};

MergedPart merged(const MergedPart& a, const MergedPart& b) {
  const float count = a.count + b.count, distance = b.mean - a.mean;
  return {count, a.mean + distance * b.count / count,
          a.deviations + b.deviations + distance * distance * a.count * b.count / count};
}

TEST_CASE("no LayerNorm by merged parts violates its bound without a method") {
  std::mt19937_64 random(11);
  Nearness quotients;
  Arithmetic norm = arithmetic_of(Operator::layer_norm);
  norm.epsilon = static_cast<double>(1e-5F);
  for (std::uint64_t k = rows(); k-- > 0;) {
    constexpr float means[] = {0, 1, 100};
    const Floats row = normal_row(means[random() % 3], 1, random);
    std::vector<MergedPart> parts;
    for (const float x : row) parts.push_back({1, x, 0});
    while (parts.size() > 1) {
      const std::size_t at = random() % (parts.size() - 1);
      parts[at] = merged(parts[at], parts.back());
      parts.pop_back();
    }
    const float r = 1 / std::sqrt(parts[0].deviations / parts[0].count + 1e-5F);
    const Floats weights(row.size(), 1.5F);
    std::vector<double> results;
    for (const float x : row) results.push_back(static_cast<double>(1.5F * (x - parts[0].mean) * r));
    quotients.take(checked(norm, doubles(row), doubles(weights), std::vector<double>(row.size()), results));
  }
  quotients.report("LayerNorm, merged", 0.001);
}

TEST_CASE("without a method, a row of zeros has no other LayerNorm than zeros") {
  Arithmetic norm = arithmetic_of(Operator::layer_norm);
  norm.epsilon = 1e-5;
  const std::vector<double> zeros(8), ones(8, 1.0);
  CHECK(checked(norm, zeros, ones, zeros, zeros).ok);
  CHECK_FALSE(checked(norm, zeros, ones, zeros, std::vector<double>(8, 1e-3)).ok);
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

/// Operations of a kernel that was compiled with --use_fast_math: their arguments and results are flushed,
/// and divisions and roots are off by up to the errors that the PTX ISA permits.
class FastOperations {
 public:
  explicit FastOperations(std::mt19937_64& random) : random_(random) {}

  static float flushed(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? 0 : x; }
  static float add(float a, float b) { return flushed(flushed(a) + flushed(b)); }
  static float multiply(float a, float b) { return flushed(flushed(a) * flushed(b)); }
  float divide(float a, float b) { return flushed(moved(flushed(a) / flushed(b))); }
  float root(float x) { return flushed(moved(std::sqrt(flushed(x)))); }
  float added_up(Floats terms) {
    while (terms.size() > 1) {
      const std::size_t at = random_() % (terms.size() - 1);
      terms[at] = add(terms[at], terms.back());
      terms.pop_back();
    }
    return flushed(terms.front());
  }
  float mean(const Floats& row) { return divide(added_up(row), static_cast<float>(row.size())); }
  /// About `center`, divided by n - correction.
  float mean_square(const Floats& row, float center, float correction = 0) {
    Floats squares;
    for (const float x : row) squares.push_back(multiply(add(x, -center), add(x, -center)));
    return divide(added_up(squares), static_cast<float>(row.size()) - correction);
  }
  float mean_of_shares(const Floats& row) {
    Floats shares;
    for (const float x : row) shares.push_back(divide(x, static_cast<float>(row.size())));
    return added_up(shares);
  }
  /// Mean and variance by Welford's recurrence.
  std::pair<float, float> by_recurrence(const Floats& row) {
    float m = 0, squares = 0, count = 0;
    for (const float x : row) {
      const float distance = add(x, -m);
      m = add(m, divide(distance, ++count));
      squares = add(squares, multiply(distance, add(x, -m)));
    }
    return {m, divide(squares, count)};
  }
  /// Of the distances from the first element.
  float shifted_variance(Floats row) {
    const float origin = row.front();
    for (float& x : row) x = add(x, -origin);
    return textbook_variance(row);
  }
  float textbook_variance(const Floats& row) {
    const float m = mean(row);
    return add(mean_square(row, 0), -multiply(m, m));
  }

 private:
  /// By at most one unit in the last place, on top of the rounding.
  float moved(float x) {
    const std::uint64_t way = random_() % 3;
    return way == 0 ? x : std::nextafter(x, way == 1 ? INFINITY : -INFINITY);
  }

  std::mt19937_64& random_;
};

/// From scales at which every square is flushed to those at which none is.
Floats tiny_or_usual_row(std::mt19937_64& random) {
  constexpr float scales[] = {1, 1e-15F, 1e-18F, 3e-19F, 1e-19F, 1e-20F, 1e-37F, 2e-38F, 1e-39F};
  const float scale = scales[random() % std::size(scales)];
  return normal_row(random() % 2 == 0 ? 0 : 3 * scale, scale, random);
}

TEST_CASE("no mean or variance by flushed and approximate operations violates its bound") {
  std::mt19937_64 random(11);
  FastOperations fast(random);
  Nearness means, in_two_passes, of_textbook;
  Arithmetic mean = arithmetic_of(Operator::mean), two_pass = arithmetic_of(Operator::variance);
  mean.flush_to_zero = two_pass.flush_to_zero = mean.approximates = two_pass.approximates = true;
  Arithmetic textbook = two_pass;
  two_pass.moment_method = MomentMethod::two_pass;
  textbook.moment_method = MomentMethod::textbook;
  for (std::uint64_t k = 4 * rows(); k-- > 0;) {
    const Floats row = tiny_or_usual_row(random);
    two_pass.correction = random() % 2;
    const float m = fast.mean(row);
    means.take(mean, doubles(row), {static_cast<double>(m)});
    in_two_passes.take(
        two_pass, doubles(row),
        {static_cast<double>(fast.mean_square(row, m, static_cast<float>(two_pass.correction)))});
    of_textbook.take(textbook, doubles(row), {static_cast<double>(fast.textbook_variance(row))});
  }
  means.report("mean, fast", 0.1);
  in_two_passes.report("two-pass variance, fast", 0.05);
  of_textbook.report("textbook variance, fast", 0.05);
}

TEST_CASE("no merged, shifted or shared moment by flushed and approximate operations violates its bound") {
  std::mt19937_64 random(14);
  FastOperations fast(random);
  Nearness merged_means, merged_variances, shifted_variances, shared_means;
  Arithmetic mean = arithmetic_of(Operator::mean), variance = arithmetic_of(Operator::variance);
  mean.flush_to_zero = variance.flush_to_zero = mean.approximates = variance.approximates = true;
  for (std::uint64_t k = 4 * rows(); k-- > 0;) {
    const Floats row = tiny_or_usual_row(random);
    mean.moment_method = variance.moment_method = MomentMethod::welford;
    const auto [m, v] = fast.by_recurrence(row);
    merged_means.take(mean, doubles(row), {static_cast<double>(m)});
    merged_variances.take(variance, doubles(row), {static_cast<double>(v)});
    variance.moment_method = MomentMethod::shifted;
    shifted_variances.take(variance, doubles(row), {static_cast<double>(fast.shifted_variance(row))});
    mean.moment_method = MomentMethod::shares;
    shared_means.take(mean, doubles(row), {static_cast<double>(fast.mean_of_shares(row))});
  }
  merged_means.report("merged mean, fast", 0.001);
  merged_variances.report("merged variance, fast", 0.001);
  shifted_variances.report("shifted variance, fast", 0.001);
  shared_means.report("mean of shares, fast", 0.05);
}

TEST_CASE("no normalization by flushed and approximate operations violates its bound") {
  std::mt19937_64 random(12);
  FastOperations fast(random);
  Nearness layers, squares, roots;
  Arithmetic layer = arithmetic_of(Operator::layer_norm), root = arithmetic_of(Operator::deviation);
  layer.flush_to_zero = root.flush_to_zero = layer.approximates = root.approximates = true;
  layer.moment_method = root.moment_method = MomentMethod::two_pass;
  Arithmetic square = layer;
  square.op = Operator::rms_norm;
  for (std::uint64_t k = 4 * rows(); k-- > 0;) {
    const Floats row = tiny_or_usual_row(random);
    constexpr float epsilons[] = {0, 1e-5F, 1e-12F, 1e-37F};
    const float epsilon = epsilons[random() % 4], m = fast.mean(row);
    layer.epsilon = square.epsilon = root.epsilon = static_cast<double>(epsilon);
    const float s = fast.root(fast.add(fast.mean_square(row, m), epsilon)),
                r = fast.root(fast.add(fast.mean_square(row, 0), epsilon));
    roots.take(root, doubles(row), {static_cast<double>(s)});
    Floats weights, biases;
    std::vector<double> of_layer, of_square;
    for (const float x : row) {
      constexpr float factors[] = {1, 0.3F, -7, 1e-39F, 1e-30F};
      weights.push_back(factors[random() % 5]);
      biases.push_back(random() % 2 == 0 ? 0 : factors[random() % 5]);
      const auto affine = [&](float y) {
        return static_cast<double>(fast.add(fast.multiply(y, weights.back()), biases.back()));
      };
      const bool divides = random() % 2 == 0;
      const auto over = [&](float y, float by) {
        return divides ? fast.divide(y, by) : fast.multiply(y, fast.divide(1, by));
      };
      of_layer.push_back(affine(over(fast.add(x, -m), s)));
      of_square.push_back(affine(over(x, r)));
    }
    layers.take(checked(layer, doubles(row), doubles(weights), doubles(biases), of_layer));
    squares.take(checked(square, doubles(row), doubles(weights), doubles(biases), of_square));
  }
  layers.report("LayerNorm, fast", 0.02);
  squares.report("RMSNorm, fast", 0.02);
  roots.report("standard deviation, fast", 0.05);
}

TEST_CASE("no L2 normalization by flushed and approximate operations violates its bound") {
  std::mt19937_64 random(13);
  FastOperations fast(random);
  Nearness quotients;
  Arithmetic normalized = arithmetic_of(Operator::l2_normalize);
  normalized.flush_to_zero = normalized.approximates = true;
  for (std::uint64_t k = 4 * rows(); k-- > 0;) {
    const Floats row = tiny_or_usual_row(random);
    const float n = fast.root(fast.mean_square(row, 0, static_cast<float>(row.size()) - 1));
    std::vector<double> results;
    for (const float x : row) results.push_back(static_cast<double>(fast.divide(x, n)));
    quotients.take(normalized, doubles(row), results, {.shape = ResultShape::array});
  }
  quotients.report("L2 normalization, fast", 0.05);
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
