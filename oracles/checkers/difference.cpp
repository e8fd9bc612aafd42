// Errors of predictions: sums and means of (x - y)^2, |x - y| or Huber's mixture of both, where y is the
// second operand.
#include <algorithm>
#include <limits>
#include <vector>

#include "oracles/bounds.h"
#include "oracles/bounds/variance.h"
#include "oracles/checkers/checkers.h"
#include "oracles/checkers/flushing.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/formats.h"
#include "oracles/number.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

constexpr unsigned mean_bits = 256;

bool are_squared(Operator op) { return op == Operator::squared_error || op == Operator::mse; }
bool are_huber(Operator op) { return op == Operator::huber || op == Operator::mean_huber; }
Dyadic delta_of(const Arithmetic& a) { return Dyadic(number_of(a.delta)); }

/// What the differences of two vectors are; the terms are computed from them.
struct Differences {
  bool have_nan = false, have_infinity = false;
  bool operands_have_nan = false;
  std::uint64_t count = 0;
  Tally terms;          ///< only their sum, number and lowest place, and only if all differences are finite
  Dyadic beyond_delta;  ///< of a Huber loss: the sum of the magnitudes that are not squared
};

/// The exact sum of |x - y|: that of the larger ones minus that of the smaller ones.
Dyadic sum_of_magnitudes(Element type, std::span<const std::byte> x, std::span<const std::byte> y) {
  std::vector<std::byte> larger(x.begin(), x.end()), smaller(y.begin(), y.end());
  for (std::size_t i = 0; i < x.size() / size_of(type); ++i) {
    const std::uint64_t a = load(type, x, i), b = load(type, y, i);
    if (to_double(decode(type, a)) >= to_double(decode(type, b))) continue;
    store(type, larger, i, b);
    store(type, smaller, i, a);
  }
  return tally(type, larger).sum() - tally(type, smaller).sum();
}

/// The exact sum of (x - y)^2 = x^2 - 2xy + y^2.
Dyadic sum_of_squares(Element type, std::span<const std::byte> x, std::span<const std::byte> y) {
  return tally_products(type, x, x).sum() + tally_products(type, y, y).sum() -
         whole(2) * tally_products(type, x, y).sum();
}

/// The exact sum of d^2 / 2 where |d| <= delta, and of delta (|d| - delta / 2) elsewhere.
Dyadic sum_of_huber(Element type, std::span<const std::byte> x, std::span<const std::byte> y,
                    const Dyadic& delta, Dyadic& beyond_delta) {
  struct Pairs {
    std::vector<std::byte> x, y;
  } squared, linear;
  const std::size_t size = size_of(type);
  for (std::size_t at = 0; at < x.size(); at += size) {
    const auto one = x.subspan(at, size), other = y.subspan(at, size);
    const Dyadic d = Dyadic(decode(type, load(type, one, 0))) - Dyadic(decode(type, load(type, other, 0)));
    Pairs& pairs = abs(d) <= delta ? squared : linear;
    pairs.x.insert(pairs.x.end(), one.begin(), one.end());
    pairs.y.insert(pairs.y.end(), other.begin(), other.end());
  }
  beyond_delta = sum_of_magnitudes(type, linear.x, linear.y);
  return half(sum_of_squares(type, squared.x, squared.y)) + delta * beyond_delta -
         half((linear.x.size() / size) * delta * delta);
}

/// The largest q such that the number is a multiple of 2^q.
std::int64_t lowest_place(const Dyadic& positive) {
  return positive.exponent() + static_cast<std::int64_t>(lsb(positive.significand()));
}

Differences differences_of(const Arithmetic& a, std::span<const std::byte> x, const Operand& second) {
  Differences all;
  all.count = second.size();
  for (std::size_t i = 0; i < all.count; ++i) {
    const Number one = decode(a.input, load(a.input, x, i)), other = second.number(i);
    if (one.is_finite() && other.is_finite()) continue;
    const bool holds_nan = one.is_nan() || other.is_nan();
    const bool cancels = !one.is_finite() && !other.is_finite() && one.negative == other.negative;
    all.operands_have_nan |= holds_nan;
    (holds_nan || cancels ? all.have_nan : all.have_infinity) = true;
  }
  if (all.have_nan || all.have_infinity) return all;
  const std::span<const std::byte> y = second.values;
  const Dyadic delta = delta_of(a);
  all.terms.positive = are_squared(a.op) ? sum_of_squares(a.input, x, y)
                       : are_huber(a.op) ? sum_of_huber(a.input, x, y, delta, all.beyond_delta)
                                         : sum_of_magnitudes(a.input, x, y);
  all.terms.count = all.terms.nonzero = all.count;
  // All differences are multiples of the lowest place of x and y.
  std::int64_t place = std::numeric_limits<std::int64_t>::max();
  for (const Tally& t : {tally(a.input, x), tally(a.input, y)})
    if (t.nonzero != 0) place = std::min(place, t.lowest_place);
  if (all.terms.positive.is_zero())
    all.terms.nonzero = 0;
  else if (are_huber(a.op))  // also of what terms are computed from, if their sum is small enough
    all.terms.lowest_place = 2 * std::min(place, lowest_place(delta)) - 2;
  else
    all.terms.lowest_place = are_squared(a.op) ? 2 * place : place;
  return all;
}

/// Derived in docs/numerics.md.
class DifferenceChecker final : public PartialsChecker {
 public:
  DifferenceChecker(const Arithmetic& arithmetic, std::span<const std::byte> x, const Operand& second)
      : a_(arithmetic),
        all_(differences_of(arithmetic, x, second)),
        is_mean_(is_mean_of_pairs(arithmetic.op)),
        bound_(all_.have_nan || all_.have_infinity ? Bound::none("not all differences are finite")
                                                   : bound()) {}

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    return check(outcome_of(a_.output, bits));
  }
  CheckResult partials(std::span<const std::byte> outputs) const override {
    return check(summed(a_.output, outputs));
  }

 private:
  CheckResult check(const Outcome& outcome) const {
    if (all_.operands_have_nan && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not specify NaN handling");
    if (!outcome.single && bound_ && !includes(a_.output, a_.accumulator))
      return checked_converted_parts(outcome, all_.terms, *bound_, a_, info(a_.op).name);
    return checked_by_reference(outcome, exact(), bound_, a_, info(a_.op).name);
  }

  Reference exact() const {
    if (all_.have_nan || (is_mean_ && all_.count == 0)) return Reference::nan();
    if (all_.have_infinity) return Reference::infinity(false);
    const Dyadic& sum = all_.terms.positive;
    if (!is_mean_ || sum.is_zero()) return Reference::exactly(sum);
    return Reference::real([sum, n = whole(all_.count)](unsigned bits) { return quotient(sum, n, bits); });
  }

  Bound bound() const {
    const FloatFormat& format = float_format(a_.accumulator);
    const Dyadic& sum = all_.terms.positive;
    const Dyadic terms = term_errors(format);
    if (whole(2) * (sum + terms + all_.beyond_delta) > largest_finite(format))
      return Bound::none("the sum may overflow");
    if (are_huber(a_.op) && a_.flush_to_zero && delta_of(a_) < whole(2) * smallest_normal(format))
      return Bound::none("delta may be flushed to zero");
    const bool is_exact = no_order_rounds(all_.terms, format) && !a_.flush_to_zero;
    if (is_exact && (!is_mean_ || (sum.is_zero() && all_.count != 0))) return Dyadic{};
    if (is_exact) return mean_bound_of(Dyadic{}, Dyadic{}, format);
    const Bound total = sum_bound_of_approximate_terms(all_.count, format.precision, sum, terms);
    if (!total) return total;
    const Dyadic all = *total + all_.count * flush_threshold(a_);
    return is_mean_ ? mean_bound_of(all, terms, format) : Bound(all);
  }

  /// The sum of the errors of the terms. Each difference is rounded and, for a square, multiplied by itself;
  /// with .ftz, both elements, their difference and the square may be flushed.
  Dyadic term_errors(const FloatFormat& format) const {
    const Dyadic& sum = all_.terms.positive;
    const Dyadic flushed = flush_threshold(a_);
    if (are_huber(a_.op)) return huber_errors(format, flushed);
    if (!are_squared(a_.op)) return *growth(1, format.precision) * sum + 4 * all_.count * flushed;
    const Dyadic underflow = half(all_.count * smallest_subnormal(format));
    // The sum of |d| is at most that of 1 + d^2.
    const Dyadic lost = whole(8) * flushed * (whole(all_.count) + sum) +
                        all_.count * (whole(12) * flushed * flushed + flushed);
    return *growth(3, format.precision) * sum + underflow + lost;
  }

  /// At most eight factors 1 + d with |d| <= u', in every usual form of the formula; the products may
  /// underflow, and both elements, delta, their differences and products may be flushed.
  Dyadic huber_errors(const FloatFormat& format, const Dyadic& flushed) const {
    const Dyadic delta = delta_of(a_);
    const Dyadic underflow = whole(2) * smallest_subnormal(format) * (whole(1) + delta);
    const Dyadic lost = flushed * (whole(12) * delta + whole(36) * flushed + whole(8));
    return *growth(8, format.precision) * all_.terms.positive + all_.count * (underflow + lost);
  }

  /// The sum is divided, or each term is.
  Bound mean_bound_of(const Dyadic& total, const Dyadic& terms, const FloatFormat& format) const {
    const Dyadic& sum = all_.terms.positive;
    Bound divided = mean_bound(all_.count, sum, total, format, fast_math_of(a_));
    if (!divided) return divided;
    const Bound shares = mean_of_shares_bound(all_.count, sum + terms, format, fast_math_of(a_));
    if (!shares) return shares;
    return larger(*divided, *shares + quotient(terms, whole(all_.count), mean_bits).high);
  }

  Arithmetic a_;
  Differences all_;
  bool is_mean_ = false;
  Bound bound_;  ///< before the output is rounded
};

}  // namespace

std::unique_ptr<PartialsChecker> make_difference_checker(const Arithmetic& arithmetic,
                                                         std::span<const std::byte> input,
                                                         const Operand& second) {
  return std::make_unique<DifferenceChecker>(arithmetic, input, second);
}

}  // namespace foldproof
