#include "properties/generation/facts.h"

#include <algorithm>
#include <limits>

#include "oracles/number.h"
#include "oracles/tally.h"

namespace foldproof {
namespace {

bool has_subnormal(Element element, std::span<const std::byte> input) {
  const FloatFormat& format = float_format(element);
  const std::uint64_t smallest_normal = std::uint64_t{1} << (format.precision - 1);
  for (std::size_t i = 0; i < input.size() / size_of(element); ++i) {
    const Number x = decode(element, load(element, input, i));
    if (x.is_finite() && x.significand != 0 && x.significand < smallest_normal) return true;
  }
  return false;
}

/// The largest d up to 308 with 10^d <= x; x >= 1. Uses divisions, which give the same result on every host.
int decade_of(double x) {
  int decade = 0;
  for (x = std::min(x, std::numeric_limits<double>::max()); x >= 10; x /= 10) ++decade;
  return decade;
}

}  // namespace

InputFacts facts_of(const Instance& instance, std::span<const std::byte> input) {
  if (!instance.reduction || !is_float(instance.reduction->input)) return {};
  const Element element = instance.reduction->input;
  const Tally t = tally(element, input);
  const Specials& s = t.specials;
  InputFacts facts;
  facts.nan = s.nan;
  facts.infinity = s.positive_infinity;
  facts.minus_infinity = s.negative_infinity;
  facts.zero = t.finite > t.nonzero + t.negative_zeros;
  facts.minus_zero = t.negative_zeros != 0;
  facts.subnormal = has_subnormal(element, input);
  if (instance.reduction->op != Operator::sum || t.finite != t.count || t.nonzero == 0) return facts;
  const Dyadic sum = abs(t.sum());
  facts.decade = sum.is_zero() ? std::numeric_limits<int>::max() : decade_of(ratio(t.magnitude(), sum));
  return facts;
}

}  // namespace foldproof
