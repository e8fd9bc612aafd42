// Checks of results other than single reductions: indices, exponentials, histograms, rows and scans. Moments:
// moment_checker_test.cpp.
#include "oracles/result_checker.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "accepted.h"
#include "catch.h"
#include "special_values.h"

namespace foldproof {
namespace {

Arithmetic place_of(Operator op, Element input = Element::f32) {
  Arithmetic arithmetic = arithmetic_of(op, input);
  arithmetic.output = Element::u32;
  return arithmetic;
}

constexpr ResultLayout array{ResultShape::array, 0, {}};

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
  softmax.masked = Masked::is_nan;
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
        "in output 2, bin 2 is 3, but the number of elements equal to 2 is 2");
  Arithmetic narrow = histogram;
  narrow.output = Element::u8;
  CHECK(checked_result(narrow, bins, std::vector<double>(256, 0), {0}).sentence ==
        "bin 0 is 0, but the number of elements equal to 0 is 256, which u8 cannot represent");
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
  CHECK(is(part_of({ResultShape::scan, 0, ScanKind::reverse}, Operator::sum, 2, 8), 2, 8));
  CHECK(is(part_of({ResultShape::scan, 0, ScanKind::reverse_exclusive}, Operator::sum, 2, 8), 3, 8));
  CHECK(is(part_of({ResultShape::row_scans, 4, ScanKind::inclusive}, Operator::sum, 6, 8), 4, 7));
  CHECK(is(part_of({ResultShape::row_scans, 4, ScanKind::reverse}, Operator::sum, 1, 8), 1, 4));
}

TEST_CASE("a channel of a tensor has several consecutive elements in each example") {
  const ResultLayout tensor{.shape = ResultShape::columns, .columns = 2, .run = 3};
  const Part channel = part_of(tensor, Operator::sum, 1, 12);
  std::vector<std::size_t> elements;
  for (std::size_t i = 0; i < channel.size(); ++i) elements.push_back(channel.element(i));
  CHECK(elements == std::vector<std::size_t>{3, 4, 5, 9, 10, 11});
  CHECK((channel.holds(5) && !channel.holds(2) && !channel.holds(6)));
  const Part cut{3, 11, 6, 3};
  CHECK(cut.size() == 5);
}

TEST_CASE("the results of channels are one each, or one per element in the order of the tensor") {
  const ResultLayout tensor{.shape = ResultShape::columns, .columns = 2, .run = 2};
  const std::vector<double> elements{1, 2, 10, 20, 3, 4, 30, 40};
  CHECK(accepts_result(arithmetic_of(Operator::sum), elements, {10, 100}, tensor));
  CHECK_FALSE(accepts_result(arithmetic_of(Operator::sum), elements, {33, 77}, tensor));
  const Arithmetic normalize = arithmetic_of(Operator::l2_normalize);
  CHECK(accepts_result(normalize, {3, 0, 0, 5, 4, 0, 12, 0}, {0.6, 0, 0, 5.0 / 13, 0.8, 0, 12.0 / 13, 0},
                       tensor));
  CHECK_FALSE(accepts_result(normalize, {3, 0, 0, 5, 4, 0, 12, 0},
                             {0.6, 0, 0, 12.0 / 13, 0.8, 0, 5.0 / 13, 0}, tensor));
}

TEST_CASE("only elements that satisfy the condition are combined") {
  const auto is_positive = [](std::uint64_t bits) { return bits != 0 && (bits >> 31) == 0; };  // of an f32
  Arithmetic sum = arithmetic_of(Operator::sum), count = arithmetic_of(Operator::count);
  sum.where = count.where = is_positive;
  count.output = Element::u32;
  CHECK(accepts_result(sum, {1, -2, 4}, {5}));
  CHECK_FALSE(accepts_result(sum, {1, -2, 4}, {3}));
  Arithmetic smallest = arithmetic_of(Operator::min);
  smallest.where = is_positive;
  CHECK(accepts_result(smallest, {3, -2, 4}, {3}));
  CHECK(accepts_result(smallest, {-2}, {inf}));
}

TEST_CASE("a value that the output held is part of its result") {
  const auto accepts_added = [](const Arithmetic& a, const std::vector<double>& elements,
                                const std::vector<double>& before, const std::vector<double>& outputs,
                                const ResultLayout& layout) {
    const auto bytes = [](Element type, const std::vector<double>& values) {
      std::vector<std::byte> all(values.size() * size_of(type));
      for (std::size_t i = 0; i < values.size(); ++i) store(type, all, i, encode(type, number_of(values[i])));
      return all;
    };
    const std::vector<std::byte> input = bytes(a.input, elements), held = bytes(a.output, before);
    return ResultChecker(a, layout, input, {}, held).check(bytes(a.output, outputs)).ok;
  };
  Arithmetic halves = arithmetic_of(Operator::sum, Element::f16);
  halves.accumulator = halves.output = Element::f32;
  const ResultLayout rows{.shape = ResultShape::rows, .columns = 2};
  CHECK(accepts_added(halves, {1, 2, 3, 4}, {10, 20}, {13, 27}, rows));
  CHECK_FALSE(accepts_added(halves, {1, 2, 3, 4}, {10, 20}, {3, 7}, rows));
  CHECK_FALSE(accepts_added(halves, {1, 2, 3, 4}, {10, 20}, {17, 23}, rows));
  CHECK(accepts_added(arithmetic_of(Operator::max), {1, 2}, {5}, {5}, {}));
  // Each of several copies of the result is added to a value of its own.
  CHECK(accepts_added(arithmetic_of(Operator::sum), {1, 2}, {10, 20}, {13, 23}, {}));
  CHECK_FALSE(accepts_added(arithmetic_of(Operator::sum), {1, 2}, {10, 20}, {13, 13}, {}));
  // Modulo 2^8.
  CHECK(accepts_added(arithmetic_of(Operator::sum, Element::u8), {200, 3}, {100}, {47}, {}));
  CHECK(accepts_added(arithmetic_of(Operator::prod, Element::u8), {2, 3}, {5}, {30}, {}));
}

TEST_CASE("what cannot be combined with a value of the caller is named") {
  const auto why = [](Operator op, Element input, Element output, ResultShape shape = ResultShape::value) {
    return std::string(why_not_accumulated(op, shape, SumMethod::plain, input, output));
  };
  CHECK(why(Operator::sum, Element::f16, Element::f32).empty());
  CHECK(why(Operator::sum, Element::f32, Element::f16) ==
        "the type of the output does not have every element of the input");
  CHECK(why(Operator::mean, Element::f32, Element::f32) ==
        "the operator does not combine its result with a value");
  CHECK(why(Operator::sum, Element::f32, Element::f32, ResultShape::partials) ==
        "there must be one result for the input or for each of its parts");
  CHECK(why(Operator::histogram, Element::u8, Element::u32, ResultShape::bins).empty());
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

TEST_CASE("scans of rows begin again in each row, and reverse scans at its end") {
  const std::vector<double> x{1, 2, 3, 10, 20, 30};
  const auto scans = [&](ScanKind kind, const std::vector<double>& sums) {
    const ResultLayout layout{ResultShape::row_scans, 3, kind};
    return accepts_result(arithmetic_of(Operator::sum), x, sums, layout);
  };
  CHECK(scans(ScanKind::inclusive, {1, 3, 6, 10, 30, 60}));
  CHECK_FALSE(scans(ScanKind::inclusive, {1, 3, 6, 16, 36, 66}));
  CHECK(scans(ScanKind::exclusive, {0, 1, 3, 0, 10, 30}));
  CHECK(scans(ScanKind::reverse, {6, 5, 3, 60, 50, 30}));
  CHECK(scans(ScanKind::reverse_exclusive, {5, 3, 0, 50, 30, 0}));
  CHECK_FALSE(scans(ScanKind::reverse_exclusive, {6, 5, 3, 60, 50, 30}));
}

}  // namespace foldproof
