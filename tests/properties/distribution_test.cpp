// Each distribution has the properties that its synopsis states.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "catch.h"
#include "oracles/checker.h"
#include "oracles/number.h"
#include "properties/distributions.h"

using foldproof::tests::contains_text;

namespace foldproof {
namespace {

constexpr Element all_elements[] = {Element::f64,  Element::f32,  Element::f16, Element::bf16, Element::e4m3,
                                    Element::e5m2, Element::e2m1, Element::i8,  Element::u8,   Element::i16,
                                    Element::u16,  Element::i32,  Element::u32, Element::i64,  Element::u64};

std::vector<Number> drawn(const std::string& distribution, Element element, std::uint64_t count,
                          std::uint64_t seed = 1, Operator op = Operator::sum) {
  const auto bytes = make_input({input_step(distribution), seed}, {op, element, element, count});
  std::vector<Number> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(decode(element, load(element, bytes, i)));
  return numbers;
}

TEST_CASE("every distribution makes inputs of any length for every suitable type and operator") {
  for (const DistributionInfo& distribution : distributions())
    for (const Element element : all_elements)
      for (const Operator op : {Operator::sum, Operator::prod, Operator::min, Operator::max}) {
        if (!suits(distribution, element)) {
          CHECK_THROWS_AS(drawn(std::string(distribution.name), element, 4), InputError);
          continue;
        }
        for (const std::uint64_t count : {0, 1, 2, 33, 1000})
          CHECK(drawn(std::string(distribution.name), element, count, count, op).size() == count);
      }
}

TEST_CASE("integer inputs make every sum exact, in any format and at any length") {
  for (const Element element : {Element::f64, Element::f32, Element::f16, Element::bf16})
    for (const std::uint64_t count : {1, 33, 5000, 65536})
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const auto bytes = make_input({{"integers"}, seed}, {Operator::sum, element, element, count});
        const Arithmetic sum{Operator::sum, element, element, element, {}, false, {}};
        const CheckResult check_result = make_checker(sum, bytes)->value(encode(element, number_of(12345)));
        INFO(name(element) << " " << count);
        REQUIRE(check_result.evidence == CheckResult::Evidence::exact);
      }
}

TEST_CASE("floating-point products stay in range in any order, unless overflow is the purpose") {
  for (const DistributionInfo& distribution : distributions())
    for (const Element element : {Element::f64, Element::f32, Element::f16, Element::bf16})
      for (const std::uint64_t count : {1, 200, 5000}) {
        double rises = 0, falls = 0;
        for (const Number& x : drawn(std::string(distribution.name), element, count, count, Operator::prod)) {
          if (!x.is_finite() || x.is_zero()) continue;
          const double power = std::log2(std::fabs(to_double(x)));
          (power > 0 ? rises : falls) += std::fabs(power);
        }
        const bool may_leave = distribution.name == "overflow" || distribution.name == "extremes" ||
                               distribution.name == "subnormals";
        const FloatFormat& format = float_format(element);
        INFO(distribution.name << " " << name(element) << " " << count);
        CHECK((may_leave || rises < format.highest_exponent + format.precision));
        CHECK((may_leave || falls <= -format.normal_exponent()));
      }
}

TEST_CASE("the limits of a product leave as many informative factors as its format has room for") {
  const auto informative = [](Element element, Element accumulator) {
    const auto bytes =
        make_input({{"uniform"}, 3}, {Operator::prod, element, accumulator, 5000, accumulator});
    std::size_t others = 0;
    for (std::size_t i = 0; i < 5000; ++i) {
      const Number x = decode(element, load(element, bytes, i));
      others += std::fabs(to_double(x)) != 1 ? 1 : 0;
    }
    return others;
  };
  // Uniform factors of a product are in [1, 2) and [1/2, 1): each may be one step of the exponent away
  // from 1.
  CHECK(informative(Element::f32, Element::f32) >= 2 * 120);
  CHECK(informative(Element::f64, Element::f64) >= 2 * 1000);
  // Sixteen factors that round may already cost an eighth of what bf16 represents.
  CHECK(informative(Element::bf16, Element::bf16) >= 16);
}

TEST_CASE("negative inputs contain only values below zero") {
  for (const Number& x : drawn("negative", Element::f32, 500)) REQUIRE((x.negative && !x.is_zero()));
  for (const Number& x : drawn("negative", Element::i32, 500)) REQUIRE((x.negative && !x.is_zero()));
}

TEST_CASE("ties of the input's own format are drawn if the output is not a floating-point format") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto ties = [&](Element output) {
      return make_input({{"ties"}, seed}, {Operator::max, Element::f16, Element::f16, 9, output});
    };
    for (const Element index : {Element::i32, Element::u32, Element::u8, Element::i64})
      CHECK(ties(index) == ties(Element::f16));
  }
}

TEST_CASE("zeros with seed 0 are all +0") {
  for (const Number& x : drawn("zeros", Element::f32, 100, 0)) REQUIRE((x.is_zero() && !x.negative));
}

TEST_CASE("one-hot inputs have one element that differs") {
  const auto numbers = drawn("one-hot", Element::f32, 100, 3);
  CHECK(std::ranges::count_if(numbers, [](const Number& x) { return !x.is_zero(); }) == 1);
}

TEST_CASE("the elements of each row of a threshold input add up to exactly p, and most are 0") {
  InputPlan plan{Operator::top_p, Element::f32, Element::f32, 100};
  plan.row = 8;
  plan.p = 0.75;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto bytes = make_input({{"threshold"}, seed}, plan);
    for (std::size_t begin = 0; begin < 100; begin += 8) {
      double sum = 0;
      int others = 0;
      for (std::size_t i = begin; i < std::min<std::size_t>(begin + 8, 100); ++i) {
        const double x = to_double(decode(Element::f32, load(Element::f32, bytes, i)));
        sum += x;
        others += x == 0 ? 0 : 1;
      }
      CHECK(sum == 0.75);
      CHECK(others <= 2);
    }
  }
}

TEST_CASE("one-hot inputs have one such element per row, even in a short last row") {
  InputPlan plan{Operator::sum, Element::f32, Element::f32, 25};
  plan.row = 10;
  const auto bytes = make_input({{"one-hot"}, 3}, plan);
  for (const auto& [begin, end] : {std::pair{0, 10}, {10, 20}, {20, 25}}) {
    int hot = 0;
    for (int i = begin; i < end; ++i)
      hot += load(Element::f32, bytes, static_cast<std::size_t>(i)) != 0 ? 1 : 0;
    CHECK(hot == 1);
  }
}

TEST_CASE("tags are distinct powers of two") {
  std::set<int> exponents;
  std::size_t tags = 0;
  for (const Number& x : drawn("tags", Element::f32, 2000)) {
    if (x.is_zero()) continue;
    ++tags;
    CHECK(std::has_single_bit(x.significand));
    exponents.insert(x.exponent + std::countr_zero(x.significand));
  }
  CHECK(tags >= 2);
  CHECK(exponents.size() == tags);
}

TEST_CASE("exponents span the format without overflow of the sum") {
  int lowest = 0, highest = -1000;
  for (const Number& x : drawn("exponents", Element::f32, 5000)) {
    if (x.is_zero()) continue;
    const int leading = x.exponent + static_cast<int>(std::bit_width(x.significand)) - 1;
    lowest = std::min(lowest, leading);
    highest = std::max(highest, leading);
  }
  CHECK(lowest < -140);
  CHECK(highest > 100);
  CHECK(highest < 127 - 12);
}

TEST_CASE("subnormals are in or next to the subnormal range") {
  for (const Number& x : drawn("subnormals", Element::f32, 500))
    REQUIRE(std::fabs(to_double(x)) <= 0x1.000002p-126);
}

TEST_CASE("ill-conditioned sums cancel far below their magnitudes") {
  double sum = 0, magnitude = 0;
  for (const Number& x : drawn("ill-conditioned", Element::f32, 1000))
    sum += to_double(x), magnitude += std::fabs(to_double(x));
  CHECK(magnitude > 1e4 * std::fabs(sum));
}

TEST_CASE("infinities and NaN occur in their distributions") {
  bool both = false, nan = false;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    bool plus = false, minus = false;
    for (const Number& x : drawn("infinities", Element::f16, 50, seed))
      (x.negative ? minus : plus) |= x.is_infinite();
    CHECK((plus || minus));
    both |= plus && minus;
    for (const Number& x : drawn("nans", Element::e4m3, 50, seed)) nan |= x.is_nan();
  }
  CHECK(both);
  CHECK(nan);
}

TEST_CASE("planted elements replace drawn ones and must exist and fit") {
  const InputPlan plan{Operator::sum, Element::f16, Element::f16, 4};
  const auto bytes = make_input({{"equal"}, 0, {{2, "0x3c00"}}}, plan);
  CHECK(load(Element::f16, bytes, 2) == 0x3c00);
  CHECK_THROWS_WITH(make_input({{"equal"}, 0, {{4, "0"}}}, plan),
                    "planted element 4 is out of range: the input has 4 elements");
  CHECK_THROWS_WITH(make_input({{"equal"}, 0, {{0, "0x10000"}}}, plan),
                    "the planted bits 0x10000 do not fit into f16");
}

TEST_CASE("a planted e2m1 element has only the four bits of its code") {
  const InputPlan plan{Operator::max, Element::e2m1, Element::e2m1, 1};
  CHECK(load(Element::e2m1, make_input({{"zeros"}, 0, {{0, "0xf"}}}, plan), 0) == 0xf);
  CHECK_THROWS_WITH(make_input({{"zeros"}, 0, {{0, "0xaf"}}}, plan),
                    "the planted bits 0xaf do not fit into e2m1");
}

TEST_CASE("codes of e2m1 are all sixteen in order") {
  const auto bytes = make_input({{"codes"}, 5}, {Operator::max, Element::e2m1, Element::e2m1, 32});
  for (std::size_t i = 1; i < 32; ++i)
    CHECK(load(Element::e2m1, bytes, i) == (load(Element::e2m1, bytes, i - 1) + 1) % 16);
}

TEST_CASE("an unknown distribution is refused with the known ones") {
  CHECK_THROWS_WITH(make_input({{"unifrom"}}, {}),
                    contains_text("unknown distribution \"unifrom\"; choose one of equal, "));
}

}  // namespace
}  // namespace foldproof
