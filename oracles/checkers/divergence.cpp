// The Kullback-Leibler divergence: the sum of x ln(x / y), where y is the second operand.
#include <cmath>
#include <memory>
#include <span>
#include <string>

#include "oracles/bounds.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/function_errors.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/exact/enclosure.h"
#include "oracles/formats.h"
#include "oracles/number.h"

namespace foldproof {
namespace {

/// An upper bound on |ln x|, for a positive x.
Dyadic size_of_logarithm(const Dyadic& x) {
  // A C library's logarithm is much more precise than this.
  constexpr double slack = 1.001, least = 1e-10;
  const auto exponent = x.leading_exponent();
  const double mantissa = nearest_double(x * Dyadic::power_of_two(-exponent));
  const double logarithm = std::log(mantissa) + static_cast<double>(exponent) * std::log(2.0);
  return Dyadic(number_of(std::fabs(logarithm) * slack + least));
}

/// Derived in docs/numerics.md.
class DivergenceChecker final : public Checker {
 public:
  DivergenceChecker(const Arithmetic& arithmetic, std::span<const std::byte> input, const Operand& second)
      : a_(arithmetic),
        format_(float_format(arithmetic.accumulator)),
        errors_(function_errors(arithmetic, Dyadic{})),
        bits_(arithmetic.accumulator == Element::f64 ? 128 : 64) {
    for (std::size_t i = 0; i < second.size(); ++i)
      add(decode(a_.input, load(a_.input, input, i)), second.number(i));
    if (!why_unbounded_.empty())
      bound_ = Bound::none(why_unbounded_);
    else
      find_bound();
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    const Outcome outcome = outcome_of(a_.output, bits);
    const bool nan = outcome.category == Number::Category::nan;
    if (is_undefined_) return anything_goes("the logarithm of a negative element is undefined");
    if (operands_have_nan_ && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not specify NaN handling");
    if (operands_have_nan_ || has_nan_ || (is_positive_ && is_negative_))
      return checked_by_category(nan, outcome, "a term is NaN, or there are infinite terms of both signs");
    if (is_positive_ || is_negative_) {
      // Another term may be computed as an infinity, too.
      if (!bound_) return anything_goes(bound_.why_not());
      return checked_by_category(
          is_infinity(outcome, a_.output, is_negative_) || (nan && overflows_to_nan(a_)), outcome,
          "a term is infinite");
    }
    return checked_by_enclosure(outcome, sum_, bound_, a_, info(a_.op).name);
  }

 private:
  void add(const Number& x, const Number& y) {
    const bool is_zero = x.is_zero();
    operands_have_nan_ |= x.is_nan() || y.is_nan();
    is_undefined_ |= (!is_zero && !x.is_nan() && x.negative) || (!y.is_zero() && !y.is_nan() && y.negative);
    if (operands_have_nan_ || is_undefined_) return;
    check_operands(x, y);
    const bool infinite = !x.is_finite();
    has_nan_ |= infinite && !y.is_finite();
    is_positive_ |= infinite ? y.is_finite() : !is_zero && y.is_zero();
    is_negative_ |= !infinite && !is_zero && !y.is_finite();
    if (!infinite && !is_zero && y.is_finite() && !y.is_zero()) add_finite(Dyadic(x), Dyadic(y));
  }

  /// Also those of infinite terms.
  void check_operands(const Number& x, const Number& y) {
    const Dyadic least = smallest_normal(format_);
    for (const Number* operand : {&x, &y})
      if (operand->is_finite() && !operand->is_zero() && abs(Dyadic(*operand)) < least)
        why_unbounded_ = "an element is subnormal";
    // The intrinsic division may return 0 for divisors beyond a quarter of the range.
    const bool is_fast = a_.functions == MathFunctions::fast;
    if (is_fast && y.is_finite() && whole(8) * abs(Dyadic(y)) > largest_finite(format_))
      why_unbounded_ = "a divisor is too large for the intrinsic division";
  }

  void add_finite(const Dyadic& x, const Dyadic& y) {
    const Enclosure ratio = quotient(x, y, bits_ + sum_guard_bits);
    const Enclosure term = Enclosure(x) * logarithm(ratio, bits_);
    const Dyadic size = largest_magnitude(term);
    sum_ = shortened(sum_ + term, bits_ + sum_guard_bits);
    ++terms_;
    const Dyadic least = smallest_normal(format_), most = half(largest_finite(format_));
    if (ratio.low < whole(2) * least || ratio.high > most)
      why_unbounded_ = "a quotient may overflow or underflow";
    const Dyadic u = unit_roundoff(format_.precision);
    const Dyadic sizes = size_of_logarithm(x) + size_of_logarithm(y);
    const Dyadic of_logarithm = (errors_.log_relative + whole(2) * u) * sizes +
                                whole(2) * errors_.log_absolute +
                                whole(a_.functions == MathFunctions::fast ? 5 : 2) * u;
    const Dyadic error = (whole(1) + whole(4) * u) * x * of_logarithm + whole(4) * u * size +
                         smallest_subnormal(format_) + flush_threshold(a_);
    error_ = rounded_up(error_ + error, bits_);
    magnitude_ = rounded_up(magnitude_ + size, bits_);
  }

  void find_bound() {
    if (whole(2) * (magnitude_ + error_) > largest_finite(format_)) {
      bound_ = Bound::none("the sum may overflow");
      return;
    }
    bound_ = a_.height
                 ? sum_bound_of_approximate_terms(terms_, *a_.height, format_.precision, magnitude_, error_)
                 : sum_bound_of_approximate_terms(terms_, format_.precision, magnitude_, error_);
    if (bound_) bound_ = *bound_ + terms_ * flush_threshold(a_);
  }

  Arithmetic a_;
  const FloatFormat& format_;
  ExponentialErrors errors_;
  unsigned bits_;
  bool is_undefined_ = false, operands_have_nan_ = false;
  bool has_nan_ = false;                            ///< a term that is NaN
  bool is_positive_ = false, is_negative_ = false;  ///< infinite terms
  std::uint64_t terms_ = 0;                         ///< that are not zero
  Enclosure sum_;
  Dyadic magnitude_, error_;  ///< upper bounds on the sums of the terms' magnitudes and errors
  std::string why_unbounded_;
  Bound bound_ = Bound::none("no term is finite");
};

}  // namespace

std::unique_ptr<Checker> make_divergence_checker(const Arithmetic& arithmetic,
                                                 std::span<const std::byte> input, const Operand& second) {
  return std::make_unique<DivergenceChecker>(arithmetic, input, second);
}

}  // namespace foldproof
