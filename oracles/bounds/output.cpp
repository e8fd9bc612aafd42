#include "oracles/bounds/output.h"

#include "oracles/bounds/arithmetic.h"

namespace foldproof {

Bound output_bound(const Dyadic& exact, const Dyadic& bound, const FloatFormat& output) {
  return bound + half(ulp(output, abs(exact) + bound));
}

Overflow overflow_of(const Dyadic& exact, const Dyadic& bound, const FloatFormat& output) {
  const Dyadic threshold = overflow_threshold(output);
  if (abs(exact) + bound < threshold) return Overflow::impossible;
  return abs(exact) - bound > threshold ? Overflow::certain : Overflow::possible;
}

}  // namespace foldproof
