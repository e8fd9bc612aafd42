#include <vector>

#include "oracles/checkers/checkers.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"
#include "oracles/references/extremes.h"

namespace foldproof {
namespace {

/// The quotient as defined by IEEE 754.
Reference ratio_of(const Number& x, const Number& y) {
  if (x.is_nan() || y.is_nan() || (x.is_zero() && y.is_zero()) || (!x.is_finite() && !y.is_finite()))
    return Reference::nan();
  const bool negative = x.negative != y.negative;
  if (!x.is_finite() || y.is_zero()) return Reference::infinity(negative);
  if (!y.is_finite() || x.is_zero()) return Reference::zero(negative);
  const Dyadic a(x), b(y);
  return Reference::real([a, b](unsigned bits) { return quotient(a, b, bits); });
}

/// Whether a is greater than b; both are numbers or infinities.
bool exceeds(const Reference& a, const Reference& b) {
  const auto side = [](const Reference& x) { return x.is_finite() ? 0 : x.negative() ? -1 : 1; };
  if (side(a) != side(b) || side(a) != 0) return side(a) > side(b);
  return a.enclosure().high > b.enclosure().high;
}

class RatioChecker final : public Checker {
 public:
  RatioChecker(const Arithmetic& arithmetic, std::span<const std::byte> input, const Operand& divisors)
      : a_(arithmetic),
        may_flush_(arithmetic.flush_to_zero && (has_subnormal(arithmetic.input, input) ||
                                                has_subnormal(divisors.type, divisors.values))) {
    for (std::size_t i = 0; i < divisors.size(); ++i) {
      const Reference ratio = ratio_of(decode(a_.input, load(a_.input, input, i)), divisors.number(i));
      if (ratio.category() == Number::Category::nan)
        has_nan_ = true;
      else if (exceeds(ratio, largest_))
        largest_ = ratio;
    }
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    const Outcome outcome = outcome_of(a_.output, bits);
    if (has_nan_ && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not specify NaN handling");
    if (may_flush_) return anything_goes("a subnormal number may be flushed to zero before a division");
    if (has_nan_) return checked_by_reference(outcome, Reference::nan(), Dyadic{}, a_, "largest ratio");
    return checked_by_reference(outcome, largest_, bound(), a_, "largest ratio");
  }

 private:
  /// Each quotient is rounded once, and rounding preserves their order. A quotient that overflows is an
  /// infinity.
  Bound bound() const {
    if (!largest_.is_finite()) return Dyadic{};
    const FloatFormat& format = float_format(a_.accumulator);
    const Enclosure exact = largest_.enclosure();
    const Dyadic flushed = a_.flush_to_zero ? smallest_normal(format) : half(smallest_subnormal(format));
    return unit_roundoff(format.precision) * larger(abs(exact.low), abs(exact.high)) + flushed;
  }

  Arithmetic a_;
  Reference largest_ = Reference::infinity(true);
  bool has_nan_ = false;
  bool may_flush_;  ///< whether an element or a divisor may be flushed to zero
};

}  // namespace

std::unique_ptr<Checker> make_ratio_checker(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                            const Operand& divisors) {
  return std::make_unique<RatioChecker>(arithmetic, input, divisors);
}

}  // namespace foldproof
