// A failing case is reduced to a small one that fails in the same way.
#include "properties/shrinking/shrink.h"

#include <algorithm>
#include <vector>

#include "catch.h"
#include "fake_kernel.h"
#include "properties/distributions.h"

namespace foldproof {
namespace {

/// Shrinks a case of a kernel that fails for the cases for which `fails` holds.
Case shrunk(const Instance& instance, const Case& failing, const StillFails& fails,
            const std::optional<Part>& wrong = {}) {
  const Domain domain(instance, usual_largest_count);
  const InputBits input = [&](const Case& c) { return elements_in(Element::f32, input_of(instance, c)); };
  return shrink(failing, domain, instance, fails, input, wrong);
}

Instance with_rows() {
  Instance instance = fake::contract(Operator::max, Element::f32).instances.front();
  const Position here{"fake.toml", 1, 1};
  instance.domain = {{"columns", Range::parse("1 .. 2^31", here)},
                     {"rows", Range::parse("1 .. 2^31", here)},
                     {"count", Range::parse("rows * columns", here)},
                     {"block", Range::parse("1 .. 1024", here)}};
  instance.reduction->result = ResultShape::rows;
  return instance;
}

TEST_CASE("the row or column of the first wrong result is shrunk alone if it fails alone") {
  const Instance instance = with_rows();
  Case failing;
  failing.variables = {{"columns", 30}, {"rows", 200}, {"count", 6000}, {"block", 1}};
  failing.input = {{"uniform"}, 7, {}, {}};
  const std::vector<std::uint64_t> all = elements_in(Element::f32, input_of(instance, failing));
  // Fails if this element is there, which no other matrix of the distribution has.
  const StillFails fails = [&](const Case& c, std::uint64_t& cost) {
    cost += 90 * static_cast<std::uint64_t>(c.variables.at("count"));
    return std::ranges::count(elements_in(Element::f32, input_of(instance, c)), all[100 * 30 + 7]) != 0;
  };
  const Part row{100 * 30, 101 * 30, 1}, column{7, 6000, 30};
  for (const Part& part : {row, column}) {
    const Case small = shrunk(instance, failing, fails, part);
    CHECK(small.variables.at("rows") == 1);
    CHECK(small.variables.at("columns") == 1);
    REQUIRE(small.input.planted.size() == 1);
    CHECK(small.input.planted[0].index == 0);
  }
  const Part other{0, 30, 1};
  CHECK(shrunk(instance, failing, fails, other).variables.at("count") > 100 * 30);
}

TEST_CASE("rows and columns become few before anything else is simplified, because that makes runs cheap") {
  const Instance instance = with_rows();
  Case failing;
  failing.variables = {{"columns", 60000}, {"rows", 1}, {"count", 60000}, {"block", 1}};
  failing.input = {{"one-hot"}, 7, {}, {{"minus-inf", PlantedAt::all}}};
  // One run of the largest case costs half the budget, as a thread that loops over 60000 elements does.
  const StillFails fails = [](const Case& c, std::uint64_t& cost) {
    cost += 90 * static_cast<std::uint64_t>(c.variables.at("count"));
    return !c.input.transforms.empty();
  };
  CHECK(shrunk(instance, failing, fails).variables.at("columns") == 1);
}

TEST_CASE("elements that matter move to the start of the input") {
  const Instance instance = fake::contract(Operator::argmax, Element::f32).instances.front();
  Case failing;
  failing.variables = {{"count", 137}, {"block", 8}};
  failing.input = {{"uniform"}, 7, {}, {}};
  // Fails if two values of the input are there, wherever they are.
  const std::vector<std::uint64_t> all = elements_in(Element::f32, input_of(instance, failing));
  const StillFails fails = [&](const Case& c, std::uint64_t& cost) {
    cost += 1;
    const auto elements = elements_in(Element::f32, input_of(instance, c));
    const auto has = [&](std::uint64_t bits) { return std::ranges::find(elements, bits) != elements.end(); };
    return has(all[12]) && has(all[136]);
  };
  const Case small = shrunk(instance, failing, fails);
  CHECK(small.variables.at("count") == 2);
  REQUIRE(small.input.planted.size() == 2);
  CHECK(small.input.planted[1].index == 1);
}

TEST_CASE("planted elements need not be in order") {
  const Instance instance = fake::contract(Operator::sum, Element::f32).instances.front();
  Case failing;
  failing.variables = {{"count", 6}, {"block", 8}};
  failing.input = {{"zeros"}, 7, {{5, "0x1p+0"}, {2, "0x1p+0"}}, {}};
  const StillFails fails = [&](const Case& c, std::uint64_t& cost) {
    cost += 1;
    const auto elements = elements_in(Element::f32, input_of(instance, c));
    return std::ranges::count_if(elements, [](std::uint64_t bits) { return bits != 0; }) == 2;
  };
  CHECK(shrunk(instance, failing, fails).variables.at("count") == 2);
}

}  // namespace
}  // namespace foldproof
