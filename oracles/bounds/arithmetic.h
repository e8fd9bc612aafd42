// What the bounds compute with.
#pragma once

#include <cstdint>

#include "oracles/dyadic.h"

namespace foldproof {

inline Dyadic unit_roundoff(int precision) { return Dyadic::power_of_two(-precision); }
inline Dyadic smallest_subnormal(const FloatFormat& format) {
  return Dyadic::power_of_two(format.lowest_exponent);
}
inline Dyadic smallest_normal(const FloatFormat& format) {
  return Dyadic::power_of_two(format.normal_exponent());
}
inline Dyadic half(const Dyadic& x) { return x * Dyadic::power_of_two(-1); }
inline Dyadic whole(std::uint64_t count) { return {Dyadic::Integer(count), 0}; }
inline Dyadic operator*(std::uint64_t count, const Dyadic& x) { return whole(count) * x; }
inline const Dyadic& larger(const Dyadic& a, const Dyadic& b) { return a < b ? b : a; }

}  // namespace foldproof
