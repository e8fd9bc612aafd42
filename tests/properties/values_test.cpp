// Inputs of contracts that limit the values which callers pass (`values` in [reduction]).
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "catch.h"
#include "oracles/number.h"
#include "properties/distributions.h"

namespace foldproof {
namespace {

constexpr Element all_elements[] = {Element::f64,  Element::f32,  Element::f16, Element::bf16, Element::e4m3,
                                    Element::e5m2, Element::e2m1, Element::i8,  Element::u8,   Element::i16,
                                    Element::u16,  Element::i32,  Element::u32, Element::i64,  Element::u64};

std::vector<std::byte> input(const InputDistribution& distribution, Element element,
                             const std::optional<ValueRange>& values, std::uint64_t count = 100) {
  InputPlan plan{Operator::sum, element, element, count};
  plan.values = values;
  return make_input(distribution, plan);
}

/// The value of a number between -2^53 and 2^53.
double value(Element element, std::uint64_t bits) { return to_double(decode(element, bits)); }

TEST_CASE("every distribution makes only elements of the range, for every type") {
  for (const DistributionInfo& distribution : distributions())
    for (const Element element : all_elements)
      for (const ValueRange range : {ValueRange{0, 6}, {1, 2}, {3, 3}}) {
        if (!suits(distribution, element)) continue;
        INFO(distribution.name << " of " << name(element) << " from " << range.low << " to " << range.high);
        const auto bytes = input({{std::string(distribution.name)}, 7}, element, range);
        for (const std::uint64_t bits : elements_in(element, bytes)) {
          REQUIRE(value(element, bits) >= static_cast<double>(range.low));
          REQUIRE(value(element, bits) <= static_cast<double>(range.high));
        }
      }
}

TEST_CASE("elements that are in the range stay as they are") {
  const InputDistribution uniform{{"uniform"}, 3};
  CHECK(input(uniform, Element::f32, ValueRange{-1, 1}) == input(uniform, Element::f32, std::nullopt));
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min(),
                         highest = std::numeric_limits<std::int64_t>::max();
  CHECK(input(uniform, Element::i64, ValueRange{lowest, highest}) ==
        input(uniform, Element::i64, std::nullopt));
}

TEST_CASE("integers of a range take all of its values") {
  std::set<std::uint64_t> seen;
  for (const std::uint64_t bits :
       elements_in(Element::i32, input({{"uniform"}, 5}, Element::i32, ValueRange{-2, 2})))
    seen.insert(bits);
  CHECK(seen == std::set<std::uint64_t>{0, 1, 2, 0xffffffff, 0xfffffffe});
}

TEST_CASE("a planted element outside of the range is refused") {
  CHECK_NOTHROW(input({{"zeros"}, 0, {{1, "9"}}}, Element::i32, ValueRange{0, 9}));
  CHECK_THROWS_WITH(input({{"zeros"}, 0, {{1, "10"}}}, Element::i32, ValueRange{0, 9}),
                    "planted element 1 is 10, but the contract permits only values from 0 to 9");
  CHECK_THROWS_AS(input({{"zeros"}, 0, {{1, "nan"}}}, Element::f32, ValueRange{0, 9}), InputError);
}

TEST_CASE("a range whose ends the type does not have is refused") {
  CHECK_THROWS_WITH(input({{"zeros"}}, Element::u8, ValueRange{0, 256}),
                    "\"values\" is 0 .. 256, but it must be a range of u8 numbers, smallest first");
  CHECK_THROWS_AS(input({{"zeros"}}, Element::u32, ValueRange{-1, 0}), InputError);
  CHECK_THROWS_AS(input({{"zeros"}}, Element::f32, ValueRange{0, (1 << 24) + 1}), InputError);
  CHECK_THROWS_AS(input({{"zeros"}}, Element::f32, ValueRange{2, 1}), InputError);
}

TEST_CASE("the ends of a range move to the nearest numbers within it that the type has") {
  const auto ends = [](Element element, std::int64_t low, std::int64_t high) {
    const auto range = narrowed({low, high}, element);
    return range ? std::pair(range->low, range->high) : std::pair<std::int64_t, std::int64_t>(1, 0);
  };
  CHECK(ends(Element::f16, 0, 4095) == std::pair<std::int64_t, std::int64_t>(0, 4094));
  CHECK(ends(Element::e4m3, -100, 100) == std::pair<std::int64_t, std::int64_t>(-96, 96));
  CHECK(ends(Element::f16, 0, std::int64_t{1} << 40) == std::pair<std::int64_t, std::int64_t>(0, 65504));
  CHECK(ends(Element::u8, -5, 300) == std::pair<std::int64_t, std::int64_t>(0, 255));
  CHECK(ends(Element::i64, -5, 300) == std::pair<std::int64_t, std::int64_t>(-5, 300));
  const std::pair<std::int64_t, std::int64_t> none(1, 0);
  CHECK(ends(Element::u8, -5, -1) == none);
  CHECK(ends(Element::f16, 70'000, 80'000) == none);
  CHECK(ends(Element::f16, 4095, 4095) == none);
  CHECK(ends(Element::i32, 2, 1) == none);
}

}  // namespace
}  // namespace foldproof
