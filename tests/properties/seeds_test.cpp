// Faults that only certain elements show are found with every seed, within the default number of cases.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
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

TEST_CASE("a plain sum that claims to be compensated") {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.instances[0].reduction->sum = SumMethod::kahan;
  check_found(contract, [](const Launch& launch) {
    const auto threads = static_cast<std::size_t>(launch.block);
    std::vector<float> sums(threads);
    const std::vector<float> values = launch.elements<float>();
    for (std::size_t i = 0; i < values.size(); ++i) sums[i % threads] += values[i];
    launch.store(std::accumulate(sums.begin(), sums.end(), 0.0F));
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

TEST_CASE("a sum of the bytes of each row in an accumulator of 16 bits") {
  Contract contract = fake::contract(Operator::sum, Element::i8);
  contract.instances[0] = fake::with_domain({{"block", "32 .. 1024"},
                                             {"columns", "1 .. 2^15"},
                                             {"rows", "1 .. 2^15"},
                                             {"count", "rows * columns"}});
  Reduction& reduction = *contract.instances[0].reduction;
  reduction.input = Element::i8;
  reduction.accumulator = reduction.output = Element::i32;
  reduction.result = ResultShape::rows;
  contract.instances[0].output_count = Expression::parse("rows", {});
  check_found(contract, [](const Launch& launch) {
    const std::vector<std::int8_t> values = launch.elements<std::int8_t>();
    const std::size_t rows = launch.output.size() / sizeof(int), columns = values.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) {
      std::int16_t sum = 0;
      for (std::size_t c = 0; c < columns; ++c)
        sum = static_cast<std::int16_t>(sum + values[row * columns + c]);
      launch.store(static_cast<std::int32_t>(sum), row);
    }
  });
}

TEST_CASE("whether all elements are nonzero, if each thread keeps only its last one") {
  check_found(fake::contract(Operator::all, Element::i32), [](const Launch& launch) {
    const std::vector<std::int32_t> values = launch.elements<std::int32_t>();
    std::vector<bool> kept(static_cast<std::size_t>(launch.block), true);
    for (std::size_t i = 0; i < values.size(); ++i) kept[i % kept.size()] = values[i] != 0;
    launch.store(std::int32_t{std::ranges::all_of(kept, [](bool nonzero) { return nonzero; })});
  });
}

TEST_CASE("the index of the first maximum, if +0 is larger than -0") {
  Contract contract = fake::contract(Operator::argmax, Element::f32);
  contract.instances[0].claims.ties = Ties::first;
  contract.instances[0].reduction->output = Element::i32;
  check_found(contract, [](const Launch& launch) {
    const std::vector<float> values = launch.elements<float>();
    std::int32_t best = 0;
    const auto is_larger = [](float a, float b) {
      return a > b || (a == b && std::signbit(b) && !std::signbit(a));
    };
    for (std::size_t i = 1; i < values.size(); ++i)
      if (is_larger(values[i], values[static_cast<std::size_t>(best)])) best = static_cast<std::int32_t>(i);
    launch.store(best);
  });
}

TEST_CASE("a sum that is flushed to zero if it is subnormal") {
  check_found(fake::contract(Operator::sum, Element::f32), [](const Launch& launch) {
    float sum = 0;
    for (const float value : launch.elements<float>()) sum += value;
    launch.store(std::fabs(sum) < std::numeric_limits<float>::min() ? 0.0F : sum);
  });
}

}  // namespace foldproof
