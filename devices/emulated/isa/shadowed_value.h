// Partially undefined values, and the operations on them.
//
// A function here marks a bit of its result as undefined if undefined bits of the operands can change it;
// functions that may mark further bits say so. Operands are assumed to be independent of each other.
#pragma once

#include <cstdint>

#include "devices/emulated/isa/lanes.h"
#include "oracles/formats.h"

namespace foldproof::isa {

struct ShadowedValue {
  std::uint64_t value = 0;      ///< undefined bits are arbitrary
  std::uint64_t undefined = 0;  ///< a 1 for each undefined bit

  /// The smallest and the largest unsigned number that it can be.
  std::uint64_t least() const { return value & ~undefined; }
  std::uint64_t most() const { return value | undefined; }
};

namespace shadowed {

inline ShadowedValue cut(ShadowedValue x, unsigned bits) {
  return {x.value & low_bits(bits), x.undefined & low_bits(bits)};
}
inline ShadowedValue shifted_right(ShadowedValue x, unsigned amount) {
  return {x.value >> amount, x.undefined >> amount};
}
/// The low bits, extended to 64: by the sign, whose copies are undefined if it is, or by zeros.
inline ShadowedValue extended(ShadowedValue x, unsigned bits, bool by_sign) {
  const ShadowedValue low = cut(x, bits);
  const std::uint64_t sign = by_sign ? std::uint64_t{1} << (bits - 1) : 0;
  return {(low.value ^ sign) - sign, (low.undefined ^ sign) - sign};
}

/// Bitwise lookup in the table `lut`, indexed by the bits of a, b and c (a is the most significant), as in
/// lop3.
inline ShadowedValue look_up(std::uint32_t lut, ShadowedValue a, ShadowedValue b, ShadowedValue c = {}) {
  std::uint64_t can_be[2] = {0, 0};
  for (unsigned entry = 0; entry < 8; ++entry) {
    const auto may_name = [entry](ShadowedValue x, unsigned bit) {
      return ((entry & bit) != 0 ? x.value : ~x.value) | x.undefined;
    };
    can_be[lut >> entry & 1] |= may_name(a, 4) & may_name(b, 2) & may_name(c, 1);
  }
  return {can_be[1], can_be[0] & can_be[1]};
}
inline constexpr std::uint32_t lut_and = 0xC0, lut_or = 0xFC, lut_xor = 0x3C, lut_not_a = 0x0F;

inline ShadowedValue not_(ShadowedValue a) { return {~a.value, a.undefined}; }

/// a + b + carry (mod 2^64). Carries are smallest if all undefined bits are 0, and largest if all are 1; a
/// carry that is equal in both cases is defined.
inline ShadowedValue add(ShadowedValue a, ShadowedValue b, ShadowedValue carry = {}) {
  const std::uint64_t least = a.least() + b.least() + carry.least();
  const std::uint64_t most = a.most() + b.most() + carry.most();
  return {least, a.undefined | b.undefined | (least ^ most)};
}
inline ShadowedValue sub(ShadowedValue a, ShadowedValue b) { return add(a, not_(b), {1, 0}); }

/// Whether the carry out of the same sum of `bits`-bit values is undefined.
inline bool carry_is_undefined(ShadowedValue a, ShadowedValue b, ShadowedValue carry, unsigned bits) {
  const u128 least = u128{a.least()} + b.least() + carry.least();
  const u128 most = u128{a.most()} + b.most() + carry.most();
  return least >> bits != most >> bits;
}

/// a * b (mod 2^64) as a sum of b shifted by the positions of the ones in a; contributions of undefined bits
/// are summed separately. Such sums are not independent, so too many bits may be marked as undefined.
inline ShadowedValue mul(ShadowedValue a, ShadowedValue b) {
  const ShadowedValue least{a.least() * b.least(), 0};
  ShadowedValue rest;
  for (; a.most() != 0; a = shifted_right(a, 1), b = {b.value << 1, b.undefined << 1}) {
    if ((a.undefined & 1) != 0)
      rest = add(rest, {0, b.most()});
    else if ((a.value & 1) != 0)
      rest = add(rest, {0, b.undefined});
  }
  return add(least, rest);
}

/// a == b: defined if a defined bit differs.
inline ShadowedValue equal(ShadowedValue a, ShadowedValue b) {
  const std::uint64_t undefined = a.undefined | b.undefined, differences = a.value ^ b.value;
  const bool differ = (differences & ~undefined) != 0;
  return {!differ, !differ && undefined != 0};
}
/// a < b, unsigned: defined if comparing a's largest with b's smallest value and a's smallest with b's
/// largest agree.
inline ShadowedValue less(ShadowedValue a, ShadowedValue b) {
  const bool always = a.most() < b.least(), sometimes = a.least() < b.most();
  return {sometimes, always != sometimes};
}
/// a != 0
inline ShadowedValue nonzero(ShadowedValue a) { return cut(not_(equal(a, {})), 1); }

}  // namespace shadowed
}  // namespace foldproof::isa
