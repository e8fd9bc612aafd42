// Comparisons as PTX defines them. ISA 9.7.6.
//
// Ordered comparisons of floats are false if an operand is NaN; the unordered ones (equ … geu) are true then.
#pragma once

#include <type_traits>

#include "devices/emulated/isa/form.h"

namespace foldproof::isa {

/// The comparisons that are computed: eq, ne, lt, le, num.
template <Compare basic, class T>
bool compares(T a, T b) {
  switch (basic) {
    case Compare::eq: return a == b;
    case Compare::ne: return (a < b) || (a > b);
    case Compare::lt: return a < b;
    case Compare::le: return a <= b;
    default: return a == a && b == b;
  }
}

/// A comparison expressed by a basic one: of the operands as they are or exchanged, as it is or negated.
/// lo, ls, hi and hs are lt, le, gt and ge of unsigned values.
struct ByBasic {
  Compare basic = Compare::none;
  bool exchanged = false, negated = false;
};
constexpr ByBasic by_basic(Compare compare) {
  using enum Compare;
  switch (compare) {
    case eq: return {eq};
    case ne: return {ne};
    case lt:
    case lo: return {lt};
    case le:
    case ls: return {le};
    case gt:
    case hi: return {lt, true};
    case ge:
    case hs: return {le, true};
    case equ: return {ne, false, true};
    case neu: return {eq, false, true};
    case ltu: return {le, true, true};
    case leu: return {lt, true, true};
    case gtu: return {le, false, true};
    case geu: return {lt, false, true};
    case num: return {num};
    case nan: return {num, false, true};
    case none: return {};
  }
  return {};
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
