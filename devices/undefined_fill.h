// Undefined values: what a device puts in their place, and what it records about their use.
//
//   Whether they matter is determined by trying: the same job with other values in their place either gives a
//   different result, or it does not; then they were discarded, whatever path they took through the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sanitizer/finding.h"

namespace foldproof {

/// The contents of undefined memory and registers: words for the even and the odd multiples of 4 bytes. The
/// default is poison: a NaN as f32, and large as an integer, so that its use is noticeable.
struct UndefinedFill {
  static constexpr std::uint32_t poison = 0x7fedbead;

  std::array<std::uint32_t, 2> base{poison, poison};
  /// The bits in which places differ pseudo-randomly, so that no two of them cancel.
  std::array<std::uint32_t, 2> varied{0, 0};
  std::uint32_t seed = 0;

  bool operator==(const UndefinedFill&) const = default;
  bool is_varied() const { return (varied[0] | varied[1]) != 0; }
  /// The word that contains the byte `at`. `memory` distinguishes memories with separate addresses.
  std::uint32_t word(std::uint64_t memory, std::uint64_t at) const;
  std::byte byte(std::uint64_t at) const { return static_cast<std::byte>(word(0, at) >> 8 * (at % 4)); }
};

/// Fills the bytes starting at `at`, a multiple of 4.
void fill_undefined(std::span<std::byte> bytes, const UndefinedFill& fill, std::uint64_t memory,
                    std::uint64_t at);

/// How a job's launches used undefined values.
struct UseOfUndefined {
  std::uint64_t choices = 0;  ///< a digest of the addresses, masks and numbers that depend on them
  std::uint64_t memory = 0;   ///< a digest of all defined bytes of global memory
  struct Compared {
    std::uint64_t value = 0;
    unsigned bytes = 0;
    bool operator==(const Compared&) const = default;
  };
  std::vector<Compared> compared;  ///< compared with them, at most a few: candidates to try in their place
};

/// Fills to try that vary from place to place, of every kind of value that programs expect.
std::span<const UndefinedFill> random_fills();
/// Fills with one value everywhere: zero, one, and values equal and adjacent to those that the program
/// compares with.
std::vector<UndefinedFill> fills_of(const std::vector<UseOfUndefined::Compared>& compared);

/// Bytes of a buffer: [first, end).
struct ByteRange {
  std::uint64_t first = 0, end = 0;
};

/// The undefined bytes that a job's launches left in a buffer.
struct UndefinedOutput {
  std::vector<Finding> findings;
  std::vector<ByteRange> idle;  ///< bytes that carry no information: never written, or padding
};

}  // namespace foldproof
