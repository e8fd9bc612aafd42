// References, compared with closed forms, values derived by hand, and hostile inputs.

#include <cmath>
#include <limits>
#include <random>

#include "catch.h"
#include "elements.h"
#include "exponentials.h"
#include "oracles/references/extremes.h"
#include "oracles/references/moments.h"
#include "oracles/references/normalisation.h"
#include "oracles/references/reference.h"
#include "special_values.h"

namespace foldproof {
namespace {

std::vector<std::byte> doubles(const std::vector<double>& values) {
  return elements_of(Element::f64, values);
}

/// The value rounded to a format, as a double.
double in(Element element, const Reference& reference) {
  const auto bits = reference.rounded(element);
  REQUIRE(bits);
  return to_double(decode(element, *bits));
}
double in_f64(const Reference& reference) { return in(Element::f64, reference); }
bool is_nan(const Reference& reference) { return reference.category() == Number::Category::nan; }

TEST_CASE("quotients and roots are enclosed from both sides and exact where possible") {
  const Enclosure third = quotient(Dyadic(1, 0), Dyadic(3, 0), 100);
  CHECK(third.low * Dyadic(3, 0) < Dyadic(1, 0));
  CHECK(third.high * Dyadic(3, 0) > Dyadic(1, 0));
  CHECK(third.high - third.low <= Dyadic(1, -101));
  const Enclosure negative = quotient(Dyadic(-1, 0), Dyadic(3, 0), 100);
  CHECK(negative.low == -third.high);
  CHECK(negative.high == -third.low);
  CHECK(quotient(Dyadic(21, 5), Dyadic(7, -3), 10).is_exact());
  const Enclosure root = square_root(Dyadic(2, 0), 100);
  CHECK(root.low * root.low < Dyadic(2, 0));
  CHECK(root.high * root.high > Dyadic(2, 0));
  CHECK(square_root(Dyadic(9, -4), 100).is_exact());
  CHECK(square_root(Dyadic(1, -1), 100).low.leading_exponent() == -1);
  CHECK(rounded_down(Dyadic(-5, 0), 2) == Dyadic(-6, 0));
  CHECK(rounded_up(Dyadic(5, 0), 2) == Dyadic(6, 0));
  CHECK(rounded_up(Dyadic(-5, 0), 2) == Dyadic(-4, 0));
}

TEST_CASE("a square root of any length is enclosed by neighbouring numbers of that length") {
  std::mt19937_64 random(7);
  for (unsigned length = 1; length <= 400; length += 3) {
    Dyadic::Integer n = 1;
    for (unsigned k = 1; k < length; ++k) n = 2 * n + (random() & 1);
    for (const Dyadic& x : {Dyadic(n, 0), Dyadic(n * n, 0), Dyadic(n * n - 1, 2), Dyadic(n * n + 1, -6)}) {
      if (x.is_zero()) continue;
      constexpr unsigned bits = 100;
      const Enclosure root = square_root(x, bits);
      INFO("length " << length);
      CHECK(root.low * root.low <= x);
      CHECK(x <= root.high * root.high);
      const Dyadic unit(1, root.low.leading_exponent() - static_cast<std::int64_t>(bits) + 1);
      CHECK(root.high - root.low <= unit);
    }
  }
}

TEST_CASE("products and quotients of intervals contain every combination") {
  const Enclosure a(Dyadic(-1, 0), Dyadic(2, 0)), b(Dyadic(-4, 0), Dyadic(-2, 0));
  CHECK((a * b).low == Dyadic(-8, 0));
  CHECK((a * b).high == Dyadic(4, 0));
  CHECK(quotient(a, b, 20).low == Dyadic(-1, 0));
  CHECK(quotient(a, b, 20).high == Dyadic(1, -1));
}

// e and ln 2 from their series, in integers: the sums of 1 / k! and of 1 / (k 2^k).
TEST_CASE("exponentials and logarithms are enclosed to the requested number of bits") {
  const unsigned places = 3000;
  Dyadic::Integer e = 0, ln2 = 0, term = 1, power = 1;
  term <<= places, power <<= places;
  for (unsigned k = 1; !term.is_zero(); ++k) {
    e += term;
    term /= k;
  }
  for (unsigned k = 1; k < places; ++k) {
    power >>= 1;
    ln2 += power / k;
  }
  const Dyadic slack(4096, -static_cast<std::int64_t>(places));
  for (const unsigned bits : {64U, 128U, 192U, 500U, 2048U}) {
    const Enclosure computed_e = exponential(Dyadic(1, 0), bits),
                    computed_ln2 = logarithm(Dyadic(2, 0), bits);
    const Dyadic exact_e(e, -static_cast<std::int64_t>(places)),
        exact_ln2(ln2, -static_cast<std::int64_t>(places));
    CHECK(computed_e.low <= exact_e + slack);
    CHECK(computed_e.high >= exact_e - slack);
    CHECK(computed_e.high - computed_e.low <= Dyadic::power_of_two(2 - static_cast<std::int64_t>(bits)));
    CHECK(computed_ln2.low <= exact_ln2 + slack);
    CHECK(computed_ln2.high >= exact_ln2 - slack);
    CHECK(computed_ln2.high - computed_ln2.low <= Dyadic::power_of_two(1 - static_cast<std::int64_t>(bits)));
  }
}

TEST_CASE("exponentials and logarithms are inverse to each other over the whole range") {
  for (const double x : {1e-300, 1e-9, 0.1, 0.5, 0.75, 0.999999, 1.0000001, 1.5, 3.0, 1e5, 1e300}) {
    const Enclosure back = exponential(logarithm(Dyadic(number_of(x)), 160), 160);
    CHECK(back.low <= Dyadic(number_of(x)));
    CHECK(back.high >= Dyadic(number_of(x)));
    CHECK(ratio(back.high - back.low, Dyadic(number_of(x))) < 0x1p-140);
  }
  // h - h^2 / 2 < ln(1 + h) < h, on both sides of 1; beyond the largest precision only sharpness is lost.
  for (const Dyadic& h : {Dyadic(1, -60), Dyadic(-1, -60), Dyadic(1, -3000)})
    for (const unsigned bits : {160U, 8192U}) {
      const Enclosure log = logarithm(Dyadic(1, 0) + h, bits);
      CHECK(log.low < h);
      CHECK(log.high > h - h * h);
    }
  CHECK(logarithm(Dyadic(1, 0), 100).is_exact());
  CHECK(exponential(Dyadic{}, 100).is_exact());
  const Enclosure far = exponential(Dyadic(-1, 40), 100);
  CHECK(far.low.is_zero());
  CHECK(far.high < Dyadic::power_of_two(-1'000'000));
}

TEST_CASE("sums and means round once") {
  CHECK(in_f64(sum(Element::f64, doubles({1, 0x1p-53, 0x1p-1074}))) == 1 + 0x1p-52);
  CHECK(in_f64(mean(Element::f64, doubles({1, 2, 4}))) == 7 / 3.0);
  CHECK(in(Element::f32, mean(Element::f64, doubles({1, 1, 1 + 0x1p-22}))) == 1 + 0x1p-23);
  CHECK(in_f64(mean(Element::f64, doubles({1e308, 1e308, 1e308}))) == 1e308);
  CHECK(in_f64(mean(Element::i8, bytes_of(std::vector<std::int8_t>{-128, -127}))) == -127.5);
  CHECK(is_nan(mean(Element::f64, {})));
  CHECK(is_nan(mean(Element::f64, doubles({inf, -inf}))));
  CHECK(in_f64(mean(Element::f64, doubles({inf, 1}))) == inf);
  CHECK(in_f64(sum(Element::f64, {})) == 0);
  CHECK(std::signbit(in_f64(sum(Element::f64, doubles({-0.0, -0.0})))));
  CHECK_FALSE(std::signbit(in_f64(sum(Element::f64, doubles({-0.0, 0.0})))));
}

TEST_CASE("a mean next to a tie is distinguished from the tie") {
  const double tie = 1 + 0x1p-24;
  const auto f32_mean = [](const std::vector<double>& values) {
    return in(Element::f32, mean(Element::f64, doubles(values)));
  };
  CHECK(f32_mean({tie, tie, tie}) == 1);
  CHECK(f32_mean({3 * tie, 0x1p-900, 0}) == 1 + 0x1p-23);
  CHECK(f32_mean({3 * tie, -0x1p-900, 0}) == 1);
}

TEST_CASE("variances are exact for any mean") {
  const double large = 0x1p30;  // 10^9 deviations
  CHECK(in_f64(variance(Element::f64, doubles({1, 2, 3, 4}))) == 1.25);
  CHECK(in_f64(variance(Element::f64, doubles({1, 2, 3, 4}), 1)) == 5 / 3.0);
  CHECK(in_f64(variance(Element::f64, doubles({large + 1, large + 2, large + 3, large + 4}), 1)) == 5 / 3.0);
  CHECK(in_f64(variance(Element::f64, doubles({1e200, 1e200}), 1)) == 0);
  CHECK(in_f64(variance(Element::f64, doubles({1e200, -1e200}))) == inf);
  CHECK(in_f64(variance(Element::f64, doubles({7}))) == 0);
  CHECK(is_nan(variance(Element::f64, doubles({7}), 1)));
  CHECK(is_nan(variance(Element::f64, {})));
  CHECK(is_nan(variance(Element::f64, doubles({1, inf}))));
  // Integers 0 to n - 1: (n^2 - 1) / 12.
  std::vector<std::int32_t> numbers(1001);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i) - 1'000'000;
  CHECK(in_f64(variance(Element::i32, bytes_of(numbers))) == (1001.0 * 1001 - 1) / 12);
}

TEST_CASE("norms neither overflow nor underflow") {
  const auto f32_norm = [](const std::vector<double>& values) {
    return in(Element::f32, norm(Element::f32, elements_of(Element::f32, values)));
  };
  CHECK(f32_norm({3, -4}) == 5);
  CHECK(f32_norm({1e20, 0}) == static_cast<double>(1e20f));
  CHECK(f32_norm({0x1p-80, 0x1p-80, 0x1p-80, 0x1p-80}) ==
        0x1p-79);                                                // about 1e-25 and less: squares underflow
  CHECK(f32_norm({0x1p66, -0x1p66, 0x1p66, 0x1p66}) == 0x1p67);  // about 1e20: squares overflow
  CHECK(f32_norm({1, 1}) == static_cast<double>(std::sqrt(2.0f)));
  CHECK(f32_norm({}) == 0);
  CHECK(f32_norm({-inf, 1}) == inf);
  CHECK(is_nan(norm(Element::f32, elements_of(Element::f32, {inf, nan}))));
}

TEST_CASE("extremes have an index, with rules for ties and NaN") {
  const auto values = doubles({3, 7, -0.0, 7, 0.0, -2, -2});
  const auto max = *extreme(Operator::max, Element::f64, values, NanPolicy::propagate);
  CHECK(max.first == 1);
  CHECK(max.last == 3);
  const auto min = *extreme(Operator::min, Element::f64, values, NanPolicy::propagate);
  CHECK(min.first == 5);
  CHECK(min.last == 6);
  const auto zeros = *extreme(Operator::max, Element::f64, doubles({-0.0, 0.0}), NanPolicy::propagate);
  CHECK(zeros.first == 0);
  CHECK(zeros.last == 1);
  const auto with_nan = doubles({1, nan, 5, nan});
  CHECK(extreme(Operator::min, Element::f64, with_nan, NanPolicy::propagate)->first == 1);
  CHECK(extreme(Operator::min, Element::f64, with_nan, NanPolicy::ignore)->first == 0);
  CHECK(extreme(Operator::max, Element::f64, with_nan, NanPolicy::ignore)->first == 2);
  CHECK_FALSE(extreme(Operator::max, Element::f64, doubles({nan}), NanPolicy::ignore));
  CHECK_FALSE(extreme(Operator::max, Element::f64, {}, NanPolicy::propagate));
  CHECK(extreme(Operator::min, Element::u8, bytes_of(std::vector<std::uint8_t>{200, 100}), {})->first == 1);
}

TEST_CASE("the k largest elements are in order, ties by index, NaN first") {
  const auto values = doubles({3, nan, 7, -inf, 7, inf, 3});
  using Indices = std::vector<std::size_t>;
  CHECK(top_k(Operator::max, Element::f64, values, 4) == Indices{1, 5, 2, 4});
  CHECK(top_k(Operator::min, Element::f64, values, 3) == Indices{3, 0, 6});
  CHECK(top_k(Operator::min, Element::f64, values, 99) == Indices{3, 0, 6, 2, 4, 5, 1});
  CHECK(top_k(Operator::max, Element::f64, values, 0).empty());
}

TEST_CASE("log-sum-exp keeps what a simple formula loses") {
  const auto lse = [](const std::vector<double>& values) {
    return log_sum_exp(Element::f64, doubles(values));
  };
  CHECK(in_f64(lse({1000, 1000})) == 1000 + std::log(2.0));
  CHECK(in_f64(lse({-1000, -1000, -1000})) == Approx(-1000 + std::log(3.0)).epsilon(1e-15));
  CHECK(in_f64(lse({0.1})) == 0.1);
  CHECK(in_f64(lse({0, -1e308})) == 0);
  // ln(1 + e^-40) = e^-40 - e^-80 / 2
  CHECK(in_f64(lse({0, -40})) == Approx(std::exp(-40.0)).epsilon(1e-14));
  CHECK(in_f64(lse({})) == -inf);
  CHECK(in_f64(lse({-inf, -inf})) == -inf);
  CHECK(in_f64(lse({-inf, 3})) == 3);
  CHECK(in_f64(lse({inf, -inf, 3})) == inf);
  CHECK(is_nan(lse({inf, nan})));
}

TEST_CASE("a result that no precision decides is not called certain") {
  // Halfway between two floats, plus a little: e^-5000 is about 2^-7213.
  const auto values = doubles({1 + 0x1p-24, -5000});
  CHECK_FALSE(log_sum_exp(Element::f64, values).rounded(Element::f32));
  CHECK(log_sum_exp(Element::f64, doubles({1 + 0x1p-24, -500})).rounded(Element::f32) ==
        bits_of(Element::f32, 1 + 0x1p-23));
}

TEST_CASE("softmax of hostile rows is correct") {
  const auto of = [](const std::vector<double>& values) {
    const auto all = softmax(Element::f32, elements_of(Element::f32, values));
    std::vector<double> rounded;
    for (const Reference& p : all) rounded.push_back(is_nan(p) ? nan : in(Element::f32, p));
    return rounded;
  };
  CHECK(of({5, 5, 5, 5}) == std::vector<double>(4, 0.25));
  CHECK(of({2, 2, 2})[0] == static_cast<double>(1 / 3.0f));
  CHECK(of({-inf, 0, -inf}) == std::vector<double>{0, 1, 0});
  for (const double p : of({-inf, -inf})) CHECK(std::isnan(p));
  for (const double p : of({inf, 0})) CHECK(std::isnan(p));
  for (const double p : of({nan, 0})) CHECK(std::isnan(p));
  // Gaps at the end of the normal range and of all floats: e^-88 = 6.05e-39 and e^-104 = 6.8e-46, below eta /
  // 2.
  CHECK(of({88, 0})[1] == static_cast<double>(static_cast<float>(std::exp(-88.0))));
  CHECK(of({104, 0}) == std::vector<double>{1, 0});
  CHECK(of({103, 0})[1] == 0x1p-149);
  CHECK(of({3e38, -3e38}) == std::vector<double>{1, 0});
  CHECK(of({}).empty());
}

TEST_CASE("normalized rows are correct") {
  const auto values = doubles({1, 2, 3, 4});
  // Mean 2.5, variance 1.25: with epsilon 1 the root is 1.5.
  const auto evidence = layer_norm(Element::f64, values, Dyadic(1, 0));
  CHECK(in_f64(evidence[0]) == -1);
  CHECK(in_f64(evidence[2]) == 1 / 3.0);
  // Mean of squares 7.5: with epsilon 1.5 the root is 3.
  const Dyadic weights[] = {Dyadic(3, 0), Dyadic(-3, 0), Dyadic(1, 0), Dyadic(0, 0)};
  const Dyadic biases[] = {Dyadic(0, 0), Dyadic(1, 0), Dyadic(1, -2), Dyadic(5, 0)};
  const auto rms = rms_norm(Element::f64, values, Dyadic(3, -1), {weights, biases});
  CHECK(in_f64(rms[0]) == 1);
  CHECK(in_f64(rms[1]) == -1);
  CHECK(in_f64(rms[2]) == 1.25);
  CHECK(in_f64(rms[3]) == 5);
  // The root is not a dyadic number: 1 / sqrt(1.25) etc.
  CHECK(in(Element::f32, layer_norm(Element::f64, values, {})[3]) ==
        static_cast<double>(static_cast<float>(1.5 / std::sqrt(1.25))));
  // A mean of 10^8 deviations does not change the result.
  const double mean = 0x1p27;
  const auto shifted =
      layer_norm(Element::f64, doubles({mean + 1, mean + 2, mean + 3, mean + 4}), Dyadic(1, 0));
  CHECK(in_f64(shifted[2]) == 1 / 3.0);
  CHECK(is_nan(layer_norm(Element::f64, doubles({2, 2}), {})[0]));
  CHECK(in_f64(layer_norm(Element::f64, doubles({2, 2}), Dyadic(1, -20))[0]) == 0);
  CHECK(is_nan(layer_norm(Element::f64, doubles({2, inf}), Dyadic(1, 0))[0]));
  const auto infinite = rms_norm(Element::f64, doubles({2, inf}), Dyadic(1, 0));
  CHECK(in_f64(infinite[0]) == 0);
  CHECK(is_nan(infinite[1]));
  CHECK(is_nan(rms_norm(Element::f64, doubles({0}), {})[0]));
}

}  // namespace
}  // namespace foldproof
