// Comparisons as PTX defines them. ISA 9.7.6.
//
// Ordered comparisons of floats are false if an operand is NaN; the unordered ones (equ … geu) are true then.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "devices/emulated/isa/form.h"

namespace foldproof::isa {

/// lo, ls, hi and hs are lt, le, gt and ge of unsigned values.
template <Compare compare, class T>
bool compares(T a, T b) {
  using enum Compare;
  const bool unordered = a != a || b != b;
  switch (compare) {
    case eq: return a == b;
    case ne: return (a < b) || (a > b);
    case lt:
    case lo: return a < b;
    case le:
    case ls: return a <= b;
    case gt:
    case hi: return a > b;
    case ge:
    case hs: return a >= b;
    case equ: return !(a < b || a > b);
    case neu: return !(a == b);
    case ltu: return !(a >= b);
    case leu: return !(a > b);
    case gtu: return !(a <= b);
    case geu: return !(a < b);
    case num: return !unordered;
    case nan: return unordered;
    case none: return false;
  }
  return false;
}

/// Whether a type has a comparison: untyped bits only eq and ne, integers the ordered ones, floats all but
/// lo, ls, hi and hs.
template <class T, bool bits_only>
constexpr bool comparable(Compare compare) {
  if (compare == Compare::eq || compare == Compare::ne) return true;
  if (bits_only || compare == Compare::none) return false;
  if (compare <= Compare::ge) return true;
  if (compare <= Compare::hs) return std::is_unsigned_v<T>;
  return !std::is_integral_v<T>;
}

}  // namespace foldproof::isa
