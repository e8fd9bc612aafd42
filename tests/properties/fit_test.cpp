// How well a contract explains what a kernel computes, in a few trial runs.
#include "properties/fit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "catch.h"
#include "fake_kernel.h"
#include "properties/execution/job.h"

namespace foldproof {
namespace {

Fit fit(const fake::Kernel& kernel, Operator op = Operator::sum, Element element = Element::i32,
        Wanted wanted = Wanted::any) {
  const Contract contract = fake::contract(op, element);
  fake::FakeRunner runner(kernel);
  InstanceGuess guess;
  guess.instance = contract.instances.front();
  return fit_of(contract, guess, std::make_shared<const Image>("kernel.ptx", ""), runner, wanted);
}

/// Stores the sum of the first elements.
void sum_of_first(const fake::Launch& launch, std::size_t most) {
  const auto values = launch.elements<std::uint32_t>();
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(most, values.size()));
  launch.store(std::accumulate(values.begin(), end, std::uint32_t{0}));
}

void sum(const fake::Launch& launch) { sum_of_first(launch, launch.count); }

}  // namespace

TEST_CASE("the right contract explains every run of a right kernel") {
  CHECK(fit(sum).is_complete());
  CHECK(fit(sum).is_convincing());
}

TEST_CASE("a wrong contract explains nothing but a coincidence, and the later runs are left out") {
  const Fit product = fit(sum, Operator::prod);
  CHECK(product.explained <= 1);  // the sum of one element is also its product
  CHECK_FALSE(product.is_convincing());
  CHECK_FALSE(product.mismatch.empty());
  CHECK(fit([](const fake::Launch& launch) { launch.store(7); }).runs == 3);
}

TEST_CASE("a kernel that loses elements of long inputs is still explained by the short ones") {
  const Fit lossy = fit([](const fake::Launch& launch) { sum_of_first(launch, 64); });
  CHECK(lossy.is_convincing());
  CHECK_FALSE(lossy.is_complete());
  CHECK(lossy.most_elements == 64);
}

TEST_CASE("if only a complete fit is wanted, the runs end at the first that is not explained") {
  const auto stores_seven = [](const fake::Launch& launch) { launch.store(7); };
  CHECK(fit(stores_seven, Operator::sum, Element::i32, Wanted::complete).runs == 1);
  CHECK(fit(sum, Operator::sum, Element::i32, Wanted::complete).is_complete());
}

TEST_CASE("a contract that explains ordinary elements may be contradicted by unusual ones") {
  const Fit skipping = fit(
      [](const fake::Launch& launch) {
        float total = 0;
        for (const float x : launch.elements<float>()) total += std::isnan(x) ? 0 : x;
        launch.store(total);
      },
      Operator::sum, Element::f32);
  CHECK(skipping.explained == skipping.runs);
  CHECK(skipping.special_mismatch.find("NaN") != std::string::npos);
  CHECK_FALSE(skipping.is_complete());
}

TEST_CASE("an invented number must not be used, unless it is a distance that leaves the input if doubled") {
  Contract contract = fake::contract(Operator::sum, Element::i32);
  const auto image = std::make_shared<const Image>("kernel.ptx", "");
  const auto unknown = [&](const Invention& invention, const fake::Kernel& kernel) {
    InstanceGuess guess;
    guess.instance = contract.instances.front();
    guess.inventions = {invention};
    fake::FakeRunner runner(kernel);
    return fit_of(contract, guess, image, runner, Wanted::any).unknown;
  };
  // The fake kernel's third argument is its count, which a kernel may take for a distance.
  Invention number{.argument = 2, .parameter = "\"n\""};
  CHECK(unknown(number, sum) == "the result depends on \"n\", whose value cannot be guessed");
  number.is_unused = true;
  CHECK(unknown(number, sum).empty());
  number = {.argument = 2, .parameter = "\"n\"", .is_usual = true};
  CHECK_FALSE(unknown(number, sum).empty());
  CHECK(unknown(number, [](const fake::Launch& launch) {
          sum(launch);
          if (launch.count > launch.input.size() / sizeof(int))
            launch.findings->push_back({.kind = Kind::out_of_bounds});
        }).empty());
}

TEST_CASE("a kernel that does not end is run once") {
  const Fit endless =
      fit([](const fake::Launch& launch) { launch.findings->push_back({.kind = Kind::timeout}); });
  CHECK(endless.does_not_end);
  CHECK(endless.runs == 1);
}

TEST_CASE("a race in every run does not depend on the contract") {
  const auto racy = [](Kind kind) {
    return fit([kind](const fake::Launch& launch) { launch.findings->push_back({.kind = kind}); });
  };
  CHECK(racy(Kind::shared_race).always_misbehaves);
  CHECK_FALSE(racy(Kind::out_of_bounds).always_misbehaves);
}

TEST_CASE("a large case without rows has 66 blocks") {
  const Instance instance =
      fake::with_domain({{"block", "65"}, {"count", "1 .. 2^31 - 1"}, {"grid", "ceil_div(count, block)"}});
  const std::vector<Case> cases = large_trial_cases(instance, 65);
  REQUIRE(cases.size() == 1);
  CHECK(cases[0].variables.at("grid") == 66);
  CHECK(cases[0].variables.at("count") == 66 * 65);
}

TEST_CASE("there are large cases with as many columns as threads, and more, and with more rows") {
  using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;
  const auto sizes_of = [](ResultShape result, const std::string& grid) {
    Instance instance =
        fake::with_domain({{"block", "1 .. 1024"}, {"rows", "0 .. 2^20"}, {"columns", "0 .. 2^20"}});
    instance.domain.emplace_back("count", Range::parse("rows * columns", {}));
    instance.domain.emplace_back("grid", Range::parse(grid, {}));
    instance.reduction->result = result;
    Sizes sizes;
    for (const Case& c : large_trial_cases(instance, 512))
      sizes.emplace_back(c.variables.at("rows"), c.variables.at("columns"));
    return sizes;
  };
  for (const ResultShape result : {ResultShape::rows, ResultShape::columns})
    CHECK(sizes_of(result, "1 .. 64") == Sizes{{2, 513}, {2, 512}, {513, 2}});
  CHECK(sizes_of(ResultShape::rows, "rows") == Sizes{{2, 513}, {2, 512}});
}

TEST_CASE("the last element of a telling input decides the result") {
  const auto elements_for = [](Operator op) {
    Instance instance = fake::contract(op, Element::i32).instances.front();
    Case c;
    c.variables = {{"count", 5}, {"block", 32}};
    const std::vector<std::byte> input = input_of(instance, with_telling_last(c));
    std::vector<std::int32_t> elements(5);
    std::memcpy(elements.data(), input.data(), input.size());
    return elements;
  };
  using Elements = std::vector<std::int32_t>;
  CHECK(elements_for(Operator::all) == Elements{1, 1, 1, 1, 0});
  CHECK(elements_for(Operator::bit_and) == Elements{1, 1, 1, 1, 0});
  CHECK(elements_for(Operator::min) == Elements{5, 5, 5, 5, 3});
  CHECK(elements_for(Operator::max) == Elements{-5, -5, -5, -5, -3});
  for (const Operator op : {Operator::sum, Operator::any, Operator::absmax, Operator::asum}) {
    const Elements elements = elements_for(op);
    CHECK(std::count(elements.begin(), elements.end(), 0) == 4);
    CHECK(elements.back() != 0);
  }
}

}  // namespace foldproof
