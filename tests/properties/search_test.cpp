// Guided search: its cases come closer to the bound than drawn ones, stay inside the domain, and depend only
// on seed, instance and index.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "fake_kernel.h"
#include "oracles/number.h"
#include "properties/execution/job.h"
#include "properties/search/guided_search.h"

namespace foldproof {
namespace {

using fake::Launch;

void sequential(const Launch& l) {
  float sum = 0;
  for (const float x : l.elements<float>()) sum += x;
  l.store(sum);
}

void in_pairs(const Launch& l) {
  std::vector<float> sums = l.elements<float>();
  if (sums.empty()) sums = {0};
  for (; sums.size() > 1; sums.resize((sums.size() + 1) / 2))
    for (std::size_t i = 0; i < sums.size(); i += 2)
      sums[i / 2] = i + 1 < sums.size() ? sums[i] + sums[i + 1] : sums[i];
  l.store(sums.front());
}

/// A sum by atomics: another schedule gives another order.
void in_any_order(const Launch& l) {
  l.store(fake::random_tree_sum(l.elements<float>(), l.schedule.seed + l.count));
}

/// Each addition is rounded to f16; a sum of two f16 values is exact in double.
void sequential_f16(const Launch& l) {
  std::uint64_t sum = 0;
  for (const std::uint16_t x : l.elements<std::uint16_t>())
    sum = encode(Element::f16,
                 number_of(to_double(decode(Element::f16, sum)) + to_double(decode(Element::f16, x))));
  l.store(static_cast<std::uint16_t>(sum));
}

AuditOptions options_of(std::uint64_t seed, std::optional<std::uint64_t> guided) {
  AuditOptions options;
  options.seed = seed;
  options.guided = guided;
  options.largest_count = 4096;
  return options;
}

/// The median, over the seeds 1 to 61, of the largest error over bound in the default number of cases.
double median_worst(Element element, const fake::Kernel& kernel, std::optional<std::uint64_t> guided) {
  constexpr std::size_t seeds = 61;
  std::vector<double> worst;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const KernelReport report =
        fake::audit(fake::contract(Operator::sum, element), kernel, options_of(seed, guided));
    REQUIRE(report.verdict == Verdict::clean);
    worst.push_back(report.worst_error_over_bound.value_or(0));
  }
  std::ranges::nth_element(worst, worst.begin() + seeds / 2);
  return worst[seeds / 2];
}

TEST_CASE("guiding a quarter of the cases closes a fifth of the gap to the bound, in the median") {
  const auto gain = [](Element element, const fake::Kernel& kernel) {
    const double drawn = median_worst(element, kernel, 0),
                 guided = median_worst(element, kernel, std::nullopt);
    CAPTURE(name(element), drawn, guided);
    CHECK(1 - guided <= 4.0 / 5 * (1 - drawn));
  };
  gain(Element::f32, sequential);
  gain(Element::f32, in_pairs);
  gain(Element::f32, in_any_order);
  gain(Element::f16, sequential_f16);
}

TEST_CASE("a search ends with the same case each time, regardless of the stored cases") {
  const TemporaryFolder folder;
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  const KernelReport first = fake::audit(contract, sequential, options_of(3, 20));
  AuditOptions with_store = options_of(3, 20);
  with_store.store = folder.path();
  StoredCase stored{folder.path() / "fake.toml", contract.instances[0].label, "outside-bound", {}};
  stored.c.input = {{"stagnation"}, 1};
  stored.c.variables = {{"count", 4}, {"block", 32}};
  REQUIRE(replace_file(folder.path() / "a.toml", to_toml(stored)));
  Contract beside = contract;
  beside.file = folder.path() / "fake.toml";
  const KernelReport second = fake::audit(beside, sequential, with_store);
  CHECK(second.cases == first.cases + 1);
  CHECK(first.worst_error_over_bound.value() > 0);
  CHECK(second.worst_error_over_bound.value() >= first.worst_error_over_bound.value());
  const KernelReport again = fake::audit(contract, sequential, options_of(3, 20));
  CHECK(again.worst_case == first.worst_case);
}

std::vector<std::string> launches_of(Element element, std::optional<std::uint64_t> guided) {
  std::vector<std::string> seen;
  const auto kernel = [&](const Launch& l) {
    seen.push_back(std::to_string(l.count) + " " + std::to_string(l.block));
    std::uint32_t sum = 0;
    if (element == Element::i32) {
      for (const std::uint32_t x : l.elements<std::uint32_t>()) sum += x;
      l.store(sum);
    } else {
      sequential(l);
    }
  };
  fake::audit(fake::contract(Operator::sum, element), kernel, options_of(1, guided));
  return seen;
}

TEST_CASE("without rounding all cases are drawn; otherwise only the last ones are guided") {
  CHECK(launches_of(Element::i32, std::nullopt) == launches_of(Element::i32, 0));
  const auto guided = launches_of(Element::f32, 10), drawn = launches_of(Element::f32, 0);
  CHECK(guided != drawn);
  // 30 cases with at least one launch each come before the first guided one.
  CHECK(std::equal(guided.begin(), guided.begin() + 30, drawn.begin()));
}

/// What a search needs in addition to a case.
struct Place {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  const Instance& instance = contract.instances.front();
  Domain domain{instance, 4096};
  CaseGenerator generator{instance, domain, identity_of(contract, instance), 1};
};

TEST_CASE("a step gives a case in the domain whose input can be made") {
  const Place place;
  Case c = place.generator.generate(7);
  std::size_t planted = 0, transformed = 0, changed = 0;
  for (std::uint64_t draw = 0; draw < 2000; ++draw) {
    const Case next = neighbour_of(c, place.instance, place.domain, place.generator, draw);
    REQUIRE_NOTHROW(place.domain.check(next.variables));
    REQUIRE_NOTHROW(input_of(place.instance, next));
    CHECK(next.calls == 1);
    CHECK(next.relation.empty());
    planted += next.input.planted.empty() ? 0 : 1;
    transformed += next.input.transforms.empty() ? 0 : 1;
    changed += describe(next) != describe(c) ? 1 : 0;
    c = next;
  }
  CHECK(planted > 100);
  CHECK(transformed > 100);
  CHECK(changed > 1800);
}

TEST_CASE("a step gives only elements that callers pass") {
  Place place;
  place.contract.instances.front().reduction->values = Range::parse("0 .. 9", {});
  Case c = place.generator.generate(7);
  std::size_t planted = 0;
  for (std::uint64_t draw = 0; draw < 2000; ++draw) {
    c = neighbour_of(c, place.instance, place.domain, place.generator, draw);
    REQUIRE_NOTHROW(input_of(place.instance, c));
    planted += c.input.planted.empty() ? 0 : 1;
  }
  CHECK(planted > 50);
}

TEST_CASE("a step keeps the schedule if the kernel claims determinism") {
  Place place;
  place.contract.instances.front().claims.deterministic = true;
  Case c = place.generator.generate(7);
  c.variables["count"] = 100;
  c.order = Schedule{Schedule::Order::warps_backward, 0};
  for (std::uint64_t draw = 0; draw < 500; ++draw) {
    const Case next = neighbour_of(c, place.instance, place.domain, place.generator, draw);
    CHECK(next.order == c.order);
  }
}

TEST_CASE("a search continues from the worst case, and from the next start after many unsuccessful steps") {
  const Place place;
  GuidedSearch search(place.instance, place.domain, place.generator, 5);
  CHECK_FALSE(search.next(0));
  Case low = place.generator.generate(1), high = place.generator.generate(2);
  search.start_from(low, 0.1);
  search.start_from(high, 0.5);
  search.start_from(place.generator.generate(3), std::nullopt);

  const auto steps_from = [&](const Case& c, std::uint64_t index) {
    GuidedSearch fresh(place.instance, place.domain, place.generator, 5);
    fresh.start_from(c, 0.1);
    return describe(fresh.next(index).value());
  };
  CHECK(describe(search.next(10).value()) == steps_from(high, 10));
  const Case worse = place.generator.generate(4);
  search.take(worse, 0.6);
  CHECK(describe(search.next(11).value()) == steps_from(worse, 11));
  for (int step = 0; step < 12; ++step) search.take(low, 0.2);
  CHECK(describe(search.next(12).value()) == steps_from(low, 12));
}

TEST_CASE("a search ends when an error exceeds its bound") {
  const Place place;
  GuidedSearch search(place.instance, place.domain, place.generator, 5);
  search.start_from(place.generator.generate(1), 0.5);
  REQUIRE(search.next(1));
  search.take(place.generator.generate(2), 1.5);
  CHECK_FALSE(search.next(2));
}

}  // namespace
}  // namespace foldproof
