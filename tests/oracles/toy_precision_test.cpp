// No tree of additions violates a bound: all trees over all values of formats with very few bits.
// FOLDPROOF_PRECISION: the most bits for exhaustive tests (3); FOLDPROOF_TREES: number of random trees with 6
// and 7 leaves for each format (100000).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "catch.h"
#include "oracles/bounds.h"
#include "toy.h"
#include "toy_bounds.h"

namespace foldproof::toys {
namespace {

constexpr auto rules_of_any_tree = {Toy::Rule::to_even, Toy::Rule::away_from_zero};

/// The largest rounding error of an addition with result `sum`: half an ulp, or one ulp with faithful
/// rounding; zero below twice the smallest normal, where sums are exact. Same definition as running_bound().
Dyadic rounding_of(const Dyadic& sum, const FloatFormat& format, Rounding rounding) {
  if (sum.is_zero() || sum.leading_exponent() <= format.normal_exponent()) return {};
  const int places = rounding == Rounding::nearest ? format.precision : format.precision - 1;
  return Dyadic::power_of_two(sum.leading_exponent() - places);
}

/// Compares plain sums with the bounds for any order and for a height, and with those of the tree's
/// additions. The bounds for one unit are computed once.
class PlainSums {
 public:
  explicit PlainSums(const Toy& toy) : toy_(toy) {
    const bool nearest = toy.rule == Toy::Rule::to_even || toy.rule == Toy::Rule::away_from_zero;
    rounding_ = nearest ? Rounding::nearest : Rounding::faithful;
    for (std::uint64_t steps = 0; steps < growths_.size(); ++steps)
      growths_[steps] = scaled(sum_bound_of_height(steps, toy.precision, dyadic(1), rounding_));
    for (std::int64_t sum = 0; sum < std::ssize(of_sum_); ++sum) {
      const Dyadic partial_sum = dyadic(sum);
      of_sum_[sum] = scaled(rounding_of(partial_sum, toy.format(), rounding_));
    }
    for (std::uint64_t terms = 0; nearest && terms < any_order_.size(); ++terms)
      any_order_[terms] = scaled(sum_bound_any_order(terms, toy.precision, dyadic(1)));
  }

  void take(const ToyTree& tree, const Values& leaves) {
    add_up(toy_, tree, leaves, run_);
    const std::int64_t error = run_.error(), lost = flushed();
    if (rounding_ == Rounding::nearest) any_order.take(error, any_order_[run_.terms] * run_.magnitude + lost);
    height.take(error, growths_[tree.height] * run_.magnitude + lost);
    std::int64_t by_paths = 0, by_sums = 0;
    for (std::size_t i = 0; i < leaves.size(); ++i)
      by_paths += growths_[tree.depths[i]] * std::llabs(leaves[i]);
    paths.take(error, by_paths + lost);
    for (std::size_t k = leaves.size(); k < run_.nodes.size(); ++k)
      by_sums += of_sum_[static_cast<std::size_t>(std::llabs(run_.nodes[k]))];
    partial_sums.take(error, by_sums + lost);
  }

  Sharpness any_order{"any order"}, height{"height"}, paths{"paths"}, partial_sums{"partial sums"};

 private:
  std::int64_t flushed() const {
    return toy_.flush ? scaled(flush_to_zero_loss(run_.terms, toy_.format(), dyadic(run_.subnormal))) : 0;
  }

  Toy toy_;
  Rounding rounding_;
  std::array<std::int64_t, 8> growths_{}, any_order_{};
  std::array<std::int64_t, 512> of_sum_{};
  Run run_;
};

int most_precision() { return static_cast<int>(number_from("FOLDPROOF_PRECISION", 3)); }

/// Random trees over random values.
template <class F>
void some_runs(std::size_t leaves, const Values& values, std::uint64_t runs, F f) {
  const std::vector<ToyTree> trees = all_trees(leaves);
  std::mt19937_64 random(leaves);
  Values chosen(leaves);
  for (std::uint64_t run = 0; run < runs; ++run) {
    for (std::int64_t& x : chosen) x = values[random() % values.size()];
    f(trees[random() % trees.size()], chosen);
  }
}

TEST_CASE("there are (2n - 3)!! trees with n leaves, and each has n - 1 additions") {
  CHECK(all_trees(2).size() == 1);
  CHECK(all_trees(3).size() == 3);
  CHECK(all_trees(4).size() == 15);
  CHECK(all_trees(5).size() == 105);
  CHECK(all_trees(6).size() == 945);
  for (const ToyTree& tree : all_trees(5)) REQUIRE(tree.joins.size() == 4);
}

TEST_CASE("toy formats round like the narrow hardware formats") {
  const Toy e4m3{4, 0};
  for (std::int64_t x = -2000; x <= 2000; ++x) {
    const Dyadic value(Integer(x), -9);  // in units of the smallest subnormal of e4m3
    REQUIRE(Dyadic(decode(Element::e4m3, rounded(Element::e4m3, value))) ==
            Dyadic(Integer(e4m3.rounded(x)), -9));
  }
}

TEST_CASE("no sum of up to five terms violates its bounds in any tree with rounding to nearest") {
  for (int precision = 2; precision <= most_precision(); ++precision)
    for (const Toy::Rule rule : rules_of_any_tree) {
      PlainSums sums({precision, 0, rule});
      // The rule for ties matters little: five leaves are tried only with that of IEEE 754.
      for (std::size_t leaves = 2; leaves <= (rule == Toy::Rule::to_even ? 5U : 4U); ++leaves)
        each_run(leaves, toy_values(precision, binades(precision)),
                 [&](const ToyTree& tree, const Values& values) { sums.take(tree, values); });
      const std::string what =
          fmt::format("{} bits, ties {}", precision, rule == Toy::Rule::to_even ? "to even" : "away");
      sums.any_order.report(what, 0.7);
      sums.height.report(what, 0.8);
      sums.paths.report(what, 0.8);
      sums.partial_sums.report(what, 1);
    }
}

TEST_CASE("no random sum of six or seven terms violates its bounds") {
  const std::uint64_t runs = number_from("FOLDPROOF_TREES", 100'000);
  for (const int precision : {2, 3, 4})
    for (const std::size_t leaves : {6, 7}) {
      PlainSums sums({precision, 0});
      some_runs(leaves, toy_values(precision, binades(precision)), runs,
                [&](const ToyTree& tree, const Values& values) { sums.take(tree, values); });
      const std::string what = fmt::format("{} bits, {} leaves", precision, leaves);
      sums.any_order.report(what, 0.2);
      sums.paths.report(what, 0.2);
      sums.partial_sums.report(what, 0.8);
    }
}

TEST_CASE("no sum violates its bounds with faithful rounding and a known tree") {
  for (const Toy::Rule rule : {Toy::Rule::toward_zero, Toy::Rule::up})
    for (const int precision : {2, 3}) {
      PlainSums sums({precision, 0, rule});
      for (std::size_t leaves = 2; leaves <= 4; ++leaves)
        each_run(leaves, toy_values(precision, binades(precision)),
                 [&](const ToyTree& tree, const Values& values) { sums.take(tree, values); });
      const std::string what =
          fmt::format("{} bits, {}", precision, rule == Toy::Rule::up ? "rounded up" : "truncated");
      sums.height.report(what, 0.4);
      sums.paths.report(what, 0.4);
      sums.partial_sums.report(what, 0.5);
    }
}

TEST_CASE("no sum violates its bounds if subnormals are flushed to zero") {
  for (const bool terms_too : {true, false})
    for (const int precision : {2, 3, 4}) {
      PlainSums sums({precision, 0, Toy::Rule::to_even, true, terms_too});
      for (std::size_t leaves = 2; leaves <= (precision == 2 && terms_too ? 5U
                                              : precision < 4             ? 4U
                                                                          : 3U);
           ++leaves)
        each_run(leaves, toy_values(precision, precision == 4 ? 1 : 2),
                 [&](const ToyTree& tree, const Values& values) { sums.take(tree, values); });
      const std::string what =
          fmt::format("{} bits, results{} flushed", precision, terms_too ? " and terms" : "");
      sums.any_order.report(what, 0.7);
      sums.height.report(what, 0.7);
      sums.paths.report(what, 0.7);
      sums.partial_sums.report(what, 0.7);
    }
}

TEST_CASE("no sum violates its bound if inputs and the output are rounded, too") {
  Sharpness sharpness{"mixed"};
  const Toy wide{4, 0};
  for (const int places : {0, 2}) {  // the inputs are finer than the accumulator's values, or not
    const Toy entering{3, places}, leaving{2, places};
    std::map<std::array<std::int64_t, 3>, std::int64_t> bounds;
    Run run;
    for (std::size_t leaves = 1; leaves <= 4; ++leaves)
      each_run(leaves, toy_values(wide.precision, 1), [&](const ToyTree& tree, const Values& values) {
        Values converted = values;
        for (std::int64_t& x : converted) x = entering.rounded(x);
        add_up(entering, tree, converted, run);
        std::int64_t exact = 0, magnitude = 0, terms = 0;
        for (const std::int64_t x : values) exact += x, magnitude += std::llabs(x), terms += x != 0;
        std::int64_t& bound = bounds[{exact, magnitude, terms}];
        if (bound == 0) {
          const auto count = static_cast<std::uint64_t>(terms);
          const Dyadic converting = conversion_bound(count, entering.format(), dyadic(magnitude, places));
          const Bound sum = sum_bound_of_approximate_terms(count, entering.precision,
                                                           dyadic(magnitude, places), converting);
          bound = scaled(output_bound(dyadic(exact, places), *sum, leaving.format()));
        }
        sharpness.take(std::llabs(leaving.rounded(run.nodes.back()) - exact), bound, places);
      });
  }
  sharpness.report("4 bits into 3, written with 2", 0.6);
}

}  // namespace
}  // namespace foldproof::toys
