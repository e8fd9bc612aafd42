// How an exact value becomes one of a format.
#pragma once

#include <compare>
#include <cstdint>

namespace foldproof {

enum class RoundingMode : std::uint8_t { nearest_even, toward_zero, up, down };

/// What becomes of values beyond the largest finite one: as IEEE 754 has it (an infinity, or NaN in a format
/// without one; a directed mode that points back to zero still gives the largest), or the largest finite
/// value of that sign, for infinities too. CUDA calls these __NV_NOSAT and __NV_SATFINITE.
enum class Saturation : std::uint8_t { none, to_largest };

/// Whether a directed mode takes a value of this sign to a magnitude no smaller than its own.
inline bool rounds_away(RoundingMode mode, bool negative) {
  return mode == (negative ? RoundingMode::down : RoundingMode::up);
}

/// Whether a value between two neighbours goes to the one of greater magnitude. `odd`: the last bit of the
/// lesser one; `rest`: what lies above that one, against half the distance. Not for a rest of zero.
inline bool rounds_up_magnitude(RoundingMode mode, bool negative, bool odd, std::strong_ordering rest) {
  if (mode != RoundingMode::nearest_even) return rounds_away(mode, negative);
  return rest > 0 || (rest == 0 && odd);
}

}  // namespace foldproof
