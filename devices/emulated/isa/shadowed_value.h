// Values some of whose bits are undefined, and what instructions make of them.
//
// A function here calls a bit of its result undefined if undefined bits of the operands can change it;
// functions that may call other bits undefined as well say so. Operands count as independent of each other.
#pragma once

#include <cstdint>

#include "devices/emulated/isa/lanes.h"

namespace foldproof::isa {

inline std::uint64_t low_ones(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

struct ShadowedValue {
  std::uint64_t value = 0;      ///< where bits are undefined, whatever is there
  std::uint64_t undefined = 0;  ///< a 1 for each undefined bit

  /// The least and the greatest unsigned number that it can be.
  std::uint64_t least() const { return value & ~undefined; }
  std::uint64_t most() const { return value | undefined; }
};

namespace shadowed {

inline ShadowedValue cut(ShadowedValue x, unsigned bits) {
  return {x.value & low_ones(bits), x.undefined & low_ones(bits)};
}
inline ShadowedValue shifted_right(ShadowedValue x, unsigned amount) {
  return {x.value >> amount, x.undefined >> amount};
}
/// The low bits, extended to 64: by the sign, which may be undefined and makes its copies so, or by zeros.
inline ShadowedValue extended(ShadowedValue x, unsigned bits, bool by_sign) {
  const ShadowedValue low = cut(x, bits);
  const std::uint64_t sign = by_sign ? std::uint64_t{1} << (bits - 1) : 0;
  return {(low.value ^ sign) - sign, (low.undefined ^ sign) - sign};
}

/// Bit by bit the entry of the table `lut` that the bits of a, b and c name (a is the high one), as in lop3.
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

/// a + b + carry (mod 2^64). Carries are the least where all undefined bits are 0, and the greatest where all
/// are 1; a carry that is the same in both is defined.
inline ShadowedValue add(ShadowedValue a, ShadowedValue b, ShadowedValue carry = {}) {
  const std::uint64_t least = a.least() + b.least() + carry.least();
  const std::uint64_t most = a.most() + b.most() + carry.most();
  return {least, a.undefined | b.undefined | (least ^ most)};
}
inline ShadowedValue sub(ShadowedValue a, ShadowedValue b) { return add(a, not_(b), {1, 0}); }

/// The carry out of the same sum of values of `bits` bits.
inline bool carry_is_undefined(ShadowedValue a, ShadowedValue b, ShadowedValue carry, unsigned bits) {
  const u128 least = u128{a.least()} + b.least() + carry.least();
  const u128 most = u128{a.most()} + b.most() + carry.most();
  return least >> bits != most >> bits;
}

/// a * b (mod 2^64) as the sum of b shifted by the places of a's ones, with what undefined bits add or leave
/// out summed apart. Such sums are not independent, so that it may call too many bits undefined.
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

/// a == b: defined where a defined bit differs.
inline ShadowedValue equal(ShadowedValue a, ShadowedValue b) {
  const std::uint64_t undefined = a.undefined | b.undefined, differences = a.value ^ b.value;
  const bool differ = (differences & ~undefined) != 0;
  return {!differ, !differ && undefined != 0};
}
/// a < b, unsigned: defined where a's greatest and b's least agree with a's least and b's greatest.
inline ShadowedValue less(ShadowedValue a, ShadowedValue b) {
  const bool always = a.most() < b.least(), sometimes = a.least() < b.most();
  return {sometimes, always != sometimes};
}
/// a != 0
inline ShadowedValue nonzero(ShadowedValue a) { return cut(not_(equal(a, {})), 1); }

}  // namespace shadowed
}  // namespace foldproof::isa
