// Encoding in every rounding and saturation mode, compared with the definition of rounding in
// arbitrary-precision integers.
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "catch.h"
#include "elements.h"
#include "oracles/dyadic.h"

namespace foldproof {
namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr RoundingMode modes[] = {RoundingMode::nearest_even, RoundingMode::toward_zero, RoundingMode::up,
                                  RoundingMode::down};
constexpr Saturation saturations[] = {Saturation::none, Saturation::to_largest};

/// A format by its definition: the fields of its codes, and its last finite code.
struct Definition {
  Element element;
  int exponent_bits, fraction_bits, bias;
  std::uint64_t largest, overflow;  ///< codes of the largest finite value and of the values beyond it
};

const Definition definitions[] = {
    {Element::f64, 11, 52, 1023, 0x7fefffffffffffff, 0x7ff0000000000000},
    {Element::f32, 8, 23, 127, 0x7f7fffff, 0x7f800000},
    {Element::f16, 5, 10, 15, 0x7bff, 0x7c00},
    {Element::bf16, 8, 7, 127, 0x7f7f, 0x7f80},
    {Element::e4m3, 4, 3, 7, 0x7e, 0x7f},
    {Element::e5m2, 5, 2, 15, 0x7b, 0x7c},
    {Element::e2m1, 2, 1, 1, 0x7, 0x7},
};

/// Rounds significand * 2^exponent as if the exponent were unbounded, then checks the range.
std::uint64_t rounded_by_definition(const Definition& d, bool negative, const Integer& significand,
                                    int exponent, RoundingMode mode, Saturation saturation) {
  const std::uint64_t sign = negative ? std::uint64_t{1} << (d.exponent_bits + d.fraction_bits) : 0;
  if (significand == 0) return sign;
  const int leading = static_cast<int>(msb(significand)) + exponent;
  int place = std::max(leading, 1 - d.bias) - d.fraction_bits;  // of the last bit that is kept
  const int below = std::max(place - exponent, 0);              // bits that are dropped
  Integer quotient = below == 0 ? Integer(significand << (exponent - place)) : Integer(significand >> below);
  const Integer rest = below == 0 ? Integer(0) : Integer(significand - (quotient << below));
  const bool away = mode == (negative ? RoundingMode::down : RoundingMode::up);
  const bool nearest = mode == RoundingMode::nearest_even;
  const Integer twice = rest * 2, one = Integer(1) << below;
  if ((away && rest != 0) || (nearest && (twice > one || (twice == one && quotient % 2 == 1)))) ++quotient;
  // A subnormal has exponent field 0; the leading bit of a normal number adds one to the field.
  const Integer code = (Integer(place + d.fraction_bits + d.bias - 1) << d.fraction_bits) + quotient;
  if (code <= d.largest) return sign | static_cast<std::uint64_t>(code);
  const bool overflows = (nearest || away) && saturation == Saturation::none;
  return sign | (overflows ? d.overflow : d.largest);
}

/// The value of a finite code and values just above it: the code itself, 1/1024 of the distance to the next
/// code, below, at and above the tie, and just below the next code.
void check_around(const Definition& d, std::uint64_t code) {
  const std::uint64_t fraction = code & ((std::uint64_t{1} << d.fraction_bits) - 1);
  const auto field = static_cast<int>(code >> d.fraction_bits);
  const std::uint64_t significand = field == 0 ? fraction : fraction | std::uint64_t{1} << d.fraction_bits;
  const int exponent = std::max(field, 1) - d.bias - d.fraction_bits;
  for (const unsigned part : {0u, 1u, 511u, 512u, 513u, 1023u})
    for (const bool negative : {false, true})
      for (const RoundingMode mode : modes)
        for (const Saturation saturation : saturations) {
          const Number x{Number::Category::finite, negative, significand << 10 | part, exponent - 10};
          const std::uint64_t expected =
              rounded_by_definition(d, negative, x.significand, x.exponent, mode, saturation);
          if (encode(d.element, x, mode, saturation) == expected) continue;
          INFO(name(d.element) << " code " << code << " and " << part << "/1024, mode "
                               << static_cast<int>(mode));
          REQUIRE(encode(d.element, x, mode, saturation) == expected);
        }
}

const Definition& definition(Element element) { return definitions[static_cast<std::size_t>(element)]; }

}  // namespace

TEST_CASE("every narrow code and the values up to the next one round by the definition") {
  for (const Element element : {Element::e2m1, Element::e4m3, Element::e5m2, Element::f16, Element::bf16}) {
    const Definition& d = definition(element);
    for (std::uint64_t code = 0; code <= d.largest; ++code) check_around(d, code);
  }
}

TEST_CASE("f64 and f32 round by the definition, at the limits and for random values") {
  std::mt19937_64 random(1);
  for (const Element element : {Element::f64, Element::f32}) {
    const Definition& d = definition(element);
    const std::uint64_t normal = std::uint64_t{1} << d.fraction_bits;
    for (const std::uint64_t edge : {std::uint64_t{1}, normal, d.largest / 2, d.largest})
      for (std::uint64_t code = edge - 1; code <= std::min(edge + 1, d.largest); ++code)
        check_around(d, code);
    for (int i = 0; i < 5000; ++i) {
      check_around(d, random() % (d.largest + 1));
      check_around(d, random() % (2 * normal));  // subnormal, and the first exponent
    }
  }
}

TEST_CASE("64 significant bits are rounded once, including f64's subnormals") {
  std::mt19937_64 random(2);
  for (const Definition& d : definitions)
    for (int i = 0; i < 20000; ++i) {
      const int lowest = 1 - d.bias - d.fraction_bits;
      // From far below the smallest subnormal to far beyond the largest value; runs of ones and zeros make
      // near ties.
      const int exponent =
          lowest - 80 + static_cast<int>(random() % (2u * static_cast<unsigned>(d.bias) + 160));
      std::uint64_t significand = random() | std::uint64_t{1} << 63;
      if (i % 2 == 0) significand &= ~std::uint64_t{0} << random() % 64;
      if (i % 4 == 0) significand += random() % 3 - 1;
      for (const RoundingMode mode : modes)
        for (const Saturation saturation : saturations) {
          const bool negative = i % 3 == 0;
          INFO(name(d.element) << " " << significand << " * 2^" << exponent);
          REQUIRE(encode(d.element, {Number::Category::finite, negative, significand, exponent}, mode,
                         saturation) ==
                  rounded_by_definition(d, negative, significand, exponent, mode, saturation));
        }
    }
}

TEST_CASE("infinities, NaN and overflow convert as in CUDA") {
  struct Row {
    Element element;
    double value;
    std::uint64_t plain, saturating;
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Row rows[] = {
      {Element::e4m3, infinity, 0x7f, 0x7e},  {Element::e4m3, -infinity, 0xff, 0xfe},
      {Element::e4m3, NAN, 0x7f, 0x7f},       {Element::e4m3, 448, 0x7e, 0x7e},
      {Element::e4m3, 464, 0x7e, 0x7e},       {Element::e4m3, 464.0000001, 0x7f, 0x7e},
      {Element::e5m2, infinity, 0x7c, 0x7b},  {Element::e5m2, -infinity, 0xfc, 0xfb},
      {Element::e5m2, NAN, 0x7f, 0x7f},       {Element::e5m2, 57344, 0x7b, 0x7b},
      {Element::e5m2, 61439.999, 0x7b, 0x7b}, {Element::e5m2, 61440, 0x7c, 0x7b},
      {Element::e2m1, infinity, 0x7, 0x7},    {Element::e2m1, -infinity, 0xf, 0xf},
      {Element::e2m1, NAN, 0x7, 0x7},         {Element::e2m1, 6, 0x7, 0x7},
      {Element::e2m1, 1e9, 0x7, 0x7},         {Element::f16, infinity, 0x7c00, 0x7bff},
      {Element::f16, 65520, 0x7c00, 0x7bff},  {Element::bf16, -infinity, 0xff80, 0xff7f},
  };
  for (const Row& row : rows) {
    INFO(name(row.element) << " " << row.value);
    CHECK(encode(row.element, number_of(row.value), RoundingMode::nearest_even) == row.plain);
    CHECK(encode(row.element, number_of(row.value), RoundingMode::nearest_even, Saturation::to_largest) ==
          row.saturating);
  }
  for (const Element element : {Element::f64, Element::f32, Element::f16, Element::bf16})
    for (const Saturation saturation : saturations)
      CHECK(decode(element, encode(element, number_of(NAN), RoundingMode::up, saturation)).is_nan());
}

TEST_CASE("integers are rounded in every mode and saturate") {
  struct Row {
    double value;
    int nearest, toward_zero, up, down;
  };
  constexpr Row rows[] = {
      {2.5, 2, 2, 3, 2},           {-2.5, -2, -2, -2, -3},          {3.5, 4, 3, 4, 3},
      {0.25, 0, 0, 1, 0},          {-0x1p-70, 0, 0, 0, -1},         {-3.75, -4, -3, -3, -4},
      {127.5, 127, 127, 127, 127}, {-1000, -128, -128, -128, -128}, {5, 5, 5, 5, 5}};
  for (const Row& row : rows) {
    INFO(row.value);
    const int expected[] = {row.nearest, row.toward_zero, row.up, row.down};
    for (std::size_t mode = 0; mode < std::size(modes); ++mode) {
      const auto code = static_cast<std::uint8_t>(expected[mode]);
      CHECK(encode(Element::i8, number_of(row.value), modes[mode]) == code);
      CHECK(rounded(Element::i8, Dyadic(number_of(row.value)), modes[mode]) == code);
    }
  }
}

TEST_CASE("a sum with 64 integer bits and a fraction is rounded to an integer") {
  const Dyadic x = Dyadic(Integer(1) << 63, 0) + Dyadic(1, -1);  // 2^63 + 1/2
  constexpr std::uint64_t floor = std::uint64_t{1} << 63;
  CHECK(rounded(Element::u64, x) == floor);
  CHECK(rounded(Element::u64, x, RoundingMode::nearest_even) == floor);
  CHECK(rounded(Element::u64, x, RoundingMode::up) == floor + 1);
  CHECK(rounded(Element::u64, x + Dyadic(1, -2000), RoundingMode::nearest_even) == floor + 1);
}

TEST_CASE("exact sums round once in the directed modes") {
  const Dyadic above_one = Dyadic(1, 0) + Dyadic(1, -3000);
  CHECK(rounded(Element::f64, above_one, RoundingMode::nearest_even) == 0x3ff0000000000000);
  CHECK(rounded(Element::f64, above_one, RoundingMode::up) == 0x3ff0000000000001);
  CHECK(rounded(Element::e4m3, above_one, RoundingMode::up) == 0x39);
  CHECK(rounded(Element::f16, -above_one, RoundingMode::down) == 0xbc01);
  CHECK(rounded(Element::f16, -above_one, RoundingMode::up) == 0xbc00);
}

}  // namespace foldproof
