// Numbers and constant expressions; the expected values follow PTX ISA 9.0, sections 4.5 and 4.6.
#include <bit>
#include <cstdint>

#include "ptx/documents.h"

using namespace foldproof::ptx;
using foldproof::tests::contains_text;

namespace {
std::int64_t integer(const std::string& text) {
  const Literal literal = literal_of(text);
  REQUIRE(literal.form == Literal::Form::integer);
  return static_cast<std::int64_t>(literal.bits);
}
double f64(const std::string& text) {
  const Literal literal = literal_of(text);
  REQUIRE(literal.form == Literal::Form::f64);
  return std::bit_cast<double>(literal.bits);
}
}  // namespace

TEST_CASE("Integers are decimal, hexadecimal, octal or binary", "[ptx][constant]") {
  CHECK(integer("0") == 0);
  CHECK(integer("42") == 42);
  CHECK(integer("0x1F") == 31);
  CHECK(integer("0XfFU") == 255);
  CHECK(integer("017") == 15);
  CHECK(integer("0b101") == 5);
  CHECK(integer("0B11U") == 3);
  CHECK(integer("-2147483648") == -2147483648);
  CHECK(integer("WARP_SZ") == 32);
  CHECK(literal_of("18446744073709551615").bits == ~0ull);
  CHECK(literal_of("0xFFFFFFFFFFFFFFFF").bits == ~0ull);
}

TEST_CASE("Hexadecimal floats keep their bits", "[ptx][constant]") {
  const Literal one = literal_of("0f3F800000");
  CHECK(one.form == Literal::Form::f32);
  CHECK(one.bits == 0x3F800000);
  const Literal nan = literal_of("0F7FC00001");
  CHECK(nan.form == Literal::Form::f32);
  CHECK(nan.bits == 0x7FC00001);
  const Literal third = literal_of("0d3FD5555555555555");
  CHECK(third.form == Literal::Form::f64);
  CHECK(third.bits == 0x3FD5555555555555);
  CHECK(literal_of("0D8000000000000000").bits == 0x8000000000000000);
}

TEST_CASE("Decimal floats are .f64", "[ptx][constant]") {
  CHECK(f64("1.5") == 1.5);
  CHECK(f64(".25") == 0.25);
  CHECK(f64("3.") == 3.0);
  CHECK(f64("1e3") == 1000.0);
  CHECK(f64("-2.5E-1") == -0.25);
  CHECK(f64(".5e+1") == 5.0);
  CHECK(std::signbit(f64("-0.0")));
  CHECK(f64("1.0 + 2.0 * 3.0 - 4.0 / 2.0") == 5.0);
}

TEST_CASE("Operators have the precedence of C", "[ptx][constant]") {
  CHECK(integer("1 + 2 * 3") == 7);
  CHECK(integer("(1 + 2) * 3") == 9);
  CHECK(integer("10 - 3 - 2") == 5);
  CHECK(integer("1 << 4 | 3") == 19);
  CHECK(integer("6 & 3 ^ 1 | 8") == 11);
  CHECK(integer("7 % 4 == 3 && 2 < 1 || 5 >= 5") == 1);
  CHECK(integer("1 != 1") == 0);
  CHECK(integer("0 ? 1 : 0 ? 2 : 3") == 3);
  CHECK(integer("!5") == 0);
  CHECK(integer("!0") == 1);
  CHECK(integer("~0") == -1);
  CHECK(integer("- - 3") == 3);
  CHECK(integer("+-4") == -4);
  CHECK(integer("WARP_SZ*2+1") == 65);
}

TEST_CASE("Signedness follows the operands", "[ptx][constant]") {
  CHECK(integer("-7 / 2") == -3);
  CHECK(integer("-7 % 2") == -1);
  CHECK(integer("-8 >> 1") == -4);
  CHECK(literal_of("(.u64)-8 >> 1").bits == 0x7FFFFFFFFFFFFFFC);
  CHECK(integer("-1 < 0") == 1);
  CHECK(integer("-1 < 0U") == 0);    // both are .u64
  CHECK(integer("-1 >> 1U") == -1);  // a shift has the type of its left operand
  CHECK(integer("(.s64)2.9") == 2);
  CHECK(integer("(.u64)1e19") == static_cast<std::int64_t>(10000000000000000000ull));
}

TEST_CASE("Integer arithmetic wraps where C++ has undefined behaviour", "[ptx][constant]") {
  CHECK(literal_of("0x7FFFFFFFFFFFFFFF + 1").bits == 0x8000000000000000);
  CHECK(literal_of("(.s64)0x8000000000000000 / -1").bits == 0x8000000000000000);
  CHECK(integer("(.s64)0x8000000000000000 % -1") == 0);
  CHECK(literal_of("-(.s64)0x8000000000000000").bits == 0x8000000000000000);
  CHECK(integer("1 << 64") == 0);
  CHECK(integer("1 << -1") == 0);
  CHECK(integer("-5 >> 99") == -1);
  CHECK(integer("5U >> 64") == 0);
}

TEST_CASE("Constants without a value are refused", "[ptx][constant][errors]") {
  const auto refusal = [](const std::string& text) { return refusal_in_body("mov.b64 %rd1, " + text + ";"); };
  CHECK_THAT(refusal("99999999999999999999"), contains_text("does not fit in 64 bits"));
  CHECK_THAT(refusal("089"), contains_text("is not a number in base 8"));
  CHECK_THAT(refusal("0x"), contains_text("is not a number in base 16"));
  CHECK_THAT(refusal("0b12"), contains_text("is not a number in base 2"));
  CHECK_THAT(refusal("5u"), contains_text("'5u' is not a number"));
  CHECK_THAT(refusal("1.5.5"), contains_text("expected"));
  CHECK_THAT(refusal("0f3F80"), contains_text("exactly 8 hexadecimal digits"));
  CHECK_THAT(refusal("0d3F800000"), contains_text("exactly 16 hexadecimal digits"));
  CHECK_THAT(refusal("1e999"), contains_text("is not representable in .f64"));
  CHECK_THAT(refusal("1 / 0"), contains_text("divides by zero"));
  CHECK_THAT(refusal("1 % (2 - 2)"), contains_text("divides by zero"));
  CHECK_THAT(refusal("-0f3F800000"), contains_text("0f… cannot be combined with '-'"));
  CHECK_THAT(refusal("1.0 + 0f3F800000"), contains_text("0f… cannot be combined with operators"));
  CHECK_THAT(refusal("1.0 & 2.0"), contains_text("cannot combine"));
  CHECK_THAT(refusal("1.0 + 2"), contains_text("cannot combine"));
  CHECK_THAT(refusal("~1.0"), contains_text("requires an integer"));
  CHECK_THAT(refusal("(.s64)1e300"), contains_text("does not fit the integer type"));
  CHECK_THAT(refusal("(.f32)1"), contains_text("only to .s64 or .u64"));
  CHECK_THAT(refusal("1 ? 2"), contains_text("expected ':'"));
  CHECK_THAT(refusal("(1"), contains_text("expected ')'"));
  CHECK_THAT(refusal(std::string(100000, '(') + "1"), contains_text("nests deeper"));
  CHECK_THAT(refusal(std::string(100000, '-') + "1"), contains_text("nests deeper"));
}
