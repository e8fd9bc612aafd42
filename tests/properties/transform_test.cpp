// The properties of transforms and parametrized distributions, checked on the inputs that they make.
#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <set>

#include "catch.h"
#include "oracles/number.h"
#include "properties/distributions.h"

namespace foldproof {
namespace {

using boost::multiprecision::cpp_bin_float_100;

constexpr std::uint64_t tile = 48;  // of a block that is not a multiple of a warp

InputDistribution distribution_of(const std::string& words, std::uint64_t seed) {
  InputDistribution distribution;
  read_steps(words, distribution);
  distribution.seed = seed;
  return distribution;
}

std::vector<Number> made(const std::string& words, Element element, std::uint64_t count,
                         std::uint64_t seed = 1, Element output = Element::f32, Operator op = Operator::sum) {
  const auto bytes = make_input(distribution_of(words, seed), {op, element, element, count, output, tile});
  std::vector<Number> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(decode(element, load(element, bytes, i)));
  return numbers;
}

std::vector<double> doubles(const std::string& words, Element element, std::uint64_t count,
                            std::uint64_t seed = 1, Element output = Element::f32) {
  std::vector<double> values;
  for (const Number& x : made(words, element, count, seed, output)) values.push_back(to_double(x));
  return values;
}

/// A sum with 100 decimal digits, which is exact for the doubles below.
cpp_bin_float_100 sum_of(const std::vector<double>& values) {
  cpp_bin_float_100 sum = 0;
  for (const double x : values) sum += x;
  return sum;
}

double log2_of_condition(const std::vector<double>& values) {
  cpp_bin_float_100 magnitude = 0;
  for (const double x : values) magnitude += std::fabs(x);
  return static_cast<double>(log2(magnitude / abs(sum_of(values))));
}

std::vector<std::size_t> places_of_nan(const std::string& words, std::uint64_t count, std::uint64_t seed) {
  std::vector<std::size_t> places;
  const auto numbers = made(words, Element::f32, count, seed);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i].is_nan()) places.push_back(i);
  return places;
}

TEST_CASE("every transform suits every distribution at any length") {
  constexpr Element elements[] = {Element::f64,  Element::f32, Element::f16, Element::bf16, Element::e4m3,
                                  Element::e5m2, Element::i8,  Element::u8,  Element::i64,  Element::u64};
  for (const DistributionInfo& distribution : distributions())
    for (const DistributionInfo& transform : transforms())
      for (const Element element : elements) {
        if (!suits(distribution, element) || !suits(transform, element)) continue;
        std::string words = std::string(distribution.name) + "+" + std::string(transform.name);
        if (transform.takes == DistributionInfo::Takes::place) words += ":edge";
        if (transform.takes == DistributionInfo::Takes::exponent) words += ":-40";
        for (const std::uint64_t count : {0, 1, 2, 100}) CHECK(made(words, element, count).size() == count);
      }
}

TEST_CASE("orders keep the elements and sort their magnitudes") {
  std::vector<double> as_made = doubles("uniform", Element::f32, 99);
  const std::vector<double> up = doubles("uniform+ascending", Element::f32, 99);
  const std::vector<double> down = doubles("uniform+descending", Element::f32, 99);
  const std::vector<double> in_turn = doubles("uniform+large-small", Element::f32, 99);
  const auto smaller = [](double a, double b) { return std::fabs(a) < std::fabs(b); };
  CHECK(std::ranges::is_permutation(up, as_made));
  CHECK(std::ranges::is_permutation(doubles("uniform+shuffled", Element::f32, 99), as_made));
  CHECK(std::ranges::is_sorted(up, smaller));
  CHECK(std::ranges::equal(down, std::vector<double>(up.rbegin(), up.rend())));
  CHECK(in_turn[0] == up[98]);
  CHECK(in_turn[1] == up[0]);
  CHECK(in_turn[2] == up[97]);
  CHECK(in_turn[98] == up[49]);
}

TEST_CASE("a NaN or a zero separates larger elements from smaller ones") {
  const auto nans = made("uniform+nan-between", Element::f32, 99, 1, Element::f32, Operator::max);
  for (std::size_t i = 0; i < 33; ++i)
    for (std::size_t k = 0; k < 33; ++k) {
      CHECK(nans[33 + i].is_nan());
      CHECK(to_double(nans[66 + k]) < to_double(nans[i]));
    }
  const auto of_min = made("uniform+nan-between", Element::f32, 99, 1, Element::f32, Operator::min);
  CHECK(to_double(of_min[98]) > to_double(of_min[0]));
  std::set<std::pair<bool, bool>> signs;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto zeros = made("uniform+zeros-between", Element::f32, 9, seed, Element::f32, Operator::max);
    CHECK(zeros[0].negative == zeros[1].negative);
    CHECK(zeros[4].is_zero());
    CHECK(to_double(zeros[8]) < to_double(zeros[0]));
    signs.emplace(zeros[0].negative, zeros[4].negative);
  }
  CHECK(signs.size() == 4);
}

TEST_CASE("a scale is exact and saturates at the largest finite value") {
  const std::vector<double> as_made = doubles("uniform", Element::f32, 50);
  const std::vector<double> scaled = doubles("uniform+scale:66", Element::f32, 50);
  for (std::size_t i = 0; i < 50; ++i) CHECK(scaled[i] == as_made[i] * 0x1p66);
  for (const double x : doubles("overflow+scale:-1", Element::f16, 8)) CHECK(std::fabs(x) == 32752);
  for (const double x : doubles("overflow+scale:3", Element::f16, 8)) CHECK(std::fabs(x) == 65504);
}

TEST_CASE("a shift changes the mean to 2^k and keeps the spread") {
  const std::vector<double> as_made = doubles("uniform", Element::f64, 50);
  const std::vector<double> shifted = doubles("uniform+shift:27", Element::f64, 50);
  for (std::size_t i = 0; i < 50; ++i) CHECK(shifted[i] == as_made[i] + 134217728);
}

TEST_CASE("centred values add up to at most their rounding errors") {
  std::vector<double> values = doubles("positive+centred", Element::f32, 1000);
  // The mean was computed in f64, and each difference below 1 was rounded once: at most 2^-25.
  CHECK(abs(sum_of(values)) <= cpp_bin_float_100(1000) * 0x1p-25);
  CHECK(sum_of(values) != 0);
  for (const Number& x : made("infinities+centred", Element::f32, 100)) CHECK(!x.is_nan());
}

TEST_CASE("paired inputs add up to the given power of two") {
  for (const std::uint64_t count : {1, 2, 3, 33, 1000})
    CHECK(sum_of(doubles("uniform+paired:-40", Element::f32, count)) == cpp_bin_float_100(0x1p-40));
  CHECK(sum_of(doubles("integers+paired:-40", Element::i32, 33)) == 1);
  CHECK(sum_of(doubles("uniform+paired:-40+shuffled", Element::f32, 33)) == cpp_bin_float_100(0x1p-40));
}

TEST_CASE("every row has a peak whose exponential relative to another element overflows") {
  InputPlan plan{Operator::sum, Element::f32, Element::f32, 400};
  plan.row = 100;
  const auto bytes = make_input({{"uniform"}, 5, {}, {{"peaks"}}}, plan);
  for (std::size_t row = 0; row < 4; ++row) {
    std::vector<float> values;
    for (std::size_t i = 0; i < 100; ++i)
      values.push_back(
          std::bit_cast<float>(static_cast<std::uint32_t>(load(Element::f32, bytes, 100 * row + i))));
    std::ranges::sort(values);
    CHECK(std::isinf(std::exp(values[99] - values[98])));
    CHECK(std::isfinite(std::exp(values[98] - values[0])));
  }
}

TEST_CASE("values are planted at the given positions") {
  using Places = std::vector<std::size_t>;
  CHECK(places_of_nan("uniform+nan:first", 100, 1) == Places{0});
  CHECK(places_of_nan("uniform+nan:last", 100, 1) == Places{99});
  CHECK(places_of_nan("uniform+nan:first+nan:last", 100, 1) == Places{0, 99});
  CHECK(places_of_nan("uniform+nan:all", 100, 1).size() == 100);
  std::set<std::size_t> edges, beginnings;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const std::size_t i : places_of_nan("uniform+nan:edge", 100, seed)) edges.insert(i);
    const Places of_tile = places_of_nan("uniform+nan:tile", 100, seed);
    beginnings.insert(of_tile.front());
    CHECK(of_tile.size() == (of_tile.front() == 96 ? 4 : 48));
  }
  // On both sides of the ends of warps of 32 and tiles of 48.
  CHECK(edges == std::set<std::size_t>{31, 32, 63, 64, 95, 96, 47, 48});
  CHECK(beginnings == std::set<std::size_t>{0, 48, 96});
  CHECK(places_of_nan("uniform+nan:edge", 7, 1) == Places{6});
}

TEST_CASE("infinities of both signs, rows of -inf and zeros of -0 can be planted") {
  const auto both = made("uniform+inf:first+minus-inf:last", Element::f16, 9);
  CHECK((both.front().is_infinite() && !both.front().negative));
  CHECK((both.back().is_infinite() && both.back().negative));
  for (const Number& x : made("uniform+minus-inf:all", Element::f32, 9))
    CHECK((x.is_infinite() && x.negative));
  for (const Number& x : made("equal+minus-zero:all", Element::bf16, 9)) CHECK((x.is_zero() && x.negative));
}

TEST_CASE("an ill-conditioned sum has the given condition number") {
  for (const int wanted : {10, 20, 40, 60})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      INFO(wanted << " seed " << seed);
      const std::string words = "ill-conditioned:" + std::to_string(wanted);
      CHECK(std::fabs(log2_of_condition(doubles(words, Element::f32, 1000, seed)) - wanted) < 2);
      CHECK(std::fabs(log2_of_condition(doubles(words, Element::f64, 100, seed)) - wanted) < 2);
      CHECK(std::fabs(log2_of_condition(doubles(words, Element::bf16, 1000, seed)) - wanted) < 2);
    }
  CHECK(std::fabs(log2_of_condition(doubles("ill-conditioned:120", Element::f64, 1000)) - 120) < 2);
  CHECK(std::fabs(log2_of_condition(doubles("ill-conditioned:10", Element::f16, 100)) - 10) < 2);
}

TEST_CASE("the sums of \"ties\" are on and next to the ties of the output's format") {
  const auto sums = [](Element element, Element output) {
    std::set<double> all;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
      all.insert(static_cast<double>(abs(sum_of(doubles("ties", element, 5, seed, output)))));
    return all;
  };
  // 448 + 32/2 and 1 + 2^-3/2 in e4m3, and a quarter of that half unit to either side.
  CHECK(sums(Element::f32, Element::e4m3) == std::set<double>{460, 464, 468, 1.046875, 1.0625, 1.078125});
  CHECK(sums(Element::f32, Element::e5m2) ==
        std::set<double>{60416, 61440, 62464, 1 + 0.125 - 0.03125, 1.125, 1.125 + 0.03125});
  CHECK(sums(Element::f16, Element::f16).contains(65520));
}

TEST_CASE("codes are all finite codes of an 8-bit format in order") {
  for (const auto& [element, codes] : {std::pair(Element::e4m3, 254), std::pair(Element::e5m2, 248)}) {
    std::set<std::pair<bool, double>> values;
    for (const Number& x : made("codes", element, static_cast<std::uint64_t>(codes)))
      values.emplace(x.negative, to_double(x));
    CHECK(values.size() == static_cast<std::size_t>(codes));
  }
  bool large = false, subnormal = false;
  for (const double x : doubles("codes", Element::f32, 2000)) {
    CHECK(std::isfinite(x));
    large |= std::fabs(x) > 0x1p126;
    subnormal |= std::fabs(x) < 0x1p-126;
  }
  CHECK(large);
  CHECK(subnormal);
}

TEST_CASE("gaps of about 88 and 104 below the maximum occur") {
  std::vector<double> values = doubles("gaps", Element::f32, 200);
  const double maximum = *std::ranges::max_element(values);
  const auto near = [&](double gap) {
    return std::ranges::count_if(values, [&](double x) { return std::fabs(maximum - x - gap) < 1.01; });
  };
  CHECK(near(88) > 20);
  CHECK(near(104) > 20);
}

TEST_CASE("subnormals with an even seed are all subnormal; with an odd seed sums leave the range") {
  for (const double x : doubles("subnormals", Element::f32, 300, 4)) CHECK(std::fabs(x) < 0x1p-126);
  const std::vector<double> crossing = doubles("subnormals", Element::f32, 300, 5);
  CHECK(std::ranges::any_of(crossing, [](double x) { return std::fabs(x) >= 0x1p-126; }));
  CHECK((crossing[0] != 0 && std::fabs(crossing[0]) < 0x1p-126));
}

TEST_CASE("a ladder has steps of half a unit, and above and below it") {
  const std::vector<double> steps = doubles("ladder", Element::f32, 300);
  CHECK(steps[0] == 1);
  CHECK(std::ranges::count(steps, 0x1p-24) > 50);
  CHECK(std::ranges::count_if(steps, [](double x) { return x < 0x1p-24; }) > 50);
  CHECK(std::ranges::count_if(steps, [](double x) { return x > 0x1p-24 && x < 1; }) > 50);
}

TEST_CASE("the hot element is at the given index") {
  for (const std::size_t index : {0, 31, 99}) {
    const std::vector<double> values = doubles("one-hot:" + std::to_string(index), Element::f32, 100);
    CHECK(values[index] != 0);
    CHECK(std::ranges::count(values, 0.0) == 99);
  }
  CHECK(doubles("one-hot:205", Element::f32, 100)[5] != 0);
}

TEST_CASE("elements of an extremum are moved far from zero, but remain different") {
  for (const Element element : {Element::f16, Element::bf16, Element::f32, Element::f64})
    for (const Operator op : {Operator::max, Operator::min})
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const InputDistribution input{{"uniform"}, seed, {}, {{"far-below"}}};
        std::set<double> values;
        for (const std::uint64_t bits : elements_in(element, make_input(input, {op, element, element, 100})))
          values.insert(to_double(decode(element, bits)));
        CAPTURE(name(element), seed);
        CHECK(values.size() > 20);
        CHECK((op == Operator::max ? *values.rbegin() <= -500 : *values.begin() >= 500));
      }
}

TEST_CASE("elements that are moved far below zero have no exponential in f32, and the infinite ones stay") {
  const auto x = made("uniform+far-below+inf:first", Element::f32, 300);
  CHECK(x[0].is_infinite());
  for (std::size_t i = 1; i < x.size(); ++i) REQUIRE(to_double(x[i]) < -104);
}

TEST_CASE("distributions and transforms are parsed with their arguments, and invalid ones are refused") {
  const InputDistribution distribution = distribution_of("ill-conditioned:40+scale:-3+nan:last", 7);
  CHECK(distribution.distribution == InputStep("ill-conditioned", 40));
  CHECK(distribution.transforms == std::vector<InputStep>{{"scale", -3}, {"nan", PlantedAt::last}});
  CHECK(to_string(distribution) == "ill-conditioned:40+scale:-3+nan:last");
  const auto error = [](const std::string& words) -> std::string {
    try {
      distribution_of(words, 0);
    } catch (const InputError& wrong) {
      return wrong.sentence();
    }
    return "no error";
  };
  CHECK(error("uniform+scale") == "\"scale\" must have an integer between -4096 and 4096 after its colon");
  CHECK(error("uniform+nan:middle") ==
        "\"nan:middle\" must have an integer or one of first, last, edge, tile, row, all after its colon");
  CHECK(error("uniform+nan:3") ==
        "\"nan:3\" must have one of first, last, edge, tile, row, all after its colon");
  CHECK(error("uniform+scale:last") ==
        "\"scale:last\" must have an integer between -4096 and 4096 after its colon");
  CHECK(error("uniform+shuffled:1") == "\"shuffled:1\" takes no argument after a colon");
  CHECK(error("uniform+") ==
        "unknown transform \"\"; choose one of shuffled, ascending, descending, large-small, scale:exponent, "
        "shift:exponent, centred, paired:exponent, peaks, far-below, minus-zero:place, nan:place, inf:place, "
        "minus-inf:place, nan-between, nan-ahead, zeros-between, minus-inf-ahead");
  CHECK_THROWS_WITH(made("uniform+inf:first", Element::e4m3, 3),
                    "the transform \"inf\" does not support e4m3 elements");
}

/// The text of a transform in a case, with an argument.
std::string word_of(const DistributionInfo& transform) {
  switch (transform.takes) {
    case DistributionInfo::Takes::place: return std::string(transform.name) + ":all";
    case DistributionInfo::Takes::exponent: return std::string(transform.name) + ":-1";
    default: return std::string(transform.name);
  }
}

TEST_CASE("no input of e2m1 sets bits above the four of its code") {
  // __nv_fp4_e2m1 keeps zeros there, and kernels may use the byte as the code.
  std::set<std::string> above;
  for (const DistributionInfo& distribution : distributions()) {
    if (!suits(distribution, Element::e2m1)) continue;
    std::vector<std::string> words{std::string(distribution.name)};
    for (const DistributionInfo& transform : transforms())
      if (suits(transform, Element::e2m1)) words.push_back(words[0] + "+" + word_of(transform));
    for (const std::string& word : words)
      for (std::uint64_t seed = 0; seed < 12; ++seed)
        for (const Operator op : {Operator::sum, Operator::prod, Operator::min, Operator::max})
          for (const std::byte byte :
               make_input(distribution_of(word, seed), {op, Element::e2m1, Element::f32, 100}))
            if (std::to_integer<unsigned>(byte) > 0xf) above.insert(word);
  }
  CHECK(above == std::set<std::string>{});
}

}  // namespace
}  // namespace foldproof
