// No compensated sum, sum of pairs or sum by Kahan's loop violates its bound in formats with very few bits.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "catch.h"
#include "oracles/bounds.h"
#include "oracles/bounds/compensated.h"
#include "toy.h"
#include "toy_bounds.h"

namespace foldproof::toys {
namespace {

/// TwoSum: the rounding error of an addition.
std::int64_t lost(const Toy& toy, std::int64_t a, std::int64_t b) { return a + b - toy.rounded(a + b); }

TEST_CASE("no compensated sum violates its bound in any tree") {
  for (const int precision : {2, 3}) {
    const Toy toy{precision, 0};
    Sharpness sharpness{"compensated"};
    std::map<std::array<std::int64_t, 3>, std::int64_t> bounds;
    Run run;
    Values errors;
    for (std::size_t leaves = 2; leaves <= (precision == 2 ? 5U : 4U); ++leaves)
      each_run(
          leaves, toy_values(precision, binades(precision)), [&](const ToyTree& tree, const Values& values) {
            add_up(toy, tree, values, run);
            errors.assign(leaves, 0);
            for (const auto& [a, b] : tree.joins)
              errors.push_back(
                  toy.rounded(toy.rounded(errors[a] + errors[b]) + lost(toy, run.nodes[a], run.nodes[b])));
            std::int64_t& bound =
                bounds[{static_cast<std::int64_t>(run.terms), std::llabs(run.exact), run.magnitude}];
            if (bound == 0)
              bound =
                  scaled(compensated_bound(run.terms, precision, dyadic(run.exact), dyadic(run.magnitude)));
            sharpness.take(std::llabs(toy.rounded(run.nodes.back() + errors.back()) - run.exact), bound);
          });
    sharpness.report(fmt::format("{} bits", precision), 0.5);
  }
}

/// A rounded sum and its error.
struct ToyPair {
  std::int64_t high = 0, low = 0;
};

ToyPair two_sum(const Toy& toy, std::int64_t a, std::int64_t b) {
  return {toy.rounded(a + b), lost(toy, a, b)};
}
ToyPair fast_two_sum(const Toy& toy, std::int64_t a, std::int64_t b) {
  const std::int64_t sum = toy.rounded(a + b);
  return {sum, toy.rounded(b - toy.rounded(sum - a))};
}

/// Joldes, Muller, Popescu: a pair and a term (algorithm 4), and two pairs (algorithm 6).
ToyPair added(const Toy& toy, const ToyPair& x, std::int64_t y) {
  const ToyPair s = two_sum(toy, x.high, y);
  return fast_two_sum(toy, s.high, toy.rounded(x.low + s.low));
}
ToyPair added(const Toy& toy, const ToyPair& x, const ToyPair& y) {
  const ToyPair s = two_sum(toy, x.high, y.high), t = two_sum(toy, x.low, y.low);
  const ToyPair v = fast_two_sum(toy, s.high, toy.rounded(s.low + t.high));
  return fast_two_sum(toy, v.high, toy.rounded(t.low + v.low));
}

TEST_CASE("no sum of pairs violates its bound in any tree") {
  for (const int precision : {3, 4}) {
    const Toy toy{precision, 0};
    Sharpness sharpness{"pairs"};
    std::map<std::array<std::int64_t, 3>, std::int64_t> bounds;
    Run run;
    std::vector<ToyPair> pairs;
    for (std::size_t leaves = 2; leaves <= (precision == 3 ? 4U : 3U); ++leaves)
      each_run(leaves, toy_values(precision, 3), [&](const ToyTree& tree, const Values& values) {
        add_up(toy, tree, values, run);
        pairs.clear();
        for (std::size_t i = 0; i < leaves; ++i) pairs.push_back({values[i], 0});
        for (const auto& [a, b] : tree.joins)
          pairs.push_back(b < leaves ? added(toy, pairs[a], values[b]) : added(toy, pairs[a], pairs[b]));
        std::int64_t& bound =
            bounds[{static_cast<std::int64_t>(run.terms), std::llabs(run.exact), run.magnitude}];
        if (bound == 0)
          bound = scaled(double_float_bound(run.terms, precision, dyadic(run.exact), dyadic(run.magnitude)));
        sharpness.take(std::llabs(pairs.back().high - run.exact), bound);
      });
    sharpness.report(fmt::format("{} bits", precision), 0.2);
  }
}

/// All sequences of n values, counted in base values.size(); only every `stride`th is used.
template <class F>
void each_sequence(const Values& values, std::size_t n, std::uint64_t stride, F f) {
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < n; ++i) count *= values.size();
  Values chosen(n);
  for (std::uint64_t code = 0; code < count; code += stride) {
    std::uint64_t rest = code;
    for (std::int64_t& x : chosen) x = values[rest % values.size()], rest /= values.size();
    f(chosen);
  }
}

/// The sum and its last correction, which is not included in it.
ToyPair kahan_pair(const Toy& toy, const Values& values, std::size_t first, std::size_t last) {
  std::int64_t sum = 0, correction = 0;
  for (std::size_t i = first; i < last; ++i) {
    const std::int64_t y = toy.rounded(values[i] - correction), t = toy.rounded(sum + y);
    correction = toy.rounded(toy.rounded(t - sum) - y);
    sum = t;
  }
  return {sum, -correction};
}

std::int64_t kahan(const Toy& toy, const Values& values, std::size_t first, std::size_t last) {
  return kahan_pair(toy, values, first, last).high;
}

TEST_CASE("no sum by Kahan's loop violates its bound") {
  for (const int precision : {3, 4, 5}) {
    const Toy toy{precision, 0};
    Sharpness sharpness{"Kahan"};
    std::map<std::array<std::int64_t, 3>, std::int64_t> bounds;
    const Values values = toy_values(precision, precision == 3 ? 3 : 2);
    for (std::size_t n = 2; n <= (precision == 3 ? 4U : 5U); ++n) {
      std::uint64_t all = 1;
      for (std::size_t i = 0; i < n; ++i) all *= values.size();
      each_sequence(values, n, all < 3'000'000 ? 1 : all / 1'000'000 | 1, [&](const Values& chosen) {
        std::int64_t exact = 0, magnitude = 0;
        for (const std::int64_t x : chosen) exact += x, magnitude += std::llabs(x);
        std::int64_t& bound = bounds[{static_cast<std::int64_t>(n), std::llabs(exact), magnitude}];
        if (bound == 0) bound = scaled(kahan_bound(n, precision, dyadic(exact), dyadic(magnitude)));
        sharpness.take(std::llabs(kahan(toy, chosen, 0, n) - exact), bound);
      });
    }
    sharpness.report(fmt::format("{} bits", precision), 0.2);
  }
}

TEST_CASE("no tree over Kahan's loops violates its bound") {
  const Toy toy{4, 0};
  Sharpness sharpness{"Kahan shares"};
  const Values values = toy_values(4, 2);
  std::mt19937_64 random(5);
  Values chosen(9);
  for (int run = 0; run < 20'000; ++run) {
    // Each thread's bound is the error of a term of the enclosing tree.
    Dyadic sums, errors;
    std::int64_t exact = 0;
    for (std::int64_t& x : chosen) x = values[random() % values.size()], exact += x;
    for (std::size_t share = 0; share < 3; ++share) {
      std::int64_t sum = 0, magnitude = 0;
      for (std::size_t i = 3 * share; i < 3 * share + 3; ++i)
        sum += chosen[i], magnitude += std::llabs(chosen[i]);
      sums = sums + abs(dyadic(sum));
      errors = errors + *kahan_bound(3, 4, dyadic(sum), dyadic(magnitude));
    }
    const std::int64_t pair = toy.rounded(kahan(toy, chosen, 0, 3) + kahan(toy, chosen, 3, 6));
    const std::int64_t total = toy.rounded(pair + kahan(toy, chosen, 6, 9));
    sharpness.take(std::llabs(total - exact), scaled(sum_bound_of_approximate_terms(3, 2, 4, sums, errors)));
  }
  sharpness.report("4 bits, 3 threads of 3 terms", 0.2);
}

TEST_CASE("Kahan's loops joined with their errors do not violate their bound") {
  for (const int precision : {5, 6, 8}) {
    const Toy toy{precision, 0};
    Sharpness sharpness{"joined Kahan"};
    const Values values = toy_values(precision, 3);
    std::mt19937_64 random(7);
    Values chosen(6);
    for (int run = 0; run < 100'000; ++run) {
      const std::size_t threads = 1 + random() % 3, each = chosen.size() / threads;
      std::int64_t exact = 0, magnitude = 0;
      for (std::int64_t& x : chosen) {
        x = values[random() % values.size()];
        exact += x, magnitude += std::llabs(x);
      }
      ToyPair total = kahan_pair(toy, chosen, 0, each);
      for (std::size_t thread = 1; thread < threads; ++thread) {
        const ToyPair next = kahan_pair(toy, chosen, thread * each, (thread + 1) * each);
        const ToyPair sum = two_sum(toy, total.high, next.high);
        total = {sum.high, toy.rounded(sum.low + toy.rounded(total.low + next.low))};
      }
      const std::int64_t bound =
          scaled(joined_kahan_bound(chosen.size(), threads, precision, dyadic(exact), dyadic(magnitude)));
      sharpness.take(std::llabs(toy.rounded(total.high + total.low) - exact), bound);
    }
    sharpness.report(fmt::format("{} bits, up to 3 threads", precision), 0.1);
  }
}

}  // namespace
}  // namespace foldproof::toys
