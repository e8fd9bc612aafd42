// Columns of registers, a lane at a time.
#pragma once

#include <emmintrin.h>

#include <cstdint>
#include <cstring>

#include "devices/emulated/isa/instruction.h"
#include "sanitizer/lane_set.h"

namespace foldproof::machine {

/// Lanes of `lanes` whose 32-bit column equals that of the first.
inline isa::LaneMask lanes_that_agree(const std::uint32_t* row, isa::LaneMask lanes) {
  const std::uint32_t value = row[first_lane(lanes)];
  const __m128i all = _mm_set1_epi32(static_cast<int>(value));
  __m128i differences = _mm_setzero_si128();
#pragma GCC unroll 8
  for (unsigned lane = 0; lane < isa::warp_size; lane += 4)
    differences = _mm_or_si128(
        differences, _mm_xor_si128(all, _mm_load_si128(reinterpret_cast<const __m128i*>(row + lane))));
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(differences, _mm_setzero_si128())) == 0xffff) return lanes;
  isa::LaneMask same = 0;
  for_lanes(lanes, [&](unsigned lane) {
    if (row[lane] == value) same |= bit(lane);
  });
  return same;
}

/// Nothing where the instruction has no such operand.
inline void set_predicate(std::byte* registers, std::uint32_t offset, unsigned lane, bool value) {
  if (offset == isa::no_operand) return;
  isa::LaneMask& mask = isa::mask(registers, offset);
  mask = value ? mask | bit(lane) : mask & ~bit(lane);
}

inline std::uint64_t column(const std::byte* registers, std::uint32_t offset, unsigned lane, unsigned bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, registers + offset + lane * bytes, bytes);
  return value;
}

inline void set_column(std::byte* registers, std::uint32_t offset, unsigned lane, unsigned bytes,
                       std::uint64_t value) {
  std::memcpy(registers + offset + lane * bytes, &value, bytes);
}

}  // namespace foldproof::machine
