// How well a contract explains what a kernel computes, in a few trial runs.
#include "properties/fit.h"

#include <algorithm>
#include <numeric>

#include "catch.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

Fit fit(const fake::Kernel& kernel, Operator op = Operator::sum) {
  const Contract contract = fake::contract(op, Element::i32);
  fake::FakeRunner runner(kernel);
  return fit_of(contract, contract.instances.front(), std::make_shared<const Image>("kernel.ptx", ""),
                runner);
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

}  // namespace foldproof
