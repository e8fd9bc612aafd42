// Round-robin choices that depend only on the index of a case and the seed: its class of counts, and the
// value of each variable with few values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "properties/generator.h"

namespace foldproof {

/// Every value of a variable with at most this many values, such as k for a block of 2^k, gets a turn.
inline constexpr std::int64_t few_values = 8;
inline constexpr std::size_t count_classes = static_cast<std::size_t>(CountClass::large) + 1;

/// A permutation of 0 … size-1 that depends only on the seed.
std::vector<std::size_t> permutation(std::size_t size, std::uint64_t seed);

/// Element `index` of an endless sequence of permutations: every class gets a turn, in changing order.
std::size_t in_turn(std::uint64_t index, std::size_t classes, std::uint64_t seed);

/// Which counts a case is drawn from.
struct Turn {
  /// The block of a corner: any, the largest, or the smallest, with which there are most blocks.
  enum class Block : std::uint8_t { drawn, largest, smallest };

  CountClass counts;
  std::int64_t nudge;  ///< -1, 0 or 1
  Block block;
};
Turn turn_of(std::uint64_t index, std::uint64_t seed);

/// Number of cases before this one whose class has elements.
std::uint64_t rank_of(std::uint64_t index, std::uint64_t seed);
/// The case with elements that is preceded by `rank` others.
std::uint64_t index_of_rank(std::uint64_t rank, std::uint64_t seed);

/// The turns of the variables with few values. In a round of as many cases as a variable has values, each
/// value has one. A case without elements takes no turn, since it shows nothing; neither does a corner with
/// the largest or the smallest block, which has its own values.
class ValueTurns {
 public:
  ValueTurns(std::uint64_t index, std::uint64_t seed);

  /// Which of the values of the variable `name` the case has.
  std::size_t value(const std::string& name, std::size_t values) const;

  /// The same, such that also each value has one of as many successive cases with medium counts or counts
  /// near a power of two. Otherwise all such cases of a value, such as the largest block, may be too small to
  /// fill a block, so that a kernel that loses elements of a whole block loses none.
  std::size_t value_with_blocks(const std::string& name, std::size_t values) const;
  /// Whether the count must fill a block: in every other round of the cases with such counts.
  bool fills_block(std::size_t values) const;

 private:
  std::uint64_t index_, seed_;
  std::uint64_t before_;  ///< number of cases before this one that took a turn
};

}  // namespace foldproof
