// Results that a formula defines. Each value of a run is known to within an error, which every operation
// increases; derived in docs/numerics.md.
#include "oracles/formula.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracles/bounds.h"
#include "oracles/bounds/normalisation.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

using Node = Formula::Node;

/// The bits of a quotient or a root, of what is computed from one, and of errors and magnitudes: far more
/// than the format has.
constexpr unsigned formula_quotient_bits = 128, formula_bits = 256, bits_of_error = 96;

/// There is no bound, because of a condition that a sentence names.
struct NoBound {
  std::string why;
};

const Dyadic& value_of(const Bound& bound) {
  if (!bound) throw NoBound{bound.why_not()};
  return *bound;
}

/// The numbers that a formula reads for the elements of one part.
class FormulaInput {
 public:
  FormulaInput(const Arithmetic& a, std::span<const std::byte> elements, std::span<const Operand> operands)
      : input_(a.input), elements_(elements), operands_(operands) {}

  std::size_t size() const { return elements_.size() / size_of(input_); }
  Number of(const Node& node, std::size_t element) const {
    return node.kind == Node::Kind::operand ? operands_[node.index].number(element)
                                            : decode(input_, load(input_, elements_, element));
  }

  /// Whether some number of the element, outside of all totals, is of that category.
  bool has(Number::Category category, const Node& node, std::size_t element) const {
    switch (node.kind) {
      case Node::Kind::element:
      case Node::Kind::operand: return of(node, element).category == category;
      case Node::Kind::total: return false;
      default:
        return std::ranges::any_of(node.of, [&](const Node& one) { return has(category, one, element); });
    }
  }

  /// Whether some number of any element within a total is.
  bool totals_have(Number::Category category, const Node& node) const {
    const auto of_all = [&](const Node& one) {
      for (std::size_t i = 0; i < size(); ++i)
        if (has(category, one, i)) return true;
      return false;
    };
    if (node.kind == Node::Kind::total) return of_all(node.of.front());
    return std::ranges::any_of(node.of, [&](const Node& one) { return totals_have(category, one); });
  }

 private:
  Element input_;
  std::span<const std::byte> elements_;
  std::span<const Operand> operands_;
};

class Evaluation {
 public:
  Evaluation(const Arithmetic& a, const FormulaInput& input)
      : accumulator_(a.accumulator),
        format_(float_format(a.accumulator)),
        fast_(fast_math_of(a)),
        u_(unit_roundoff(format_.precision)),
        largest_(largest_finite(format_)),
        least_(fast_.flushes() ? fast_.flushed : half(smallest_subnormal(format_))),
        input_(input),
        totals_(a.formula->totals()) {
    add_totals(a.formula->root());
  }

  /// Throws NoBound.
  Known at(const Node& node, std::size_t element) const {
    switch (node.kind) {
      case Node::Kind::number: return constant(node.number);
      case Node::Kind::element:
      case Node::Kind::operand: return loaded(Dyadic(input_.of(node, element)));
      case Node::Kind::count: return constant(static_cast<double>(input_.size()));
      case Node::Kind::sum: return sum(node, element);
      case Node::Kind::product: return product(node, element);
      case Node::Kind::root: return root(at(node.of.front(), element));
      case Node::Kind::magnitude: return magnitude(at(node.of.front(), element));
      case Node::Kind::total: break;
    }
    return totals_.at(node.index);
  }

 private:
  void add_totals(const Node& node) {
    if (node.kind == Node::Kind::total)
      totals_[node.index] = total(node.of.front());
    else
      std::ranges::for_each(node.of, [&](const Node& one) { add_totals(one); });
  }

  Known constant(double number) const {
    const Number exact = number_of(number);
    const bool is_exact = to_double(decode(accumulator_, encode(accumulator_, exact))) == number;
    const Dyadic value(exact);
    return {Enclosure(value), is_exact ? Dyadic{} : u_ * abs(value) + least_};
  }

  /// Elements below the threshold may be flushed.
  Known loaded(const Dyadic& x) const {
    return {Enclosure(x), abs(x) < fast_.flushed_elements ? abs(x) : Dyadic{}};
  }

  static Enclosure kept(const Enclosure& x) { return x.is_exact() ? x : shortened(x, formula_bits); }
  static Dyadic up(const Dyadic& x) { return rounded_up(x, bits_of_error); }
  static Dyadic reach_of(const Known& x) { return up(largest_magnitude(x.exact) + x.error); }
  /// Computed once for each number of roundings.
  const Dyadic& growth_of(std::uint64_t roundings) const {
    const auto known = growth_.find(roundings);
    if (known != growth_.end()) return known->second;
    return growth_.emplace(roundings, value_of(growth(roundings, format_.precision))).first->second;
  }
  void check_range(const Dyadic& reach, const char* why) const {
    if (whole(2) * reach > largest_) throw NoBound{why};
  }

  /// In any order; a sum of one operand is its negation.
  Known sum(const Node& node, std::size_t element) const {
    Known all;
    Dyadic reach;
    for (std::size_t i = 0; i < node.of.size(); ++i) {
      const Known one = at(node.of[i], element);
      all.exact = node.inverted[i] ? all.exact - one.exact : all.exact + one.exact;
      all.error = all.error + one.error;
      reach = reach + reach_of(one);
    }
    check_range(reach, "a sum may overflow");
    const std::uint64_t additions = node.of.size() - 1;
    all.error = up(all.error + growth_of(additions) * reach + additions * fast_.flushed);
    all.exact = kept(all.exact);
    return all;
  }

  /// In any order: each factor may grow by its error, and each operation by a rounding. A product that
  /// underflows is multiplied by the factors that follow.
  Known product(const Node& node, std::size_t element) const {
    Enclosure exact(whole(1));
    Dyadic magnitudes = whole(1), computed = whole(1), reach = whole(1);
    std::uint64_t roundings = node.of.size() - 1;
    for (std::size_t i = 0; i < node.of.size(); ++i) {
      Known one = at(node.of[i], element);
      if (node.inverted[i]) {
        one = reciprocal(one);
        roundings += fast_.roundings_of_division();
      }
      exact = kept(exact * one.exact);
      magnitudes = rounded_down(magnitudes * largest_magnitude(one.exact), bits_of_error);
      computed = up(computed * reach_of(one));
      reach = up(reach * larger(reach_of(one), whole(1)));
    }
    const Dyadic grown = whole(1) + growth_of(roundings);
    check_range(reach * grown, "a product may overflow");
    return {exact, up(computed * grown - magnitudes + roundings * (least_ * reach * grown))};
  }

  /// Without the rounding.
  Known reciprocal(const Known& x) const {
    const Dyadic least = x.exact.low.is_negative() ? -x.exact.high : x.exact.low;
    if (least <= whole(2) * x.error || least <= whole(2) * smallest_normal(format_))
      throw NoBound{"a divisor may be zero"};
    // div.approx and rcp.approx may give 0 for divisors above 2^126 (PTX ISA).
    if (fast_.approximates && whole(8) * reach_of(x) > largest_)
      throw NoBound{"a divisor may be too large for an approximate division"};
    return {quotient(Enclosure(whole(1)), x.exact, formula_quotient_bits),
            quotient(x.error, least * (least - x.error), formula_quotient_bits).high};
  }

  Known root(const Known& x) const {
    if (x.exact.low < x.error) throw NoBound{"the argument of a root may be negative"};
    const Dyadic relative = whole(fast_.approximates ? 4 : 1) * u_;
    const Dyadic error = value_of(root_bound(x, format_, relative));
    return {square_root(x.exact, formula_quotient_bits), error + fast_.flushed};
  }

  static Known magnitude(const Known& x) {
    if (!x.exact.low.is_negative()) return x;
    if (x.exact.high.is_negative()) return {-x.exact, x.error};
    return {Enclosure(Dyadic{}, largest_magnitude(x.exact)), x.error};
  }

  /// In any order.
  Known total(const Node& term) const {
    Known all;
    Dyadic magnitudes, errors;
    for (std::size_t i = 0; i < input_.size(); ++i) {
      const Known one = at(term, i);
      all.exact = kept(all.exact + one.exact);
      magnitudes = up(magnitudes + largest_magnitude(one.exact));
      errors = up(errors + one.error);
    }
    check_range(magnitudes + errors, "the sum may overflow");
    all.error =
        value_of(sum_bound_of_approximate_terms(input_.size(), format_.precision, magnitudes, errors)) +
        input_.size() * fast_.flushed;
    return all;
  }

  Element accumulator_;
  const FloatFormat& format_;
  FastMath fast_;
  Dyadic u_, largest_, least_;
  const FormulaInput& input_;
  std::vector<Known> totals_;
  mutable std::map<std::uint64_t, Dyadic> growth_;
};

std::vector<Operand> operands_in(const Formula& formula, const Operands& operands) {
  std::vector<Operand> all;
  for (const FormulaOperand& read : formula.operands()) all.push_back(operands.variables().at(read.name));
  return all;
}

class FormulaChecker final : public PartialsChecker {
 public:
  FormulaChecker(const Arithmetic& a, std::span<const std::byte> elements, const Operands& operands)
      : a_(a), operands_(operands_in(*a.formula, operands)), input_(a_, elements, operands_) {
    const Node& root = a_.formula->root();
    totals_have_nan_ = input_.totals_have(Number::Category::nan, root);
    totals_have_infinity_ = input_.totals_have(Number::Category::infinity, root);
    if (!totals_have_nan_ && !totals_have_infinity_) evaluate();
  }

  CheckResult element(std::size_t index, std::uint64_t bits) const override {
    return check(outcome_of(a_.output, bits), a_.formula->is_elementwise() ? index : 0);
  }
  CheckResult partials(std::span<const std::byte> outputs) const override {
    if (!includes(a_.output, a_.accumulator))
      return anything_goes("partial results are rounded to a narrower type");
    return check(summed(a_.output, outputs), 0);
  }

 private:
  void evaluate() {
    try {
      evaluation_.emplace(a_, input_);
    } catch (const NoBound& none) {
      why_not_ = none.why;
    }
  }

  bool has(Number::Category category, std::size_t index) const {
    return input_.has(category, a_.formula->root(), index);
  }

  CheckResult check(const Outcome& outcome, std::size_t index) const {
    if (totals_have_nan_ || has(Number::Category::nan, index))
      return a_.nan == NanPolicy::propagate ? checked_by_category(outcome.category == Number::Category::nan,
                                                                  outcome, "an element or an operand is NaN")
                                            : anything_goes("the contract does not specify NaN handling");
    if (totals_have_infinity_ || has(Number::Category::infinity, index))
      return anything_goes("an element or an operand is infinite");
    if (!evaluation_) return anything_goes(why_not_);
    try {
      const Known value = evaluation_->at(a_.formula->root(), index);
      return checked_by_enclosure(outcome, value.exact, value.error, a_, "value of the formula");
    } catch (const NoBound& none) {
      return anything_goes(none.why);
    }
  }

  Arithmetic a_;
  std::vector<Operand> operands_;
  FormulaInput input_;
  bool totals_have_nan_ = false, totals_have_infinity_ = false;
  std::optional<Evaluation> evaluation_;  ///< absent if there is no bound
  std::string why_not_;
};

}  // namespace

std::unique_ptr<PartialsChecker> make_formula_checker(const Arithmetic& arithmetic,
                                                      std::span<const std::byte> input,
                                                      const Operands& operands) {
  return std::make_unique<FormulaChecker>(arithmetic, input, operands);
}

}  // namespace foldproof
