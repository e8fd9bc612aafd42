#include <algorithm>
#include <string_view>

#include "oracles/checkers/checkers.h"
#include "oracles/checkers/outcome.h"
#include "oracles/dyadic.h"

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

void raise(Reference& largest, const Reference& ratio) {
  if (exceeds(ratio, largest)) largest = ratio;
}

class RatioChecker final : public Checker {
 public:
  RatioChecker(const Arithmetic& arithmetic, std::span<const std::byte> input, const Operand& divisors)
      : a_(arithmetic) {
    for (std::size_t i = 0; i < divisors.size(); ++i) {
      const std::uint64_t dividend = load(a_.input, input, i);
      const bool is_flushed = a_.flush_to_zero && is_subnormal(a_.input, dividend);
      if (a_.flush_to_zero &&
          (is_subnormal(divisors.type, divisors.bits(i)) || (is_flushed && divisors.number(i).is_zero())))
        may_divide_by_zero_ = true;
      const Reference ratio = ratio_of(decode(a_.input, dividend), divisors.number(i));
      if (ratio.category() == Number::Category::nan) {
        has_nan_ = true;
        continue;
      }
      raise(largest_, ratio);
      raise(largest_flushed_, is_flushed ? Reference::zero() : ratio);
    }
  }

  CheckResult element(std::size_t, std::uint64_t bits) const override {
    const Outcome outcome = outcome_of(a_.output, bits);
    if (has_nan_ && a_.nan == NanPolicy::unspecified)
      return anything_goes("the contract does not specify NaN handling");
    if (may_divide_by_zero_)
      return anything_goes("a subnormal number may be flushed to zero before a division");
    if (has_nan_) return checked_by_reference(outcome, Reference::nan(), Dyadic{}, a_, what);
    if (!largest_.is_finite()) return checked_by_reference(outcome, largest_, Dyadic{}, a_, what);
    const Enclosure kept = largest_.enclosure(), flushed = largest_flushed_.enclosure();
    return checked_by_enclosure(outcome, {std::min(kept.low, flushed.low), larger(kept.high, flushed.high)},
                                bound(), a_, what);
  }

 private:
  static constexpr std::string_view what = "largest ratio";

  /// Each quotient is rounded once, and rounding preserves their order; an approximate one errs by 2 ulp.
  Bound bound() const {
    const FloatFormat& format = float_format(a_.accumulator);
    const Enclosure exact = largest_.enclosure();
    const Dyadic flushed = a_.flush_to_zero ? smallest_normal(format) : half(smallest_subnormal(format));
    const std::uint64_t roundings = a_.approximates ? 5 : 1;
    return *growth(roundings, format.precision) * largest_magnitude(exact) + flushed;
  }

  Arithmetic a_;
  Reference largest_ = Reference::infinity(true);
  Reference largest_flushed_ = Reference::infinity(true);  ///< if subnormal dividends are flushed to zero
  bool has_nan_ = false, may_divide_by_zero_ = false;
};

}  // namespace

std::unique_ptr<Checker> make_ratio_checker(const Arithmetic& arithmetic, std::span<const std::byte> input,
                                            const Operand& divisors) {
  return std::make_unique<RatioChecker>(arithmetic, input, divisors);
}

}  // namespace foldproof
