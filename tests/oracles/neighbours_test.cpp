// Classes and neighbours, counted by hand and held against the C library.
#include "oracles/formats/neighbours.h"

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "catch.h"
#include "oracles/dyadic.h"

namespace foldproof {
namespace {

using Kind = ValueClass::Kind;

constexpr Element narrow[] = {Element::e2m1, Element::e4m3, Element::e5m2, Element::f16, Element::bf16};

TEST_CASE("of each narrow format so many codes are NaN, infinite, zero, subnormal and normal") {
  struct Row {
    Element element;
    unsigned nan, infinity, zero, subnormal, normal;
  };
  for (const Row& row : {Row{Element::f16, 2046, 2, 2, 2046, 61440},
                         Row{Element::bf16, 254, 2, 2, 254, 65024}, Row{Element::e4m3, 2, 0, 2, 14, 238},
                         Row{Element::e5m2, 6, 2, 2, 6, 240}, Row{Element::e2m1, 0, 0, 2, 2, 12}}) {
    std::map<Kind, unsigned> positive, negative;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << width_of(row.element); ++code) {
      const ValueClass value = classify(row.element, code);
      ++(value.negative ? negative : positive)[value.kind];
    }
    INFO(name(row.element));
    for (auto* half : {&positive, &negative}) {
      CHECK(2 * (*half)[Kind::nan] == row.nan);
      CHECK(2 * (*half)[Kind::infinity] == row.infinity);
      CHECK(2 * (*half)[Kind::zero] == row.zero);
      CHECK(2 * (*half)[Kind::subnormal] == row.subnormal);
      CHECK(2 * (*half)[Kind::normal] == row.normal);
    }
  }
}

TEST_CASE("f32 and f64 are classified as the C library does it") {
  std::mt19937_64 random(1);
  const auto check = [](Element element, std::uint64_t bits, auto value) {
    const std::map<int, Kind> kinds{{FP_NAN, Kind::nan},
                                    {FP_INFINITE, Kind::infinity},
                                    {FP_ZERO, Kind::zero},
                                    {FP_SUBNORMAL, Kind::subnormal},
                                    {FP_NORMAL, Kind::normal}};
    REQUIRE(classify(element, bits) == ValueClass{kinds.at(std::fpclassify(value)), std::signbit(value)});
  };
  for (int i = 0; i < 2000; ++i) {
    // Every exponent field comes up, the first and the last often.
    std::uint64_t bits = random();
    if (i % 4 == 0) bits &= ~(std::uint64_t{0x7ff} << 52);
    if (i % 4 == 1) bits |= std::uint64_t{0x7ff} << 52;
    if (i % 8 < 2) bits &= std::uint64_t{0xfff} << 52;
    check(Element::f64, bits, std::bit_cast<double>(bits));
    const auto low = static_cast<std::uint32_t>(bits >> 32);
    check(Element::f32, low, std::bit_cast<float>(low));
  }
}

TEST_CASE("integers are zero or normal") {
  CHECK(classify(Element::i8, 0x80) == ValueClass{Kind::normal, true});
  CHECK(classify(Element::u8, 0x80) == ValueClass{Kind::normal, false});
  CHECK(classify(Element::i64, 0) == ValueClass{Kind::zero, false});
}

TEST_CASE("from the least to the greatest value of a narrow format, next_up visits each once, in order") {
  for (const Element element : narrow) {
    INFO(name(element));
    const bool infinite = float_format(element).has_infinity;
    const std::uint64_t sign = std::uint64_t{1} << (width_of(element) - 1);
    const std::uint64_t last = float_format(element).largest_code() + (infinite ? 1 : 0);
    std::uint64_t code = sign | last, steps = 0;
    for (; next_up(element, code) != code; ++steps) {
      const std::uint64_t up = next_up(element, code);
      REQUIRE(order_key(element, up) == order_key(element, code) + 1);
      // IEEE 754 steps back from the smallest positive subnormal to +0, and from either zero to a subnormal.
      REQUIRE(next_down(element, up) == (decode(element, code).is_zero() ? 0 : code));
      const Number here = decode(element, code), there = decode(element, up);
      if (here.is_finite() && there.is_finite()) REQUIRE(Dyadic(here) < Dyadic(there));
      code = up;
    }
    CHECK(code == last);
    CHECK(steps == 2 * last);
    CHECK(next_down(element, sign | last) == (sign | last));
  }
}

TEST_CASE("NaN stays NaN, and either zero has the smallest subnormals beside it") {
  CHECK(next_up(Element::e4m3, 0x7f) == 0x7f);
  CHECK(next_down(Element::e5m2, 0xfe) == 0xfe);
  for (const std::uint64_t zero : {0x0u, 0x8000u}) {
    CHECK(next_up(Element::f16, zero) == 0x0001);
    CHECK(next_down(Element::f16, zero) == 0x8001);
  }
}

TEST_CASE("f32 and f64 have the neighbours that the C library finds") {
  std::mt19937_64 random(2);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values{0x1p-1074, 0x1p-1022, std::numeric_limits<double>::max(), 1, infinity};
  for (int i = 0; i < 1000; ++i) values.push_back(std::fabs(std::bit_cast<double>(random())));
  for (const double magnitude : values)
    for (const double x : {magnitude, -magnitude}) {
      if (std::isnan(x)) continue;
      const auto bits = std::bit_cast<std::uint64_t>(x);
      REQUIRE(next_up(Element::f64, bits) == std::bit_cast<std::uint64_t>(std::nextafter(x, infinity)));
      REQUIRE(next_down(Element::f64, bits) == std::bit_cast<std::uint64_t>(std::nextafter(x, -infinity)));
      const auto y = static_cast<float>(x);
      if (y == 0) continue;
      constexpr float narrow_infinity = std::numeric_limits<float>::infinity();
      REQUIRE(next_up(Element::f32, std::bit_cast<std::uint32_t>(y)) ==
              std::bit_cast<std::uint32_t>(std::nextafter(y, narrow_infinity)));
    }
}

TEST_CASE("integers end at their ends") {
  CHECK(next_up(Element::i8, 0x7f) == 0x7f);
  CHECK(next_up(Element::i8, 0xff) == 0x00);
  CHECK(next_down(Element::i8, 0x80) == 0x80);
  CHECK(next_down(Element::i16, 0) == 0xffff);
  CHECK(next_down(Element::u32, 0) == 0);
  CHECK(next_up(Element::u64, ~std::uint64_t{0}) == ~std::uint64_t{0});
  CHECK(next_down(Element::u64, 5) == 4);
}

TEST_CASE("overflow begins half a unit above the largest value") {
  using Integer = Dyadic::Integer;
  CHECK(overflow_threshold(Element::f64) == Dyadic((Integer(1) << 54) - 1, 970));
  CHECK(overflow_threshold(Element::f32) == Dyadic((Integer(1) << 25) - 1, 103));
  CHECK(overflow_threshold(Element::bf16) == Dyadic(0x1ff, 119));
  CHECK(overflow_threshold(Element::e2m1) == Dyadic(7, 0));
  CHECK(largest_finite(Element::e2m1) == Dyadic(6, 0));
  CHECK(ulp(Element::e2m1, Dyadic(1, 0)) == Dyadic(1, -1));
  CHECK(ulp(Element::e2m1, Dyadic(6, 0)) == Dyadic(2, 0));
  CHECK(ulp(Element::e4m3, Dyadic(1, -9)) == Dyadic(1, -9));
}

}  // namespace
}  // namespace foldproof
