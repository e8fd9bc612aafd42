#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "catch.h"
#include "elements.h"
#include "oracles/operator.h"

namespace foldproof {
namespace {

std::uint64_t random_bits(std::mt19937_64& random) { return random(); }

TEST_CASE("f32 and f64 decode to the hardware's values") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto narrow = static_cast<std::uint32_t>(random_bits(random));
    const auto value = std::bit_cast<float>(narrow);
    if (std::isnan(value)) {
      REQUIRE(decode(Element::f32, narrow).is_nan());
      continue;
    }
    REQUIRE(to_double(decode(Element::f32, narrow)) == static_cast<double>(value));
    const Number number = decode(Element::f64, random_bits(random));
    if (number.is_finite())
      REQUIRE(std::ldexp(static_cast<double>(number.significand), number.exponent) ==
              std::fabs(to_double(number)));
  }
}

TEST_CASE("doubles round to f32 as in hardware") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200000; ++i) {
    auto bits = random_bits(random);
    // Half of them within f32's range, including subnormals and overflow.
    if (i % 2 == 0) bits = (bits & 0x800fffffffffffff) | ((0x3ff - 152 + random() % 284) << 52);
    if (i % 8 == 0) bits &= ~std::uint64_t{0x0fffffff};  // ties
    const auto value = std::bit_cast<double>(bits);
    if (std::isnan(value)) continue;
    REQUIRE(encode(Element::f32, number_of(value)) ==
            std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
}

TEST_CASE("every code of the small formats has the value given by its fields and encodes back") {
  struct Row {
    Element element;
    int exponent_bits, fraction_bits, bias;
    bool infinities, nans;
  };
  for (const Row& row : {Row{Element::f16, 5, 10, 15, true, true}, Row{Element::bf16, 8, 7, 127, true, true},
                         Row{Element::e4m3, 4, 3, 7, false, true}, Row{Element::e5m2, 5, 2, 15, true, true},
                         Row{Element::e2m1, 2, 1, 1, false, false}}) {
    const unsigned codes = 1u << (1 + row.exponent_bits + row.fraction_bits);
    for (unsigned code = 0; code < codes; ++code) {
      const bool negative = (code & (codes / 2)) != 0;
      const unsigned fraction = code & ((1u << row.fraction_bits) - 1);
      const unsigned field = (code & (codes / 2 - 1)) >> row.fraction_bits;
      const unsigned last = (1u << row.exponent_bits) - 1;
      const Number number = decode(row.element, code);
      INFO(name(row.element) << " " << code);
      if (row.nans && field == last && (row.infinities || fraction == (1u << row.fraction_bits) - 1)) {
        REQUIRE(number.is_nan() == (!row.infinities || fraction != 0));
        REQUIRE(number.is_infinite() == (row.infinities && fraction == 0));
        if (number.is_infinite()) REQUIRE(encode(row.element, number) == code);
        continue;
      }
      const double magnitude = field == 0
                                   ? std::ldexp(fraction, 1 - row.bias - row.fraction_bits)
                                   : std::ldexp(fraction + (1u << row.fraction_bits),
                                                static_cast<int>(field) - row.bias - row.fraction_bits);
      REQUIRE(to_double(number) == (negative ? -magnitude : magnitude));
      REQUIRE(encode(row.element, number) == code);
    }
  }
}

/// The nearest finite code, by exhaustive search; in a tie, the even one.
std::uint64_t nearest_by_search(Element element, double value) {
  const auto codes = std::uint64_t{1} << (8 * size_of(element));
  std::uint64_t best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (std::uint64_t code = 0; code < codes; ++code) {
    const Number number = decode(element, code);
    if (!number.is_finite() || (number.negative != std::signbit(value))) continue;
    const double d = std::fabs(to_double(number) - value);
    if (d < distance || (d == distance && code % 2 == 0)) best = code, distance = d;
  }
  return best;
}

TEST_CASE("rounding to the small formats finds the nearest code, ties to even") {
  std::mt19937_64 random(3);
  for (const Element element : {Element::e4m3, Element::e5m2, Element::f16}) {
    const FloatFormat& format = float_format(element);
    const int cases = element == Element::f16 ? 150 : 4000;
    for (int i = 0; i < cases; ++i) {
      // Few significant bits make ties common.
      const auto significand = static_cast<double>(random() % 4096) + 1;
      const int exponent = format.lowest_exponent - 8 + static_cast<int>(random() % 40);
      const double value = std::ldexp(significand, exponent) * (random() % 2 == 0 ? 1 : -1);
      if (std::fabs(value) >
          std::ldexp(static_cast<double>(format.largest_significand), format.highest_exponent))
        continue;
      INFO(name(element) << " " << value);
      REQUIRE(encode(element, number_of(value)) == nearest_by_search(element, value));
    }
  }
}

TEST_CASE("overflow begins where the formats' definitions say") {
  CHECK(bits_of(Element::e4m3, 464) == 0x7e);  // the tie goes to 448
  CHECK(bits_of(Element::e4m3, 464.001) == 0x7f);
  CHECK(bits_of(Element::e5m2, 61439.9) == 0x7b);
  CHECK(bits_of(Element::e5m2, 61440) == 0x7c);
  CHECK(bits_of(Element::f16, 65519.99) == 0x7bff);
  CHECK(bits_of(Element::f16, 65520) == 0x7c00);
  CHECK(bits_of(Element::f16, -65520) == 0xfc00);
  CHECK(bits_of(Element::e4m3, INFINITY) == 0x7f);
  CHECK(bits_of(Element::e2m1, INFINITY) == 0x7);
}

TEST_CASE("conversion to integers truncates and saturates") {
  CHECK(bits_of(Element::i8, -300) == 0x80);
  CHECK(bits_of(Element::i8, 127.9) == 0x7f);
  CHECK(bits_of(Element::u8, -1) == 0);
  CHECK(bits_of(Element::u64, 0x1p70) == ~std::uint64_t{0});
  CHECK(bits_of(Element::i64, -INFINITY) == std::uint64_t{1} << 63);
  CHECK(to_double(decode(Element::i16, 0xffff)) == -1);
}

TEST_CASE("order keys order values") {
  for (const Element element : {Element::f64, Element::f32, Element::bf16, Element::i32, Element::i64}) {
    const double ascending[] = {-1000, -3, -1, 0, 1, 2, 100};
    for (std::size_t i = 0; i + 1 < std::size(ascending); ++i)
      CHECK(order_key(element, bits_of(element, ascending[i])) <
            order_key(element, bits_of(element, ascending[i + 1])));
  }
  CHECK(order_key(Element::f32, bits_of(Element::f32, -0.0)) == order_key(Element::f32, 0));
  CHECK(order_key(Element::u64, ~std::uint64_t{0}) > order_key(Element::u64, 1));
}

TEST_CASE("identities do not change the other operand") {
  CHECK(identity(Operator::max, Element::f32) == 0xff800000);
  CHECK(identity(Operator::min, Element::f64) == 0x7ff0000000000000);
  CHECK(identity(Operator::max, Element::i32) == 0x80000000);
  CHECK(identity(Operator::min, Element::u8) == 0xff);
  CHECK(identity(Operator::max, Element::e4m3) == 0xfe);
  CHECK(identity(Operator::min, Element::e2m1) == 0x7);
  CHECK(identity(Operator::prod, Element::f16) == 0x3c00);
}

TEST_CASE("text shows values in decimal") {
  CHECK(to_text(Element::f32, 0x40400000) == "3");
  CHECK(to_text(Element::f16, 0xfc00) == "-inf");
  CHECK(to_text(Element::i32, 0xffffffff) == "-1");
  CHECK(to_text(Element::e2m1, 0xd) == "-3");
}

}  // namespace
}  // namespace foldproof
