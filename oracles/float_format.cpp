#include "oracles/float_format.h"

namespace foldproof {
namespace {

constexpr FloatFormat formats[] = {
    // p, lowest, highest, largest significand, infinity, NaN
    {53, -1074, 971, (std::uint64_t{1} << 53) - 1, true, true},  // f64
    {24, -149, 104, (1u << 24) - 1, true, true},                 // f32
    {11, -24, 5, (1u << 11) - 1, true, true},                    // f16
    {8, -133, 120, (1u << 8) - 1, true, true},                   // bf16
    {4, -9, 5, 14, false, true},                                 // e4m3
    {3, -16, 13, 7, true, true},                                 // e5m2
    {2, -1, 1, 3, false, false},                                 // e2m1
};

}  // namespace

const FloatFormat& float_format(Element element) { return formats[static_cast<std::size_t>(element)]; }

bool includes(Element outer, Element inner) {
  const FloatFormat& o = float_format(outer);
  const FloatFormat& i = float_format(inner);
  return o.precision >= i.precision && o.lowest_exponent <= i.lowest_exponent &&
         o.highest_exponent + o.precision >= i.highest_exponent + i.precision &&
         (o.has_infinity || !i.has_infinity) && (o.has_nan || !i.has_nan);
}

}  // namespace foldproof
