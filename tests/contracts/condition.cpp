#include "contracts/condition.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "catch.h"
#include "contracts/workshop.h"
#include "oracles/number.h"

using namespace foldproof;

namespace {

bool holds(const std::string& text, float x) {
  return Condition::parse(text, Element::f32, {}).holds(std::bit_cast<std::uint32_t>(x));
}

bool holds_for_integer(const std::string& text, int x) {
  return Condition::parse(text, Element::i32, {}).holds(static_cast<std::uint32_t>(x));
}

TEST_CASE(
    "a condition on a floating-point element compares it with numbers, and every comparison must hold") {
  CHECK((holds("x > 0.5", 0.75F) && !holds("x > 0.5", 0.5F)));
  CHECK((holds("x>=0.5", 0.5F) && !holds("x < 0.5", 0.5F)));
  CHECK((holds("x >= -1 and x < 1", -1.0F) && !holds("x >= -1 and x < 1", 1.0F)));
  CHECK((holds("x != 0", 1e-45F) && !holds("x == 0", 1e-45F)));
  CHECK(holds("x == 0", -0.0F));
}

TEST_CASE("the numbers of a condition are rounded to the type of the element") {
  CHECK(holds("x == 0.1", 0.1F));
  CHECK_FALSE(holds("x > 0.1", 0.1F));
  CHECK(Condition::parse("x == 0.1", Element::f16, {}).holds(0x2e66));  // the f16 number nearest to 0.1
}

TEST_CASE("an element to which the number of a condition is rounded may be on either side of it") {
  const Condition tenth = Condition::parse("x > 0.1", Element::f16, {});
  CHECK((tenth.is_ambiguous(0x2e66) && !tenth.is_ambiguous(0x2e67)));
  CHECK(tenth.thresholds() == std::vector<std::uint64_t>{0x2e67, 0x2e65});
  CHECK_FALSE(Condition::parse("x > 0.5", Element::f16, {}).is_ambiguous(0x3800));
}

TEST_CASE("a number beyond the range of the element is refused") {
  CHECK_THROWS_WITH(Condition::parse("x < 500", Element::e4m3, {}),
                    tests::contains_text("500 is beyond the largest e4m3 number"));
  CHECK_NOTHROW(Condition::parse("x < inf", Element::f32, {}));
}

TEST_CASE("a NaN satisfies only !=") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(holds("x != 0", nan));
  for (const char* text : {"x > 0", "x <= 0", "x == 0"}) CHECK_FALSE(holds(text, nan));
}

TEST_CASE("a condition on an integer is an expression in it") {
  CHECK((holds_for_integer("x % 2 == 0", 4) && !holds_for_integer("x % 2 == 0", 5)));
  CHECK((holds_for_integer("x > -3 and x < 3", -2) && !holds_for_integer("x > -3 and x < 3", -3)));
  CHECK_THROWS_AS(holds_for_integer("12 / x > 0", 0), InputError);
  CHECK_THROWS_AS(holds_for_integer("x * x * x > 100", -2'000'000'000), InputError);
}

TEST_CASE("a comparison with an integer holds for every element, also for those of 2^63 and more") {
  const auto holds_for_u64 = [](const std::string& text, std::uint64_t x) {
    return Condition::parse(text, Element::u64, {}).holds(x);
  };
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  CHECK((holds_for_u64("x > 5", half) && !holds_for_u64("x <= 2^62", half)));
  CHECK((holds_for_u64("x >= 9223372036854775808", half) && !holds_for_u64("x > 9223372036854775808", half)));
  CHECK((holds_for_integer("x < 2^31", 2147483647) && holds_for_integer("x >= -2^31", -2147483647 - 1)));
  CHECK_THROWS_WITH(holds_for_u64("x % 2 == 0", 1), tests::contains_text("as in \"x > 3\""));
}

TEST_CASE("a text that is not a condition is refused with an example") {
  for (const char* text : {"", "x", "y > 1", "x > ", "x > nan", "x > 1 or x < 0", "x = 1", "1 < x"})
    CHECK_THROWS_WITH(Condition::parse(text, Element::f32, {}), tests::contains_text("as in \"x > 0.5\""));
  CHECK_THROWS_WITH(Condition::parse("y > 1", Element::i32, {}), tests::contains_text("such as \"x > 3\""));
  CHECK_THROWS_AS(Condition::parse("x > 1.5", Element::i32, {}), InputError);
}

TEST_CASE("the thresholds of a condition are its numbers and their neighbours") {
  const auto bits = [](float x) { return std::uint64_t{std::bit_cast<std::uint32_t>(x)}; };
  const float half = 0.5F;
  CHECK(Condition::parse("x > 0.5", Element::f32, {}).thresholds() ==
        std::vector<std::uint64_t>{bits(half), bits(std::nextafter(half, 1.0F)),
                                   bits(std::nextafter(half, 0.0F))});
  CHECK(Condition::parse("x > 3", Element::u8, {}).thresholds() == std::vector<std::uint64_t>{3, 4, 2});
  CHECK(Condition::parse("x > 255", Element::u8, {}).thresholds() == std::vector<std::uint64_t>{255, 254});
  CHECK(Condition::parse("x < -128", Element::i8, {}).thresholds() == std::vector<std::uint64_t>{0x80, 0x81});
}

}  // namespace
