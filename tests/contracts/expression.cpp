#include "contracts/expression.h"

#include <algorithm>

#include "catch.h"
#include "workshop.h"

using namespace foldproof;

namespace {

std::int64_t value(const std::string& text, const Variables& variables = {}) {
  return Expression::parse(text, {}).evaluate(variables);
}

std::string parse_error(const std::string& text) {
  return error_of([&] { Expression::parse(text, {"k.toml", 7, 11}); });
}

std::string value_error(const std::string& text, const Variables& variables = {}) {
  return error_of([&] { Expression::parse(text, {"k.toml", 7, 11}).evaluate(variables); });
}

}  // namespace

TEST_CASE("operators have their usual precedence") {
  CHECK(value("2 + 3 * 4") == 14);
  CHECK(value("(2 + 3) * 4") == 20);
  CHECK(value("10 - 3 - 2") == 5);
  CHECK(value("100 / 7 / 2") == 7);
  CHECK(value("17 % 5 * 2") == 4);
  CHECK(value("-2^2") == -4);
}

TEST_CASE("a power is right-associative and reaches past 32 bits") {
  CHECK(value("2^33") == 8589934592);
  CHECK(value("2^3^2") == 512);
  CHECK(value("2^62 - 1 + 2^62") == 9223372036854775807);
  CHECK(value("(-1)^1000000000001") == -1);
  CHECK(value("0^0") == 1);
  CHECK(value("1^9223372036854775807") == 1);
}

TEST_CASE("comparisons give 0 or 1 and have the lowest precedence") {
  CHECK(value("1 + 1 == 2") == 1);
  CHECK(value("3 < 2") == 0);
  CHECK(value("2 <= 2") == 1);
  CHECK(value("(count > 5) * 10", {{"count", 6}}) == 10);
  CHECK(value("1 != 1") == 0);
}

TEST_CASE("functions compute what their names say") {
  CHECK(value("ceil_div(10, 4)") == 3);
  CHECK(value("ceil_div(8, 4)") == 2);
  CHECK(value("ceil_div(0, 256)") == 0);
  CHECK(value("ceil_div(-7, 2)") == -3);
  CHECK(value("ceil_div(9223372036854775807, 2)") == 4611686018427387904);
  CHECK(value("min(3, max(1, 2))") == 2);
  CHECK(value("log2_ceil(1)") == 0);
  CHECK(value("log2_ceil(1024)") == 10);
  CHECK(value("log2_ceil(1025)") == 11);
  CHECK(value("log2_ceil(9223372036854775807)") == 63);
}

TEST_CASE("sizeof knows every element type") {
  CHECK(value("block * sizeof(f32)", {{"block", 256}}) == 1024);
  CHECK(value("sizeof(bf16) + sizeof( e4m3 ) + sizeof(u64)") == 11);
}

TEST_CASE("names are listed once, in the order of the text") {
  CHECK(Expression::parse("grid + count * min(grid, block)", {}).names() ==
        std::vector<std::string>{"grid", "count", "block"});
}

TEST_CASE("a range has two ends, or one value") {
  const Range range = Range::parse("1 .. ceil_div(count, block)", {});
  CHECK(range.low.text() == "1");
  CHECK(range.high.text() == "ceil_div(count, block)");
  CHECK(range.high.evaluate({{"count", 1000}, {"block", 256}}) == 4);
  CHECK(Range::parse("0..2^33", {}).high.evaluate({}) == 8589934592);
  const Range single = Range::parse(" 128 ", {});
  CHECK(single.low.evaluate({}) == 128);
  CHECK(single.high.text() == "128");
}

TEST_CASE("a result beyond 63 bits is an error at its operator") {
  CHECK(value_error("1 + 2^63") ==
        "k.toml:7:16: a result that does not fit in 63 bits in the expression \"1 + 2^63\"");
  CHECK(value_error("count * count", {{"count", 4294967296}}) ==
        "k.toml:7:17: a result that does not fit in 63 bits in the expression \"count * count\"");
  CHECK(value_error("-9223372036854775807 - 2").find("does not fit in 63 bits") != std::string::npos);
  CHECK(value_error("-(-9223372036854775807 - 1)").find("does not fit in 63 bits") != std::string::npos);
  CHECK(value_error("(-9223372036854775807 - 1) / -1").find("does not fit in 63 bits") != std::string::npos);
  CHECK(parse_error("9223372036854775808") ==
        "k.toml:7:11: a number that does not fit in 63 bits in the expression \"9223372036854775808\"; write "
        "one below 2^63");
}

TEST_CASE("arithmetic without a result is refused with the reason") {
  CHECK(value_error("count / (block - 1)", {{"count", 8}, {"block", 1}}) ==
        "k.toml:7:17: division of 8 by zero in the expression \"count / (block - 1)\"");
  CHECK(value_error("5 % 0").find("division of 5 by zero") != std::string::npos);
  CHECK(value_error("ceil_div(5, 0)").find("division of 5 by zero") != std::string::npos);
  CHECK(value_error("2^(0-1)").find("negative power") != std::string::npos);
  CHECK(value_error("log2_ceil(0)").find("is undefined") != std::string::npos);
  CHECK(value_error("rows", {{"count", 1}}) ==
        "k.toml:7:11: unknown name \"rows\" (known here: count; a range can use only the variables above it) "
        "in the "
        "expression \"rows\"");
}

TEST_CASE("text that is not an expression is refused at its column") {
  CHECK(parse_error("count +") ==
        "k.toml:7:18: missing value in the expression \"count +\"; expected a number, a name or \"(\"");
  CHECK(parse_error("(1 + 2") == "k.toml:7:17: expected \")\", found the end in the expression \"(1 + 2\"");
  CHECK(parse_error("1 ) 2").find("k.toml:7:13: unexpected \")\"") == 0);
  CHECK(parse_error("1.5").find("not an integer") != std::string::npos);
  CHECK(parse_error("12abc").find("not an integer") != std::string::npos);
  CHECK(parse_error("sqrt(2)").find("k.toml:7:11: unknown function \"sqrt\"") == 0);
  CHECK(parse_error("sizeof(f33)") ==
        "k.toml:7:18: unknown type \"f33\" in the expression \"sizeof(f33)\"; did you mean \"f32\"?");
  CHECK(parse_error("1 2") ==
        "k.toml:7:13: unexpected \"2\" in the expression \"1 2\"; expected an operator or the end");
  CHECK(parse_error("min(1)").find("expected \",\"") != std::string::npos);
  CHECK(parse_error("").find("missing value") != std::string::npos);
  CHECK(parse_error("a $ b").find("k.toml:7:13: unexpected \"$\"") == 0);
}

TEST_CASE("hostile expressions are refused in one sentence") {
  CHECK(parse_error(std::string(3000, '(')).find("levels of nesting") != std::string::npos);
  CHECK(parse_error(std::string(3000, '-') + "1").find("levels of nesting") != std::string::npos);
  CHECK(parse_error(std::string(100000, '1')).find("too long") != std::string::npos);
  std::string tower = "2";
  for (int i = 0; i < 500; ++i) tower += "^2";
  CHECK(parse_error(tower).find("levels of nesting") != std::string::npos);
}

TEST_CASE("a long chain of operators is accepted") {
  std::string chain = "1";
  for (int i = 1; i < 2000; ++i) chain += "+1";
  CHECK(value(chain) == 2000);
}
