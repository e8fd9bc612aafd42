// Values that nobody determined: what a device puts in their place, and what it knows of their use.
//
//   Whether they matter shows by trying: the same job with other values in their place shows another result,
//   or it does not, and then they were discarded, however they went through the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sanitizer/finding.h"

namespace foldproof {

/// What memory and registers hold that nobody gave a value: words for the even and the odd multiples of 4 bytes. Of itself poison: a NaN as f32, and huge
/// as an integer, so that using it shows.
struct Filling {
  static constexpr std::uint32_t poison = 0x7fedbead;

  std::uint32_t even = poison, odd = poison;
  /// The low bits of each half differ from place to place, so that no two cancel. Huge values stay huge in
  /// every format.
  bool varied = false;

  std::uint32_t word(std::uint64_t place) const {
    constexpr std::uint32_t both_halves = 0x00010001, low_bits = 0xff;
    const std::uint32_t base = place % 2 == 0 ? even : odd;
    return varied ? base ^ both_halves * (static_cast<std::uint32_t>(place * 37) & low_bits) : base;
  }
  /// That at so many bytes from the word number 0.
  std::byte byte(std::uint64_t at) const { return static_cast<std::byte>(word(at / 4) >> 8 * (at % 4)); }
};

/// Fills the bytes, of which the first is that of the word number `place`.
void fill_undefined(std::span<std::byte> bytes, const Filling& filling, std::uint64_t place = 0);

/// How a job's launches used what nobody determined.
struct UseOfUndefined {
  std::uint64_t choices = 0;             ///< a digest of the addresses, masks and numbers that it decided
  std::vector<std::uint64_t> constants;  ///< that it was compared with: values worth trying in its place
};

/// What a job's launches left without a value in a buffer.
struct UndefinedOutput {
  std::vector<Finding> findings;
  std::vector<std::uint64_t> idle;  ///< bytes that say nothing: nobody wrote them, or they are padding
};

}  // namespace foldproof
