// The generic address space: the window of each state space.
//
//   0                global          generic addresses equal global addresses
//   1 << 36          shared          of the executing block; with a rank, of a block of its cluster:
//                                    offset | (rank + 1) << 24
//   2 << 36          local           of the executing thread
//   3 << 36          constant
//   4 << 36          kernel parameters
#pragma once

#include <cstdint>

namespace foldproof::isa {

inline constexpr unsigned window_bits = 36;
inline constexpr std::uint64_t window_size = 1ull << window_bits;
inline constexpr std::uint64_t shared_window = 1ull << window_bits;
inline constexpr std::uint64_t local_window = 2ull << window_bits;
inline constexpr std::uint64_t constant_window = 3ull << window_bits;
inline constexpr std::uint64_t param_window = 4ull << window_bits;

/// Inside the shared window: 24 bits of offset, then the rank of the block in its cluster plus one. A zero
/// rank field means the executing block.
inline constexpr unsigned shared_rank_shift = 24;
inline constexpr std::uint64_t shared_offset_mask = (1ull << shared_rank_shift) - 1;

}  // namespace foldproof::isa
