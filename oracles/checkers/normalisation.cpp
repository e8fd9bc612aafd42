#include "oracles/bounds/normalisation.h"

#include "oracles/bounds.h"
#include "oracles/bounds/variance.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/moment_bounds.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/references/normalisation.h"

namespace foldproof {
namespace {

constexpr unsigned quotient_bits = 128;

/// One value per column; empty without an operand. Non-finite values become 0; nothing is checked then.
std::vector<Dyadic> finite_values(const std::optional<Operand>& operand, bool& all_finite) {
  std::vector<Dyadic> values;
  for (std::size_t i = 0; operand && i < operand->size(); ++i) {
    const Number x = operand->number(i);
    all_finite &= x.is_finite();
    values.push_back(x.is_finite() ? Dyadic(x) : Dyadic{});
  }
  return values;
}

class NormalisationChecker final : public Checker {
 public:
  NormalisationChecker(const Arithmetic& arithmetic, std::span<const std::byte> input,
                       const Operands& operands)
      : a_(arithmetic),
        input_(input.begin(), input.end()),
        values_(tally(arithmetic.input, input)),
        squares_(tally_products(arithmetic.input, input, input)),
        weights_(finite_values(operands[Role::weights], operands_finite_)),
        biases_(finite_values(operands[Role::biases], operands_finite_)) {
    const Dyadic epsilon(number_of(a_.epsilon));
    const Affine affine{weights_, biases_};
    exact_ = is_layer()          ? layer_norm(a_.input, input_, epsilon, affine)
             : divides_by_norm() ? l2_normalize(a_.input, input_, epsilon)
                                 : rms_norm(a_.input, input_, epsilon, affine);
    if (input.empty() || values_.finite != values_.count) return;
    prepare(epsilon);
  }

  CheckResult element(std::size_t index, std::uint64_t bits) const override {
    if (!operands_finite_) return anything_goes("a weight or a bias is not finite");
    if (values_.specials.nan && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not specify NaN handling");
    if (rounding_decides_)
      return anything_goes(
          "the variance and epsilon are 0, so the quotient depends on rounding errors alone");
    const Outcome outcome = outcome_of(a_.output, bits);
    return checked_by_reference(outcome, exact_.at(index), bound(index), a_, info(a_.op).name);
  }

 private:
  bool is_layer() const { return a_.op == Operator::layer_norm; }
  bool divides_by_norm() const { return a_.op == Operator::l2_normalize; }

  void prepare(const Dyadic& epsilon) {
    const FloatFormat& format = float_format(a_.accumulator);
    const Dyadic n = whole(values_.count), u = unit_roundoff(format.precision), sum = values_.sum();
    const Dyadic numerator = is_layer() ? n * squares_.positive - sum * sum : n * squares_.positive;
    rounding_decides_ = is_layer() && numerator.is_zero() && epsilon.is_zero();
    if (whole(4) * n * squares_.positive > largest_finite(format)) {
      why_not_ = "the sums may overflow";
      return;
    }
    if (divides_by_norm()) return prepare_norm(epsilon);
    const Bound mean_square_error =
        is_layer() ? variance_bound_of(a_, values_, squares_) : mean_square_bound();
    const Bound mean_error = is_layer() ? layer_mean_bound_of(a_, values_) : Bound(Dyadic{});
    if (!mean_square_error || !mean_error) {
      why_not_ = (mean_error ? mean_square_error : mean_error).why_not();
      return;
    }
    mean_error_ = *mean_error;
    if (mean_error->is_zero() && mean_square_error->is_zero()) rounding_decides_ = false;
    if (is_layer()) mean_ = quotient(sum, n, quotient_bits);
    Enclosure square = quotient(numerator, n * n, quotient_bits) + Enclosure(epsilon);
    const Dyadic error =
        *mean_square_error + u * (square.high + *mean_square_error) + fast_math_of(a_).flushed;
    normalised_.emplace(Known{square, error}, format,
                        float_format(a_.affine == AffineType::output ? a_.output : a_.accumulator),
                        fast_math_of(a_));
  }

  /// The larger of two values changes by no more than one of them does; the square of epsilon may be rounded.
  void prepare_norm(const Dyadic& epsilon) {
    const FloatFormat& format = float_format(a_.accumulator);
    const Bound sum = square_sum_bound_of(a_, squares_);
    if (!sum) {
      why_not_ = sum.why_not();
      return;
    }
    const Dyadic square = larger(squares_.positive, epsilon * epsilon);
    const Dyadic rounding =
        whole(2) * unit_roundoff(format.precision) * (square + *sum) + whole(2) * fast_math_of(a_).flushed;
    normalised_.emplace(Known{Enclosure(square), *sum + rounding}, format, fast_math_of(a_));
  }

  /// Bound on the mean of squares: their sum, known to within its bound, divided by n.
  Bound mean_square_bound() const {
    const FloatFormat& format = float_format(a_.accumulator);
    const Bound sum = square_sum_bound_of(a_, squares_);
    if (!sum) return sum;
    return mean_bound(values_.count, squares_.positive, *sum, format, fast_math_of(a_));
  }

  Bound bound(std::size_t index) const {
    if (!normalised_) return Bound::none(why_not_);
    const FloatFormat& format = float_format(a_.accumulator);
    const Dyadic u = unit_roundoff(format.precision);
    const Dyadic x(decode(a_.input, load(a_.input, input_, index)));
    const Enclosure deviation = Enclosure(x) - mean_;
    const Dyadic magnitude = largest_magnitude(deviation);
    // The element and the difference may be flushed.
    const Dyadic flushed = flush_threshold(a_) + fast_math_of(a_).flushed;
    const Dyadic error = (is_layer() ? mean_error_ + u * (magnitude + mean_error_) : Dyadic{}) + flushed;
    const Dyadic separate =
        is_layer() ? abs(x) + whole(2) * (largest_magnitude(mean_) + mean_error_) : Dyadic{};
    return normalised_->of({deviation, error}, weights_.empty() ? whole(1) : weights_.at(index),
                           biases_.empty() ? Dyadic{} : biases_.at(index), separate);
  }

  Arithmetic a_;
  std::vector<std::byte> input_;
  Tally values_, squares_;
  bool operands_finite_ = true;
  std::vector<Dyadic> weights_, biases_;
  std::vector<Reference> exact_;
  Enclosure mean_;  ///< 0 for RMSNorm, which subtracts no mean
  Dyadic mean_error_;
  bool rounding_decides_ = false;              ///< a quotient of two errors, instead of 0 by 0
  std::optional<NormalisedBound> normalised_;  ///< absent if no bound is known
  std::string why_not_ = "not all elements are finite";
};

}  // namespace

std::unique_ptr<Checker> make_normalisation_checker(const Arithmetic& arithmetic,
                                                    std::span<const std::byte> input,
                                                    const Operands& operands) {
  return std::make_unique<NormalisationChecker>(arithmetic, input, operands);
}

}  // namespace foldproof
