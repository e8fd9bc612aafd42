// Checks of results other than single reductions: indices, moments, exponentials, histograms, rows and scans.
#include "oracles/result_checker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "catch.h"
#include "elements.h"
#include "special_values.h"

namespace foldproof {
namespace {

Arithmetic arithmetic_of(Operator op, Element element = Element::f32) {
  Arithmetic arithmetic;
  arithmetic.op = op;
  arithmetic.input = arithmetic.accumulator = arithmetic.output = element;
  arithmetic.nan = NanPolicy::propagate;
  return arithmetic;
}

Arithmetic place_of(Operator op, Element input = Element::f32) {
  Arithmetic arithmetic = arithmetic_of(op, input);
  arithmetic.output = Element::u32;
  return arithmetic;
}

CheckResult checked_result(const Arithmetic& a, const ResultLayout& layout, const std::vector<double>& input,
                           const std::vector<double>& outputs) {
  const std::vector<std::byte> bytes = elements_of(a.input, input);
  return ResultChecker(a, layout, bytes).check(elements_of(a.output, outputs));
}

bool accepts_result(const Arithmetic& a, const std::vector<double>& input, const std::vector<double>& outputs,
                    const ResultLayout& layout = {}) {
  return checked_result(a, layout, input, outputs).ok;
}

constexpr ResultLayout array{ResultShape::array, 0, {}};

/// A value a number of ulps away.
float moved(float x, int ulps) {
  for (; ulps > 0; --ulps) x = std::nextafter(x, INFINITY);
  return x;
}

std::vector<double> random_values(std::mt19937& random, std::size_t count, float spread) {
  std::uniform_real_distribution<float> any(-spread, spread);
  std::vector<double> values(count);
  for (double& x : values) x = static_cast<double>(any(random));
  return values;
}

// --- Indices

TEST_CASE("argmax and argmin accept the index of any extreme element, or only the first if that is claimed") {
  Arithmetic max = place_of(Operator::argmax), min = place_of(Operator::argmin);
  CHECK(accepts_result(max, {1, 5, 2, 5}, {1}));
  CHECK(accepts_result(max, {1, 5, 2, 5}, {3}));
  CHECK_FALSE(accepts_result(max, {1, 5, 2, 5}, {2}));
  CHECK_FALSE(accepts_result(max, {1, 5, 2, 5}, {4}));
  CHECK(accepts_result(min, {1, 5, -2, 5}, {2}));
  CHECK(accepts_result(max, {-0.0, 0.0}, {0}));
  CHECK(accepts_result(max, {-0.0, 0.0}, {1}));
  max.ties = Ties::first;
  CHECK(accepts_result(max, {1, 5, 2, 5}, {1}));
  CHECK_FALSE(accepts_result(max, {1, 5, 2, 5}, {3}));
}

TEST_CASE("the index of a NaN is required if NaN propagates and wrong if it is ignored") {
  Arithmetic max = place_of(Operator::argmax);
  CHECK(accepts_result(max, {1, nan, 7}, {1}));
  CHECK_FALSE(accepts_result(max, {1, nan, 7}, {2}));
  max.nan = NanPolicy::ignore;
  CHECK(accepts_result(max, {1, nan, 7}, {2}));
  CHECK_FALSE(accepts_result(max, {1, nan, 7}, {1}));
}

TEST_CASE("a wrong index is reported with both elements") {
  CHECK(checked_result(place_of(Operator::argmax, Element::i32), {}, {4, 9, 3}, {2}).sentence ==
        "the result is 2, the index of 3, but the largest element is 9, at index 1");
}

// --- Moments

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

// --- Exponentials

std::vector<double> softmax_in_floats(const std::vector<double>& x) {
  const auto max = static_cast<float>(*std::ranges::max_element(x));
  float sum = 0;
  for (const double value : x) sum += std::exp(static_cast<float>(value) - max);
  std::vector<double> shares;
  for (const double value : x)
    shares.push_back(static_cast<double>(std::exp(static_cast<float>(value) - max) / sum));
  return shares;
}

TEST_CASE("a softmax in floats is within its bound, and one with an error of a thousandth is not") {
  std::mt19937 random(3);
  for (const float spread : {0.5f, 10.0f, 120.0f}) {
    const std::vector<double> x = random_values(random, 50, spread);
    std::vector<double> shares = softmax_in_floats(x);
    CHECK(accepts_result(arithmetic_of(Operator::softmax), x, shares, array));
    const auto largest = std::ranges::max_element(shares);
    *largest *= 1.001;
    const CheckResult wrong = checked_result(arithmetic_of(Operator::softmax), array, x, shares);
    CHECK_FALSE(wrong.ok);
    CHECK(wrong.sentence.starts_with("in output " + std::to_string(largest - shares.begin()) + ", "));
  }
}

TEST_CASE("a log-sum-exp in floats is within its bound") {
  std::mt19937 random(5);
  const std::vector<double> x = random_values(random, 50, 30.0f);
  const auto max = static_cast<float>(*std::ranges::max_element(x));
  float sum = 0;
  for (const double value : x) sum += std::exp(static_cast<float>(value) - max);
  const float result = max + std::log(sum);
  Arithmetic library = arithmetic_of(Operator::log_sum_exp);
  library.functions = MathFunctions::library;
  CHECK(accepts_result(library, x, {static_cast<double>(result)}));
  CHECK_FALSE(accepts_result(library, x, {static_cast<double>(moved(result, 400))}));
}

TEST_CASE(
    "exponentials computed with the hardware's 2^x are within the bound if the contract does not name the "
    "library") {
  std::mt19937 random(17);
  constexpr float log2_e = 1.44269504f;
  Arithmetic softmax = arithmetic_of(Operator::softmax);
  for (const float spread : {1.0f, 50.0f, 1000.0f}) {
    const std::vector<double> x = random_values(random, 50, spread);
    const auto max = static_cast<float>(*std::ranges::max_element(x));
    std::vector<double> products, fused;
    float of_products = 0, of_fused = 0;
    for (const double value : x) {
      const auto v = static_cast<float>(value);
      products.push_back(static_cast<double>(std::exp2((v - max) * log2_e)));
      fused.push_back(static_cast<double>(std::exp2(std::fma(v, log2_e, -(max * log2_e)))));
      of_products += static_cast<float>(products.back()), of_fused += static_cast<float>(fused.back());
    }
    for (double& w : products) w = static_cast<double>(static_cast<float>(w) / of_products);
    for (double& w : fused) w = static_cast<double>(static_cast<float>(w) / of_fused);
    softmax.functions = MathFunctions::fast;
    CHECK(accepts_result(softmax, x, products, array));
    CHECK(accepts_result(softmax, x, fused, array));
  }
}

TEST_CASE("scores too large for an exponential bound must still give finite numbers") {
  const std::vector<double> x{0x1p66, 0x1p66};
  CHECK(checked_result(arithmetic_of(Operator::softmax), array, x, {0.5, 0.5}).evidence ==
        CheckResult::Evidence::nothing);
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::softmax), x, {nan, nan}, array));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::log_sum_exp), x, {inf}));
}

TEST_CASE("a NaN propagates through exponentials, and an infinity gives a limit or NaN") {
  CHECK(accepts_result(arithmetic_of(Operator::log_sum_exp), {1, nan}, {nan}));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::log_sum_exp), {1, nan}, {-inf}));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::log_sum_exp), {1, nan}, {inf}));
  CHECK(accepts_result(arithmetic_of(Operator::log_sum_exp), {1, inf}, {inf}));
  CHECK(accepts_result(arithmetic_of(Operator::log_sum_exp), {1, inf}, {nan}));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::log_sum_exp), {1, inf}, {-inf}));
  CHECK(accepts_result(arithmetic_of(Operator::softmax), {1, inf}, {nan, nan}, array));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::softmax), {1, inf}, {0.5, 0.5}, array));
}

TEST_CASE("the result of a row of minus infinities follows the contract") {
  Arithmetic softmax = arithmetic_of(Operator::softmax), logarithm = arithmetic_of(Operator::log_sum_exp);
  const std::vector<double> masked{-inf, -inf};
  CHECK(accepts_result(softmax, masked, {0, 0}, array));
  CHECK(accepts_result(softmax, masked, {nan, nan}, array));
  CHECK_FALSE(accepts_result(softmax, masked, {0.5, 0.5}, array));
  CHECK(accepts_result(logarithm, masked, {-inf}));
  softmax.masked = logarithm.masked = Masked::zero;
  CHECK_FALSE(accepts_result(softmax, masked, {nan, nan}, array));
  CHECK_FALSE(accepts_result(logarithm, masked, {nan}));
  softmax.masked = Masked::nan;
  CHECK_FALSE(accepts_result(softmax, masked, {0, 0}, array));
}

TEST_CASE("a masked element has no share") {
  CHECK(accepts_result(arithmetic_of(Operator::softmax), {1, -inf}, {1, 0}, array));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::softmax), {1, -inf}, {1, 1e-30}, array));
}

// --- Histograms

TEST_CASE("bins are counted exactly, and elements outside of them are ignored") {
  Arithmetic histogram = arithmetic_of(Operator::histogram, Element::i32);
  constexpr ResultLayout bins{ResultShape::bins, 0, {}};
  CHECK(accepts_result(histogram, {0, 2, 2, 5, -1}, {1, 0, 2}, bins));
  CHECK(checked_result(histogram, bins, {0, 2, 2, 5, -1}, {1, 0, 3}).sentence ==
        "in output 2, the result is 3 but 2 elements have the value 2");
  Arithmetic narrow = histogram;
  narrow.output = Element::u8;
  CHECK(checked_result(narrow, bins, std::vector<double>(256, 0), {0}).sentence ==
        "the result is 0 but 256 elements have the value 0, which u8 cannot represent");
}

// --- Rows and scans

TEST_CASE("the evidence for several outputs is the weakest one") {
  constexpr ResultLayout scan{ResultShape::scan, 0, ScanKind::inclusive};
  CHECK(checked_result(arithmetic_of(Operator::sum), scan, {1, 2}, {1, 3}).evidence ==
        CheckResult::Evidence::exact);
  // In some order, the second may overflow to infinity.
  const std::vector<double> large{0x1p127, 0x1p127};
  CHECK(checked_result(arithmetic_of(Operator::sum), scan, large, {0x1p127, inf}).evidence ==
        CheckResult::Evidence::category);
}

TEST_CASE("each row is checked with its own elements") {
  constexpr ResultLayout rows{ResultShape::rows, 3, {}};
  CHECK(accepts_result(arithmetic_of(Operator::sum), {1, 2, 3, 4, 5, 6}, {6, 15}, rows));
  CHECK(checked_result(arithmetic_of(Operator::sum), rows, {1, 2, 3, 4, 5, 6}, {6, 16})
            .sentence.starts_with("in output 1, "));
  CHECK(accepts_result(place_of(Operator::argmax), {1, 2, 3, 6, 5, 4}, {2, 0}, rows));
  const std::vector<double> shares = softmax_in_floats({1, 2, 3});
  CHECK(accepts_result(arithmetic_of(Operator::softmax), {1, 2, 3, 1, 2, 3},
                       {shares[0], shares[1], shares[2], shares[0], shares[1], shares[2]}, rows));
}

TEST_CASE("each element of a scan is checked with the elements before it") {
  constexpr ResultLayout inclusive{ResultShape::scan, 0, ScanKind::inclusive},
      exclusive{ResultShape::scan, 0, ScanKind::exclusive};
  CHECK(accepts_result(arithmetic_of(Operator::sum), {1, 2, 3}, {1, 3, 6}, inclusive));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::sum), {1, 2, 3}, {0, 1, 3}, inclusive));
  CHECK(accepts_result(arithmetic_of(Operator::sum), {1, 2, 3}, {0, 1, 3}, exclusive));
  CHECK(accepts_result(arithmetic_of(Operator::max), {3, 1, 7}, {3, 3, 7}, inclusive));
  CHECK(accepts_result(arithmetic_of(Operator::max), {3, 1, 7}, {-inf, 3, 3}, exclusive));
  CHECK(accepts_result(arithmetic_of(Operator::prod, Element::i8), {100, 3, 2}, {100, 44, 88}, inclusive));
}

TEST_CASE("the elements of an output follow from its shape") {
  const auto is = [](const Part& part, std::size_t first, std::size_t last) {
    return part.first == first && part.last == last;
  };
  CHECK(is(part_of({ResultShape::value, 0, {}}, Operator::sum, 5, 10), 0, 10));
  CHECK(is(part_of({ResultShape::rows, 4, {}}, Operator::sum, 1, 8), 4, 8));
  CHECK(is(part_of({ResultShape::rows, 4, {}}, Operator::softmax, 5, 8), 4, 8));
  CHECK(is(part_of({ResultShape::scan, 0, ScanKind::inclusive}, Operator::sum, 2, 8), 0, 3));
  CHECK(is(part_of({ResultShape::scan, 0, ScanKind::exclusive}, Operator::sum, 2, 8), 0, 2));
}

TEST_CASE("shapes that an operator does not support are refused") {
  CHECK(has_shape(Operator::sum, ResultShape::scan));
  CHECK_FALSE(has_shape(Operator::mean, ResultShape::partials));
  CHECK_FALSE(has_shape(Operator::softmax, ResultShape::value));
  CHECK_FALSE(has_shape(Operator::histogram, ResultShape::rows));
}

TEST_CASE("types without a known bound are refused") {
  CHECK(why_no_checker(place_of(Operator::argmax)) == std::nullopt);
  CHECK(why_no_checker(arithmetic_of(Operator::argmax)));
  CHECK(why_no_checker(arithmetic_of(Operator::softmax, Element::f16)));
  CHECK(why_no_checker(arithmetic_of(Operator::mean, Element::i32)));
  CHECK(why_no_checker(arithmetic_of(Operator::histogram)));
}

}  // namespace
}  // namespace foldproof
