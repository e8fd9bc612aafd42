// Values that nobody determined: what a device puts in their place, and what it knows of their use.
//
//   Whether they matter shows by trying: the same job with other values in their place shows another result,
//   or it does not, and then they were discarded, however they went through the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sanitizer/finding.h"

namespace foldproof {

/// What memory and registers hold that nobody gave a value: words for the even and the odd multiples of 4
/// bytes. Of itself poison: a NaN as f32, and huge as an integer, so that using it shows.
struct UndefinedFill {
  static constexpr std::uint32_t poison = 0x7fedbead;

  std::array<std::uint32_t, 2> base{poison, poison};
  /// The bits in which places differ from each other, as if by chance, so that no two of them cancel.
  std::array<std::uint32_t, 2> varied{0, 0};
  std::uint32_t seed = 0;

  bool operator==(const UndefinedFill&) const = default;
  bool is_varied() const { return (varied[0] | varied[1]) != 0; }
  /// The word that the byte `at` belongs to. `memory` tells apart what has addresses of its own.
  std::uint32_t word(std::uint64_t memory, std::uint64_t at) const;
  std::byte byte(std::uint64_t at) const { return static_cast<std::byte>(word(0, at) >> 8 * (at % 4)); }
};

/// Fills the bytes from `at` on, a multiple of 4.
void fill_undefined(std::span<std::byte> bytes, const UndefinedFill& fill, std::uint64_t memory,
                    std::uint64_t at);

/// How a job's launches used what nobody determined.
struct UseOfUndefined {
  std::uint64_t choices = 0;  ///< a digest of the addresses, masks and numbers that it had a part in
  std::uint64_t memory = 0;   ///< a digest of all global memory that is determined
  struct Compared {
    std::uint64_t value = 0;
    unsigned bytes = 0;
    bool operator==(const Compared&) const = default;
  };
  std::vector<Compared> compared;  ///< what it was compared with, at most a few: worth trying in its place
};

/// Values to try that differ from place to place, of every sort that programs expect.
std::span<const UndefinedFill> random_fills();
/// The same value everywhere: zero, one, and what the program compares with, equal to it and next to it.
std::vector<UndefinedFill> fills_of(const std::vector<UseOfUndefined::Compared>& compared);

/// Bytes of a buffer: [first, end).
struct ByteRange {
  std::uint64_t first = 0, end = 0;
};

/// What a job's launches left without a value in a buffer.
struct UndefinedOutput {
  std::vector<Finding> findings;
  std::vector<ByteRange> idle;  ///< what says nothing: nobody wrote it, or it is padding
};

}  // namespace foldproof
