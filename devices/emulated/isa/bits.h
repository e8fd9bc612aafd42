// Logic, shifts, fields and permutations of bits as PTX defines them. ISA 9.7.1.15–9.7.1.24, 9.7.8, 9.7.9.7.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "devices/emulated/isa/integer.h"

namespace foldproof::isa::bits {

using integer::width;

template <class T>
T and_(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
T or_(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
T xor_(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
T not_(T a) {
  return static_cast<T>(~a);
}
/// C's !a.
template <class T>
T cnot(T a) {
  return a == 0;
}
template <class T>
T copy(T a) {
  return a;
}

/// Shift amounts of at least the width give 0.
template <class T>
T shl(T a, std::uint32_t n) {
  return n < width<T> ? static_cast<T>(integer::Unsigned<T>(a) << n) : T{0};
}
/// Right shift; signed values shift in copies of the sign bit.
template <class T>
T shr(T a, std::uint32_t n) {
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> std::min(n, width<T> - 1));
  return n < width<T> ? static_cast<T>(a >> n) : T{0};
}

/// The amount of a funnel shift: modulo 32 (.wrap) or at most 32 (.clamp).
template <bool wrap>
std::uint32_t funnel_amount(std::uint32_t c) {
  return wrap ? c & 31 : std::min(c, 32u);
}
/// b:a shifted left, upper half; b:a shifted right, lower half.
template <bool wrap>
std::uint32_t shf_l(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) << funnel_amount<wrap>(c) >> 32);
}
template <bool wrap>
std::uint32_t shf_r(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return static_cast<std::uint32_t>((std::uint64_t{b} << 32 | a) >> funnel_amount<wrap>(c));
}

/// SWAR population count: vectorizes without a table or a dedicated instruction.
template <class T>
std::uint32_t popc(T a) {
  constexpr T every = static_cast<T>(~T{0});
  a -= a >> 1 & every / 3;
  a = (a & every / 5) + (a >> 2 & every / 5);
  a = (a + (a >> 4)) & every / 17;
  for (unsigned shift = 8; shift < width<T>; shift *= 2) a += a >> shift;
  return static_cast<std::uint32_t>(a & 0x7F);
}
template <class T>
std::uint32_t clz(T a) {
  return static_cast<std::uint32_t>(std::countl_zero(a));
}
template <class T>
T brev(T a) {
  T result = 0;
  for (unsigned i = 0; i < width<T>; ++i) result = static_cast<T>(result << 1 | (a >> i & 1));
  return result;
}

/// The position of the most significant bit that is not a sign bit, or (.shiftamt) the left shift that moves
/// it to the top; all ones if there is none.
template <class T, bool shift_amount>
std::uint32_t bfind(T a) {
  const auto magnitude = static_cast<std::make_unsigned_t<T>>(a < 0 ? ~a : a);
  if (magnitude == 0) return ~0u;
  const auto leading = static_cast<std::uint32_t>(std::countl_zero(magnitude));
  return shift_amount ? leading : width<T> - 1 - leading;
}

/// The n-th set bit of `mask`, counted from bit `base` upwards (n > 0) or downwards (n < 0); all ones if
/// there is none. n = 0 tests whether bit `base` is set.
inline std::uint32_t fns(std::uint32_t mask, std::uint32_t base, std::int32_t n) {
  const int step = n < 0 ? -1 : 1;
  std::int64_t left = n == 0 ? 1 : std::abs(std::int64_t{n});
  const std::int64_t end = n == 0 ? std::int64_t{base} + 1 : n > 0 ? 32 : -1;
  if (base > 31) return ~0u;
  for (std::int64_t position = base; position != end; position += step)
    if ((mask >> position & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(position);
  return ~0u;
}

/// Extracts the field at position `b` of length `c`, both modulo 256. Positions beyond the top read as the
/// sign of the field, which is its top bit for s32 and s64 and zero for unsigned types.
template <class T>
T bfe(T a, std::uint32_t b, std::uint32_t c) {
  using U = std::make_unsigned_t<T>;
  constexpr unsigned top = width<T> - 1;
  const unsigned position = b & 0xFF, length = c & 0xFF;
  const unsigned sign_position = length == 0 ? 0 : std::min(position + length - 1, top);
  const bool sign = std::is_signed_v<T> && length != 0 && (static_cast<U>(a) >> sign_position & 1) != 0;
  const U field = position <= top ? static_cast<U>(static_cast<U>(a) >> position) : U{0};
  const unsigned kept = position > top ? 0 : std::min(length, top + 1 - position);
  const U mask = kept > top ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << kept) - 1);
  return static_cast<T>((field & mask) | (sign ? ~mask : U{0}));
}

/// b with the field at position `c` of length `d` replaced by the low bits of a; c and d are modulo 256, and
/// bits beyond the top are dropped.
template <class T>
T bfi(T a, T b, std::uint32_t c, std::uint32_t d) {
  constexpr unsigned top = width<T> - 1;
  const unsigned position = c & 0xFF, length = d & 0xFF;
  if (position > top || length == 0) return b;
  const T ones = length > top ? ~T{0} : (T{1} << length) - 1;
  const T mask = ones << position;
  return (b & ~mask) | (a << position & mask);
}

/// Extends a value of N bits to 32 bits; N above 31 keeps all bits (.clamp) or is taken modulo 32 (.wrap).
template <class T, bool wrap>
T szext(T a, std::uint32_t n) {
  if (!wrap && n >= 32) return a;
  const unsigned length = n & 31;
  if (length == 0) return 0;
  return static_cast<T>(static_cast<T>(static_cast<std::uint32_t>(a) << (32 - length)) >> (32 - length));
}

/// A mask of `ones` one bits starting at bit `start`; bits beyond 31 are dropped.
template <bool wrap>
std::uint32_t bmsk(std::uint32_t start, std::uint32_t ones) {
  if (!wrap && start >= 32) return 0;
  const unsigned first = start & 31, count = !wrap && ones >= 32 ? 32 : ones & 31;
  return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
}

/// Bitwise lookup in the table `lut`, indexed by the bits of a, b and c (a is the most significant).
inline std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t lut) {
  std::uint32_t result = 0;
  for (unsigned entry = 0; entry < 8; ++entry) {
    const std::uint32_t selected = (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
    result |= lut >> entry & 1 ? selected : 0;
  }
  return result;
}

/// How prmt derives four byte selectors from its control operand.
enum class Permute : std::uint8_t { generic, f4e, b4e, rc8, ecl, ecr, rc16 };

/// The selector of byte `i`: the low three bits select a byte of b:a, bit 3 replicates its sign bit instead.
template <Permute mode>
std::uint32_t selector(std::uint32_t control, unsigned i) {
  const unsigned c = control & 3;
  switch (mode) {
    case Permute::generic: return control >> (4 * i) & 0xF;
    case Permute::f4e: return (c + i) & 7;
    case Permute::b4e: return (c - i) & 7;
    case Permute::rc8: return c;
    case Permute::ecl: return std::max(i, c);
    case Permute::ecr: return std::min(i, c);
    case Permute::rc16: return (c & 1) * 2 + (i & 1);
  }
  return 0;
}
template <Permute mode>
std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t control) {
  const std::uint64_t source = std::uint64_t{b} << 32 | a;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t select = selector<mode>(control, i);
    const auto byte = static_cast<std::uint8_t>(source >> (8 * (select & 7)));
    const bool as_sign = (select & 8) != 0;
    const std::uint32_t value = as_sign ? (byte & 0x80 ? 0xFFu : 0u) : byte;
    result |= value << (8 * i);
  }
  return result;
}

}  // namespace foldproof::isa::bits
