// The cross-entropy with a label for each class: the sum of y (m - x), where m is the log-sum-exp of all x.
#include <optional>

#include "oracles/bounds.h"
#include "oracles/bounds/exponential.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/function_errors.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/formats.h"
#include "oracles/number.h"
#include "oracles/references/exponential.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

/// Derived in docs/numerics.md.
class DenseCrossEntropyChecker final : public Checker {
 public:
  DenseCrossEntropyChecker(const Arithmetic& arithmetic, std::span<const std::byte> input,
                           const Operand& labels)
      : a_(arithmetic), format_(float_format(arithmetic.accumulator)) {
    const Tally x = tally(a_.input, input), y = tally(labels.type, labels.values);
    holds_nan_ = x.specials.nan || y.specials.nan;
    is_empty_ = labels.size() == 0;
    is_special_ = x.finite != x.count || y.finite != y.count;
    if (holds_nan_ || is_empty_ || is_special_) return;
    const unsigned bits = a_.accumulator == Element::f64 ? 128 : 64;
    const ExactExponentials exact(a_.input, input, format_.precision, bits, difference_in(a_));
    ExponentialErrors errors = function_errors(a_, exact.max());
    if (a_.maximum == Maximum::running) errors = with_scalings(errors, labels.size(), format_);
    const Enclosure logarithm = exact.logarithm_of_sum();
    const Bound of_logarithm = log_sum_exp_bound(exact.sums(), a_.height.value_or(labels.size()), format_,
                                                 errors, largest_magnitude(logarithm));
    for (std::size_t i = 0; i < labels.size(); ++i)
      add(exact, logarithm, of_logarithm, Dyadic(labels.number(i)), i, bits);
    bound_ = bound(largest_magnitude(logarithm), of_logarithm, labels.size());
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    const Outcome outcome = outcome_of(a_.output, bits);
    if (is_empty_)
      return checked_exactly(outcome, Dyadic{}, a_.output, info(a_.op).name, "there is no class");
    if (holds_nan_ && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not specify NaN handling");
    if (holds_nan_)
      return checked_by_category(outcome.category == Number::Category::nan, outcome,
                                 "the input contains a NaN");
    if (is_special_) return anything_goes("the input contains an infinity");
    return checked_by_enclosure(outcome, sum_, bound_, a_, info(a_.op).name);
  }

 private:
  void add(const ExactExponentials& exact, const Enclosure& logarithm, const Bound& of_logarithm,
           const Dyadic& label, std::size_t i, unsigned bits) {
    const Dyadic x = exact.max() - *exact.gap(i), size = abs(label);
    const Enclosure distance = logarithm - Enclosure(x);
    sum_ = shortened(sum_ + Enclosure(label) * distance, bits + sum_guard_bits);
    if (!of_logarithm) return;
    const Dyadic u = unit_roundoff(format_.precision), most = largest_magnitude(distance);
    // As for a target class: at most three roundings, each of at most twice the largest number on either
    // path.
    const Dyadic reach = largest_magnitude(logarithm) + abs(exact.max()) + *exact.gap(i) + *of_logarithm;
    const Dyadic error = *of_logarithm + whole(6) * u * reach;
    magnitude_ = rounded_up(magnitude_ + size * most, bits);
    error_ = rounded_up(error_ + size * error + u * size * (most + error), bits);
    if (size < smallest_normal(format_)) subnormal_ = rounded_up(subnormal_ + size * reach, bits);
    labels_ = rounded_up(labels_ + size, bits);
    products_ = rounded_up(products_ + size * abs(x), bits);
  }

  /// What products and sums lose if they underflow or are flushed, or if elements or labels are flushed.
  Dyadic lost(std::uint64_t n) const {
    const Dyadic flushed = flush_threshold(a_);
    const Dyadic of_labels = a_.flush_to_zero ? subnormal_ : Dyadic{};
    return n * (smallest_subnormal(format_) + whole(3) * flushed) + whole(2) * flushed * labels_ + of_labels;
  }

  /// Of the sum of products y (m - x), or of m times the sum of all y minus the dot product.
  Bound bound(const Dyadic& logarithm, const Bound& of_logarithm, std::uint64_t n) const {
    if (!of_logarithm) return of_logarithm;
    const Dyadic u = unit_roundoff(format_.precision);
    const Dyadic nu = whole(n + 3) * u;
    const Dyadic sizes = (logarithm + *of_logarithm) * labels_ + products_;
    if (nu > half(whole(1)) || whole(2) * (magnitude_ + error_ + sizes) > largest_finite(format_))
      return Bound::none("a sum may overflow");
    const Bound terms = sum_bound_of_approximate_terms(n, format_.precision, magnitude_, error_);
    if (!terms) return terms;
    return larger(*terms, *of_logarithm * labels_ + whole(2) * nu * sizes) + lost(n);
  }

  Arithmetic a_;
  const FloatFormat& format_;
  bool is_empty_ = false, holds_nan_ = false, is_special_ = false;
  Enclosure sum_;
  /// Upper bounds on sums of |y (m - x)|, of the errors of these terms, of |y| and of |y x|.
  Dyadic magnitude_, error_, labels_, products_;
  Dyadic subnormal_;  ///< what the terms with a subnormal label are at most
  Bound bound_ = Bound::none("not all elements are finite");
};

}  // namespace

std::unique_ptr<Checker> make_dense_cross_entropy_checker(const Arithmetic& arithmetic,
                                                          std::span<const std::byte> input,
                                                          const Operand& labels) {
  return std::make_unique<DenseCrossEntropyChecker>(arithmetic, input, labels);
}

}  // namespace foldproof
