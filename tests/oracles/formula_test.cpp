// Formulas of contracts: their syntax, and checks of results that they define. FOLDPROOF_ROWS: number of
// simulated inputs of each kind (2500).
#include "oracles/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "accepted.h"
#include "base/error.h"
#include "catch.h"
#include "toy.h"

namespace foldproof {
namespace {

Formula parsed(const std::string& text) { return Formula::parse(text, {"k.toml", 3, 11}); }

std::string error_of(const std::string& text) {
  try {
    parsed(text);
  } catch (const InputError& error) {
    return fmt::format("{}: {}", error.position().column, error.sentence());
  }
  return "";
}

TEST_CASE("a formula names its operands, and says which of their values it reads") {
  const Formula formula = parsed("sum(dy * (x - mean[row]) * rstd[ column ]) / sqrt(var[row] + 1e-5)");
  REQUIRE(formula.operands().size() == 4);
  CHECK(formula.operand("dy")->value == ValueOf::element);
  CHECK(formula.operand("mean")->value == ValueOf::row);
  CHECK(formula.operand("rstd")->value == ValueOf::column);
  CHECK(formula.operand("var")->is_positive);
  CHECK_FALSE(formula.operand("dy")->is_positive);
  CHECK(formula.operand("x") == nullptr);
}

TEST_CASE("a formula has a result for each element if it reads one outside of its sums") {
  CHECK_FALSE(parsed("sum(x * y) / n").is_elementwise());
  CHECK_FALSE(parsed("1 / sqrt(mean(x * x) + e[row])").is_elementwise());
  CHECK(parsed("y * (dy - sum(y * dy))").is_elementwise());
  CHECK(parsed("x / sum(x)").is_elementwise());
}

TEST_CASE("only a formula that is one sum has partial results") {
  CHECK(parsed("sum(x * y)").is_total());
  CHECK(parsed("(sum(x))").is_total());
  CHECK_FALSE(parsed("2 * sum(x)").is_total());
  CHECK_FALSE(parsed("mean(x)").is_total());
}

TEST_CASE("an invalid formula is refused in a sentence with the place") {
  CHECK(error_of("sum(x") == "16: missing \")\" in \"sum(x\"");
  CHECK(error_of("") == "11: the formula ends where an operand is expected in \"\"");
  CHECK(error_of("x +") == "14: the formula ends where an operand is expected in \"x +\"");
  CHECK(error_of("x $ 2") == "13: unexpected \"$\" in \"x $ 2\"");
  CHECK(error_of("sum(sum(x))") == "15: sum() and mean() cannot be nested in \"sum(sum(x))\"");
  CHECK(error_of("exp(x)") ==
        "11: unknown function \"exp\"; the functions are sum, mean, sqrt and abs in \"exp(x)\"");
  CHECK(error_of("m[row] + m") == "20: \"m\" is indexed in two ways in \"m[row] + m\"");
  CHECK(error_of("m[0]") == "13: \"0\" must be \"row\" or \"column\" in \"m[0]\"");
  CHECK(error_of("1e999 * x") == "11: a number is out of range in \"1e999 * x\"");
  for (const std::string open : {"(", "-", "sqrt(", "-("}) {
    std::string deep;
    for (int i = 0; i < 200; ++i) deep += open;
    CHECK(error_of(deep).find("nested parts") != std::string::npos);
  }
  CHECK(error_of(std::string(2000, 'x')).find("at most 1000 characters") != std::string::npos);
}

/// A formula over one row, with an operand of each name.
class FormulaRow {
 public:
  FormulaRow(const std::string& text, std::vector<double> x,
             std::map<std::string, std::vector<double>> operands)
      : elements_(elements_of(Element::f32, x)) {
    arithmetic = arithmetic_of(Operator::formula);
    arithmetic.formula = std::make_shared<const Formula>(Formula::parse(text, {}));
    if (arithmetic.formula->is_elementwise()) arithmetic.op = Operator::element_formula;
    for (const auto& [name, values] : operands) values_[name] = elements_of(Element::f32, values);
    layout = {.shape = ResultShape::rows, .columns = x.size()};
  }

  CheckResult checked(const std::vector<double>& results) const {
    Operands operands;
    for (const auto& [name, values] : values_) operands.variables()[name] = {Element::f32, values, 1};
    return ResultChecker(arithmetic, layout, elements_, operands).check(elements_of(Element::f32, results));
  }
  bool accepts(const std::vector<double>& results) const { return checked(results).ok; }

  Arithmetic arithmetic;
  ResultLayout layout;

 private:
  std::vector<std::byte> elements_;
  std::map<std::string, std::vector<std::byte>> values_;
};

TEST_CASE("a formula of exact numbers has the value that arithmetic gives") {
  // 2 * 4 + 3 * 5 = 23, divided by n = 2; minus 1/2.
  const FormulaRow row("sum(x * y) / n - 0.5", {2, 3}, {{"y", {4, 5}}});
  CHECK(row.accepts({11}));
  CHECK_FALSE(row.accepts({11.001}));
  CHECK(FormulaRow("-abs(sum(x) - 10) * sqrt(mean(x * x) + 1)", {0, 0, 0}, {}).accepts({-10}));
}

TEST_CASE("an element formula has a value for each element") {
  // The gradient of a softmax: y (dy - sum(y dy)), where sum = 1/2 * 4 + 1/4 * 8 + 1/4 * 0 = 4.
  const FormulaRow row("x * (dy - sum(x * dy))", {0.5, 0.25, 0.25}, {{"dy", {4, 8, 0}}});
  CHECK(row.accepts({0, 1, -1}));
  CHECK_FALSE(row.accepts({0, 1, -0.999}));
}

TEST_CASE("the rows and columns of a matrix have their own values") {
  FormulaRow rows("sum(x * w[column]) - m[row]", {1, 2, 3, 4}, {{"w", {1, 10}}, {"m", {5, 7}}});
  rows.layout.columns = 2;
  CHECK(rows.accepts({16, 36}));
  CHECK_FALSE(rows.accepts({14, 36}));
  FormulaRow columns("sum((x - m[row]) * w[column])", {1, 2, 3, 4}, {{"w", {1, 10}}, {"m", {5, 7}}});
  columns.layout = {.shape = ResultShape::columns, .columns = 2};
  CHECK(columns.accepts({-8, -60}));
  CHECK_FALSE(columns.accepts({-8, -6}));
}

TEST_CASE("channels of a tensor have one value for each, or for each example") {
  // Two examples, two channels of two elements each.
  FormulaRow tensor("sum((x - m[column]) * s[row])", {1, 2, 3, 4, 5, 6, 7, 8},
                    {{"m", {1, 3}}, {"s", {1, 10}}});
  tensor.layout = {.shape = ResultShape::columns, .columns = 2, .run = 2};
  CHECK(tensor.accepts({91, 91}));
  CHECK_FALSE(tensor.accepts({91, 90}));
}

TEST_CASE("partial results of a formula add up to its value") {
  FormulaRow row("sum(x * y)", {1, 2, 3}, {{"y", {1, 1, 2}}});
  row.layout = {.shape = ResultShape::partials};
  CHECK(row.accepts({3, 6}));
  CHECK(row.accepts({9, 0, 0}));
  CHECK_FALSE(row.accepts({3, 5}));
}

TEST_CASE("a NaN that a formula reads must show, and infinities are not checked") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  const FormulaRow in_sum("x * sum(x)", {1, nan, 2}, {});
  CHECK(in_sum.accepts({nan, nan, nan}));
  CHECK_FALSE(in_sum.accepts({nan, nan, 3}));
  const FormulaRow outside("y * sum(x)", {1, 2}, {{"y", {nan, 1}}});
  CHECK(outside.accepts({nan, 3}));
  CHECK_FALSE(outside.accepts({3, 3}));
  CHECK_FALSE(outside.accepts({nan, nan}));
  const CheckResult infinite = FormulaRow("sum(x) / n", {1, infinity}, {}).checked({0});
  CHECK(infinite.ok);
  CHECK(infinite.evidence == CheckResult::Evidence::nothing);
}

TEST_CASE("a value is not checked if an operation may overflow or is not defined") {
  const auto why_not = [](const std::string& text, const std::vector<double>& x) {
    return FormulaRow(text, x, {}).checked({0}).why_not;
  };
  CHECK(why_not("sum(x * x)", {1e30}) == "a product may overflow");
  CHECK(why_not("sum(x)", {3e38, 3e38}) == "the sum may overflow");
  CHECK(why_not("1 / sum(x)", {1, -1}) == "a divisor may be zero");
  CHECK(why_not("sqrt(sum(x))", {1, -2}) == "the argument of a root may be negative");
}

TEST_CASE(
    "operands outside of sums are checked for NaN and infinities, and exist for a row without elements") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  CHECK(FormulaRow("sum(x) * s[row]", {1, 2}, {{"s", {nan}}}).accepts({nan}));
  CHECK_FALSE(FormulaRow("sum(x) * s[row]", {1, 2}, {{"s", {nan}}}).accepts({0}));
  CHECK(FormulaRow("sum(x) * s[row]", {1, 2}, {{"s", {infinity}}}).checked({0}).why_not ==
        "an element or an operand is infinite");
  FormulaRow empty("sum(x) + s[row]", {}, {{"s", {5}}});
  CHECK(empty.checked({5}).ok);
}

TEST_CASE("a product that divides may overflow or underflow by itself") {
  const auto why_not = [](const std::string& text, double x) {
    return FormulaRow(text, {x}, {}).checked({0}).why_not;
  };
  CHECK(why_not("1 / sum(x * x)", 0x1p70) == "a product may overflow");
  CHECK(why_not("sum(1 / (x * x))", 0x1p70) == "a product may overflow");
  CHECK(why_not("1 / (x * x)", 0x1p70) == "a product may overflow");
  CHECK(why_not("1 / (x * x)", 0x1p-70) == "a divisor may be zero");
}

TEST_CASE("an approximate division by a very large number is not checked") {
  FormulaRow row("x / sum(abs(x))", {0x1p126, 1}, {});
  CHECK(row.checked({1, 0x1p-126}).why_not.empty());
  row.arithmetic.approximates = true;
  CHECK(row.checked({0, 0}).why_not == "a divisor may be too large for an approximate division");
}

// The bounds are compared with floats that follow each formula in one of its usual orders.

using Floats = std::vector<float>;

Floats normal_values(std::size_t count, float mean, float deviation, std::mt19937_64& random) {
  std::normal_distribution<float> normal(mean, deviation);
  Floats all(count);
  for (float& x : all) x = normal(random);
  return all;
}

std::vector<double> in_doubles(const Floats& values) { return {values.begin(), values.end()}; }

float in_any_order(Floats terms, std::mt19937_64& random) {
  std::shuffle(terms.begin(), terms.end(), random);
  float total = 0;
  for (const float term : terms) total += term;
  return total;
}

/// How near the simulated results come to their bounds.
struct Closeness {
  double worst = 0;
  std::uint64_t checked = 0;

  void take(const CheckResult& result) {
    if (!result.ok) FAIL_CHECK(result.sentence);
    if (!result.error_over_bound) return;
    worst = std::max(worst, *result.error_over_bound);
    ++checked;
  }
  void report(const char* what, double at_least) const {
    fmt::print("{:<24} {:>8} rows, worst error {:.3f} of the bound\n", what, checked, worst);
    CHECK(checked > 100);
    CHECK(worst >= at_least);
    CHECK(worst <= 1);
  }
};

TEST_CASE("no gradient of a gain violates its bound") {
  std::mt19937_64 random(21);
  Closeness closeness;
  for (std::uint64_t k = number_from("FOLDPROOF_ROWS", 2500); k-- > 0;) {
    const std::size_t n = 1 + random() % 40;
    constexpr float scales[] = {1, 1e-20F, 1e-37F, 1e10F};
    const Floats x = normal_values(n, 1, 1, random), mean = normal_values(n, 1, 1, random),
                 rstd = normal_values(n, 1, 0.1F, random),
                 dy = normal_values(n, 0, scales[random() % 4], random);
    Floats terms;
    for (std::size_t i = 0; i < n; ++i) {
      const float d = x[i] - mean[i];
      const float orders[] = {dy[i] * d * rstd[i], dy[i] * (d * rstd[i]), d * (dy[i] * rstd[i])};
      terms.push_back(orders[random() % 3]);
    }
    const FormulaRow row("sum(dy * (x - m) * r)", in_doubles(x),
                         {{"dy", in_doubles(dy)}, {"m", in_doubles(mean)}, {"r", in_doubles(rstd)}});
    closeness.take(row.checked({static_cast<double>(in_any_order(terms, random))}));
  }
  closeness.report("gradient of a gain", 0.05);
}

TEST_CASE("no gradient of a softmax violates its bound") {
  std::mt19937_64 random(22);
  Closeness closeness;
  for (std::uint64_t k = number_from("FOLDPROOF_ROWS", 2500); k-- > 0;) {
    const std::size_t n = 1 + random() % 40;
    const Floats y = normal_values(n, 0.1F, 0.02F, random), dy = normal_values(n, 0, 1, random);
    Floats terms;
    for (std::size_t i = 0; i < n; ++i) terms.push_back(y[i] * dy[i]);
    const float total = in_any_order(terms, random);
    std::vector<double> results;
    for (std::size_t i = 0; i < n; ++i) results.push_back(static_cast<double>(y[i] * (dy[i] - total)));
    closeness.take(
        FormulaRow("x * (dy - sum(x * dy))", in_doubles(y), {{"dy", in_doubles(dy)}}).checked(results));
  }
  closeness.report("gradient of a softmax", 0.1);
}

TEST_CASE("no gradient of a LayerNorm violates its bound") {
  std::mt19937_64 random(23);
  Closeness closeness;
  for (std::uint64_t k = number_from("FOLDPROOF_ROWS", 2500); k-- > 0;) {
    const std::size_t n = 2 + random() % 40;
    const auto count = static_cast<float>(n);
    const Floats x = normal_values(n, 1, 2, random), w = normal_values(n, 1, 0.5F, random),
                 dy = normal_values(n, 0, 1, random);
    const float mean = 1.125F, rstd = 0.4375F;
    Floats g, h, xhat;
    for (std::size_t i = 0; i < n; ++i) {
      xhat.push_back((x[i] - mean) * rstd);
      g.push_back(w[i] * dy[i]);
      h.push_back(g[i] * xhat[i]);
    }
    const float mean_g = in_any_order(g, random) / count, mean_h = in_any_order(h, random) / count;
    std::vector<double> results;
    for (std::size_t i = 0; i < n; ++i)
      results.push_back(static_cast<double>((g[i] - mean_g - xhat[i] * mean_h) * rstd));
    const FormulaRow row(
        "rstd[row] * (dy * w[column] - mean(dy * w[column]) - (x - mean[row]) * rstd[row] * "
        "mean(dy * w[column] * (x - mean[row]) * rstd[row]))",
        in_doubles(x), {{"dy", in_doubles(dy)}, {"w", in_doubles(w)}, {"mean", {1.125}}, {"rstd", {0.4375}}});
    closeness.take(row.checked(results));
  }
  closeness.report("gradient of a LayerNorm", 0.05);
}

TEST_CASE("no reciprocal of a deviation from a given mean violates its bound") {
  std::mt19937_64 random(24);
  Closeness closeness;
  for (std::uint64_t k = number_from("FOLDPROOF_ROWS", 2500); k-- > 0;) {
    const std::size_t n = 1 + random() % 40;
    const auto count = static_cast<float>(n);
    const Floats x = normal_values(n, 3, 0.5F, random);
    Floats squares;
    for (const float one : x) squares.push_back((one - 3) * (one - 3));
    const float variance = in_any_order(squares, random) / count;
    const FormulaRow row("1 / sqrt(mean((x - m[row]) * (x - m[row])) + 1e-5)", in_doubles(x), {{"m", {3}}});
    closeness.take(row.checked({static_cast<double>(1 / std::sqrt(variance + 1e-5F))}));
  }
  closeness.report("reciprocal deviation", 0.05);
}

}  // namespace
}  // namespace foldproof
