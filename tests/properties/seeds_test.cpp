// Faults that only certain elements show are found with every seed, within the default number of cases.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "audited.h"
#include "catch.h"
#include "fake_kernel.h"

namespace foldproof {
namespace {

using fake::Launch;

constexpr std::uint64_t seeds = 20;

void check_found(const Contract& contract, const fake::Kernel& kernel) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    AuditOptions options;
    options.seed = seed;
    INFO("seed " << seed);
    CHECK(fake::audit(contract, kernel, options).verdict == Verdict::findings);
  }
}

/// Stores the element after which `is_better` finds none, beginning with the first.
template <typename T, typename Better>
fake::Kernel best_by(Better is_better, T of_none) {
  return [=](const Launch& launch) {
    const std::vector<T> values = launch.elements<T>();
    T best = values.empty() ? of_none : values.front();
    for (const T value : values)
      if (is_better(value, best)) best = value;
    launch.store(best);
  };
}

}  // namespace

TEST_CASE("a maximum of integers that are compared as floats") {
  const auto as_floats = [](std::int32_t a, std::int32_t b) {
    return static_cast<float>(a) > static_cast<float>(b);
  };
  check_found(fake::contract(Operator::max, Element::i32),
              best_by<std::int32_t>(as_floats, std::numeric_limits<std::int32_t>::min()));
}

TEST_CASE("a minimum of 64-bit integers that are compared as doubles") {
  const auto as_doubles = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(a) < static_cast<double>(b);
  };
  check_found(fake::contract(Operator::min, Element::i64),
              best_by<std::int64_t>(as_doubles, std::numeric_limits<std::int64_t>::max()));
}

TEST_CASE("a maximum that keeps a NaN with which it begins") {
  Contract contract = fake::contract(Operator::max, Element::f32);
  contract.instances[0].claims.nan = NanPolicy::ignore;
  check_found(contract, best_by<float>([](float a, float b) { return a > b; }, -INFINITY));
}

TEST_CASE("any nonzero element, found by a sum per thread") {
  check_found(fake::contract(Operator::any, Element::i32), [](const Launch& launch) {
    const std::vector<std::int32_t> values = launch.elements<std::int32_t>();
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(launch.block));
    for (std::size_t i = 0; i < values.size(); ++i)
      sums[i % sums.size()] += static_cast<std::uint32_t>(values[i]);
    launch.store(std::int32_t{std::ranges::any_of(sums, [](std::uint32_t sum) { return sum != 0; })});
  });
}

TEST_CASE("a sum of bytes in an accumulator of 16 bits") {
  Contract contract = fake::contract(Operator::sum, Element::i8);
  contract.instances[0].reduction->accumulator = Element::i32;
  contract.instances[0].reduction->output = Element::i32;
  check_found(contract, [](const Launch& launch) {
    std::int16_t sum = 0;
    for (const std::int8_t value : launch.elements<std::int8_t>())
      sum = static_cast<std::int16_t>(sum + value);
    launch.store(static_cast<std::int32_t>(sum));
  });
}

}  // namespace foldproof
