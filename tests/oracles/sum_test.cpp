// Exact sums, compared with Boost's binary floating-point with more digits than any sum of doubles needs.
#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <iterator>
#include <random>

#include "catch.h"
#include "elements.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

namespace mp = boost::multiprecision;
template <unsigned bits>
using Binary = mp::number<mp::cpp_bin_float<bits, mp::digit_base_2, void, std::int32_t>, mp::et_off>;
using Wide = Binary<2300>;         // of sums
using WideProduct = Binary<4500>;  // of sums of products

/// A number from pieces of 64 bits, the highest first.
template <class W = Wide>
W wide(const Dyadic& x) {
  std::vector<std::uint64_t> pieces;
  mp::export_bits(x.significand(), std::back_inserter(pieces), 64);
  W magnitude = 0;
  for (const std::uint64_t piece : pieces) magnitude = ldexp(magnitude, 64) + piece;
  const W value = ldexp(magnitude, static_cast<int>(x.exponent()));
  return x.is_negative() ? W(-value) : value;
}

std::vector<double> random_doubles(std::size_t count, std::mt19937_64& random) {
  std::vector<double> values(count);
  for (double& x : values) {
    do {
      x = std::bit_cast<double>(random());
    } while (!std::isfinite(x));
  }
  return values;
}

TEST_CASE("sums of doubles over the whole range of exponents are exact") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    auto values = random_doubles(500, random);
    if (round % 2 == 0)
      for (std::size_t i = 0; i < 200; ++i) values.push_back(-values[i]);
    Wide sum = 0, magnitude = 0;
    for (const double x : values) sum += x, magnitude += std::fabs(x);
    const Tally result = tally(Element::f64, bytes_of(values));
    REQUIRE(wide(result.sum()) == sum);
    REQUIRE(wide(result.magnitude()) == magnitude);
  }
}

TEST_CASE("dot products of doubles over the whole range of exponents are exact") {
  std::mt19937_64 random(7);
  const auto a = random_doubles(600, random), b = random_doubles(600, random);
  WideProduct sum = 0, magnitude = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const WideProduct product = WideProduct(a[i]) * WideProduct(b[i]);
    sum += product, magnitude += abs(product);
  }
  const Tally result = tally_products(Element::f64, bytes_of(a), bytes_of(b));
  CHECK(wide<WideProduct>(result.sum()) == sum);
  CHECK(wide<WideProduct>(result.magnitude()) == magnitude);
}

TEST_CASE("an exact sum does not depend on the order") {
  std::mt19937_64 random(2);
  auto values = random_doubles(1000, random);
  const Dyadic first = tally(Element::f64, bytes_of(values)).sum();
  std::shuffle(values.begin(), values.end(), random);
  CHECK(tally(Element::f64, bytes_of(values)).sum() == first);
}

TEST_CASE("a sum is rounded once, ties to even, in every format") {
  const auto f32_sum = [](const std::vector<float>& values) {
    return rounded(Element::f32, tally(Element::f32, bytes_of(values)).sum());
  };
  CHECK(f32_sum({1, 0x1p-24f}) == std::bit_cast<std::uint32_t>(1.0f));                      // tie, to even
  CHECK(f32_sum({1, 0x1p-24f, 0x1p-140f}) == std::bit_cast<std::uint32_t>(0x1.000002p0f));  // just above it
  CHECK(f32_sum({1, 0x1p-24f, -0x1p-140f}) == std::bit_cast<std::uint32_t>(1.0f));
  CHECK(f32_sum({0x1.000002p0f, 0x1p-24f}) == std::bit_cast<std::uint32_t>(0x1.000004p0f));
  // A negative mantissa of all ones: a widely used implementation once failed here.
  CHECK(f32_sum({-0x1.fffffep0f, -0x1p-24f}) == std::bit_cast<std::uint32_t>(-2.0f));
  CHECK(f32_sum({-0x1.fffffep0f, 0x1p-60f}) == std::bit_cast<std::uint32_t>(-0x1.fffffep0f));
  CHECK(f32_sum({0x1.fffffep127f, 0x1p103f}) == 0x7f800000);  // the tie overflows
  CHECK(f32_sum({0x1.fffffep127f, 0x1p103f, -0x1p-149f}) == 0x7f7fffff);
  CHECK(f32_sum({0x1p-149f, 0x1p-149f}) == 2);
}

TEST_CASE("integers of every width are added without wrapping") {
  const std::vector<std::uint64_t> large(3, ~std::uint64_t{0});
  CHECK(wide(tally(Element::u64, bytes_of(large)).sum()) == 3 * Wide(~std::uint64_t{0}));
  const std::vector<std::int8_t> small{-128, -128, 127};
  CHECK(wide(tally(Element::i8, bytes_of(small)).sum()) == -129);
}

TEST_CASE("a tally records special values and exponents") {
  const Tally t =
      tally(Element::f32, bytes_of(std::vector<float>{0.75f, -8, 0, -0.0f, INFINITY, -INFINITY, NAN, NAN}));
  CHECK(t.count == 8);
  CHECK(t.specials.nan);
  CHECK(t.specials.positive_infinity);
  CHECK(t.specials.negative_infinity);
  CHECK(t.nonzero == 2);
  CHECK(t.lowest_place == -2);
  CHECK(t.highest_place == 3);
  CHECK(t.widest == 2);
}

TEST_CASE("ulps follow the format down to its subnormals") {
  CHECK(ulp(Element::f32, Dyadic(1, 0)) == Dyadic(1, -23));
  CHECK(ulp(Element::f32, Dyadic(-3, -1)) == Dyadic(1, -23));
  CHECK(ulp(Element::f32, Dyadic(1, -148)) == Dyadic(1, -149));
  CHECK(ulp(Element::f16, {}) == Dyadic(1, -24));
  CHECK(overflow_threshold(Element::e4m3) == Dyadic(464, 0));
  CHECK(overflow_threshold(Element::e5m2) == Dyadic(61440, 0));
  CHECK(overflow_threshold(Element::f16) == Dyadic(65520, 0));
}

}  // namespace
}  // namespace foldproof
