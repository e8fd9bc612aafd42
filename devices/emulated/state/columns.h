// Access to columns of registers by lane.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "devices/emulated/isa/instruction.h"
#include "sanitizer/lane_set.h"

namespace foldproof::emulated {

/// Lanes whose 32-bit column equals another: other(lane) returns the columns of four lanes.
template <class Other>
isa::LaneMask equal_columns(const void* row, const Other& other) {
  constexpr unsigned columns = 4;  // of a vector
  const auto equal = [&](unsigned lane) {
    return _mm_cmpeq_epi32(_mm_loadu_si128(static_cast<const __m128i*>(row) + lane / columns), other(lane));
  };
  isa::LaneMask lanes = 0;
  for (unsigned lane = 0; lane < isa::warp_size; lane += 4 * columns) {
    const __m128i low = _mm_packs_epi32(equal(lane), equal(lane + columns));
    const __m128i high = _mm_packs_epi32(equal(lane + 2 * columns), equal(lane + 3 * columns));
    lanes |= static_cast<isa::LaneMask>(_mm_movemask_epi8(_mm_packs_epi16(low, high))) << lane;
  }
  return lanes;
}

/// Lanes in which two rows of 32-bit columns are equal.
inline isa::LaneMask equal_rows(const std::byte* a, const std::byte* b) {
  return equal_columns(
      a, [&](unsigned lane) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(b) + lane / 4); });
}

/// Lanes of `lanes` whose 32-bit column equals that of the first of them.
inline isa::LaneMask lanes_that_agree(const std::uint32_t* row, isa::LaneMask lanes) {
  const __m128i first = _mm_set1_epi32(static_cast<int>(row[first_lane(lanes)]));
  return lanes & equal_columns(row, [&](unsigned) { return first; });
}

/// Does nothing if the instruction has no such operand.
inline void set_predicate(std::byte* registers, std::uint32_t offset, unsigned lane, bool value) {
  if (offset == isa::no_operand) return;
  isa::LaneMask& mask = isa::mask(registers, offset);
  mask = value ? mask | bit(lane) : mask & ~bit(lane);
}

/// Up to eight bytes, little-endian.
inline std::uint64_t low_bytes(const std::byte* from, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, std::min(bytes, sizeof value));
  return value;
}

/// A lane's column; its low eight bytes if it is wider.
inline std::uint64_t column(const std::byte* registers, std::uint32_t offset, unsigned lane, unsigned bytes) {
  return low_bytes(registers + offset + lane * bytes, bytes);
}

inline void set_column(std::byte* registers, std::uint32_t offset, unsigned lane, unsigned bytes,
                       std::uint64_t value) {
  std::memcpy(registers + offset + lane * bytes, &value, bytes);
}

/// Marks a lane's column as undefined; `bytes` is 0 for a predicate, whose columns are bits.
inline void mark_undefined(std::byte* row, std::uint32_t bytes, unsigned lane) {
  if (bytes == 0)
    *reinterpret_cast<isa::LaneMask*>(row) |= bit(lane);
  else
    std::memset(row + lane * bytes, 0xff, bytes);
}

}  // namespace foldproof::emulated
