// No tree violates a bound: all trees over all values of formats with very few bits. FOLDPROOF_PRECISION: the
// most bits for exhaustive tests (3); FOLDPROOF_TREES: number of random trees with 6 and 7 leaves for each
// format (100000).
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <random>

#include "catch.h"
#include "oracles/bounds.h"
#include "oracles/bounds/compensated.h"
#include "toy.h"

namespace foldproof {
namespace {

using Integer = Dyadic::Integer;
using Values = std::vector<std::int64_t>;

constexpr int scale = 40;
constexpr auto rules_of_any_tree = {Toy::Rule::to_even, Toy::Rule::away_from_zero};

Dyadic dyadic(std::int64_t x, int places = 0) { return {Integer(x), -places}; }

/// A bound in units of 2^-scale eta, rounded up.
std::int64_t scaled(const Bound& bound) {
  REQUIRE(bound);
  return static_cast<std::int64_t>(std::ceil(std::ldexp(upper_double(*bound), scale)));
}

/// The largest errors relative to one bound.
struct Sharpness {
  const char* rule = "";
  double worst = 0;  ///< error / bound
  std::uint64_t tried = 0, violated = 0;

  void take(std::int64_t error, std::int64_t bound, int places = 0) {
    ++tried;
    if (error == 0) return;
    const std::int64_t scaled_error = error << (scale - places);
    violated += scaled_error > bound ? 1 : 0;
    worst = std::max(worst, static_cast<double>(scaled_error) / static_cast<double>(bound));
  }

  /// The largest error must be near the bound for the test to be meaningful.
  void report(const std::string& what, double at_least) const {
    fmt::print("{:<44} {:<13} {:>9} runs, worst error {:.3f} of the bound\n", what, rule, tried, worst);
    INFO(what << ", " << rule);
    CHECK(violated == 0);
    CHECK(worst <= 1);
    CHECK(worst >= at_least);
  }
};

/// The evaluation of a tree: the values of its nodes, leaves first.
struct Run {
  Values nodes;
  std::int64_t exact = 0, magnitude = 0, subnormal = 0;
  std::uint64_t terms = 0;

  std::int64_t error() const { return std::llabs(nodes.back() - exact); }
};

void add_up(const Toy& toy, const ToyTree& tree, const Values& leaves, Run& run) {
  run = {std::move(run.nodes), 0, 0, 0, 0};
  run.nodes = leaves;
  for (std::int64_t& leaf : run.nodes) {
    run.exact += leaf;
    run.magnitude += std::llabs(leaf);
    run.terms += leaf != 0 ? 1 : 0;
    if (std::llabs(leaf) < toy.smallest_normal()) run.subnormal += std::llabs(leaf);
    if (toy.flush_terms) leaf = toy.rounded(leaf);
  }
  for (const auto& [a, b] : tree.joins) run.nodes.push_back(toy.rounded(run.nodes[a] + run.nodes[b]));
}

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

/// Binades above the subnormals: fewer for formats with more values.
int binades(int precision) { return precision == 2 ? 3 : 2; }

template <class F>
void each_run(std::size_t leaves, const Values& values, F f) {
  const std::vector<ToyTree> trees = all_trees(leaves);
  each_multiset(values, leaves, [&](const Values& chosen) {
    for (const ToyTree& tree : trees) f(tree, chosen);
  });
}

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

/// Every way to compute a sum of products: leaves are exact products, in units of 2^-places eta.
class Dots {
 public:
  Dots(const Toy& toy, bool fused) : toy_(toy), fused_(fused) {}

  void take(const ToyTree& tree, const Values& products) {
    std::int64_t exact = 0, magnitude = 0;
    std::uint64_t terms = 0, inexact = 0;
    nodes_.clear();
    for (const std::int64_t x : products) {
      exact += x, magnitude += std::llabs(x), terms += x != 0 ? 1 : 0;
      inexact += x % (std::int64_t{1} << toy_.places) != 0 ? 1 : 0;
      nodes_.push_back(fused_ ? x : toy_.rounded(x));
    }
    // Fused: a product added to a sum is not rounded first; of two products, one is.
    const auto operand = [&](std::size_t node) {
      return node < products.size() ? toy_.rounded(nodes_[node]) : nodes_[node];
    };
    for (const auto& [a, b] : tree.joins)
      nodes_.push_back(toy_.rounded(b < products.size() ? operand(a) + nodes_[b] : nodes_[a] + operand(b)));
    if (products.size() == 1) nodes_.back() = toy_.rounded(nodes_.back());
    sharpness.take(std::llabs(nodes_.back() - exact), bound(terms, inexact, magnitude), toy_.places);
  }

  Sharpness sharpness{"any order"};

 private:
  std::int64_t bound(std::uint64_t terms, std::uint64_t inexact, std::int64_t magnitude) {
    std::int64_t& known =
        bounds_[{static_cast<std::int64_t>(terms), static_cast<std::int64_t>(inexact), magnitude}];
    if (known == 0 && magnitude != 0)
      known = scaled(
          toy_.flush ? dot_bound_with_flush(terms, toy_.format(), dyadic(magnitude, toy_.places), {})
                     : dot_bound_any_order(terms, inexact, toy_.format(), dyadic(magnitude, toy_.places)));
    return known;
  }

  Toy toy_;
  bool fused_;
  Values nodes_;
  std::map<std::array<std::int64_t, 3>, std::int64_t> bounds_;
};

/// All products of two values, each once.
Values products_of(const Values& values) {
  Values products;
  for (const std::int64_t a : values)
    for (const std::int64_t b : values) products.push_back(a * b);
  std::sort(products.begin(), products.end());
  products.erase(std::unique(products.begin(), products.end()), products.end());
  return products;
}

TEST_CASE("no dot product violates its bound in any tree, fused or not, with and without underflow") {
  for (const bool fused : {false, true})
    for (const bool flush : {false, true})
      for (const int precision : {2, 3})
        for (const int places : {0, 2, 4}) {
          Dots dots({precision, places, Toy::Rule::to_even, flush}, fused);
          const Values products = products_of(toy_values(precision, 1));
          for (std::size_t leaves = 1; leaves <= (precision == 2 ? 4U : 3U); ++leaves)
            each_run(leaves, products,
                     [&](const ToyTree& tree, const Values& values) { dots.take(tree, values); });
          dots.sharpness.report(fmt::format("{} bits, {}{}, products of 2^-{} eta", precision,
                                            fused ? "fused" : "separate", flush ? ", flushed" : "", places),
                                0.2);
        }
}

TEST_CASE("no product violates its bound in any tree") {
  for (const int precision : {2, 3, 4}) {
    const Toy toy{precision, 0};
    Values significands;
    for (std::int64_t k = std::int64_t{1} << (precision - 1); k < std::int64_t{1} << precision; ++k)
      significands.push_back(k);
    Sharpness sharpness{"product"};
    Values nodes;
    for (std::size_t leaves = 2; leaves <= 5; ++leaves)
      each_run(leaves, significands, [&](const ToyTree& tree, const Values& values) {
        nodes = values;
        std::int64_t exact = 1;
        std::uint64_t factors = 0;
        for (const std::int64_t x : values)
          exact *= x, factors += std::has_single_bit(std::uint64_t(x)) ? 0 : 1;
        for (const auto& [a, b] : tree.joins) nodes.push_back(toy.rounded(nodes[a] * nodes[b]));
        // In units of a value's last place, the whole range is normal.
        const Bound bound =
            product_bound_any_order(factors, {precision * 5, precision - 1}, toy.format(), dyadic(exact));
        sharpness.take(std::llabs(nodes.back() - exact), scaled(bound));
      });
    sharpness.report(fmt::format("{} bits, factors of one binade", precision), 0.3);
  }
}

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
}  // namespace foldproof
