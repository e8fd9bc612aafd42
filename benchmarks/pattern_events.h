// What synchronization patterns are made of: addresses, kinds of access, and orders of blocks.
#pragma once

#include <cstdint>

#include "benchmarks/event_feed.h"

namespace foldproof::pattern_events {

using How = EventFeed::How;
using What = EventFeed::What;

inline constexpr BlockNumber resident = 64;
inline constexpr std::uint64_t data = std::uint64_t{1} << global_window_bits, flags = 2 * data,
                               shared_place = 0;

inline std::uint64_t line_of(std::uint64_t index) { return data + 128 * index; }
inline std::uint64_t flag(std::uint64_t index) { return flags + 4 * index; }

inline constexpr How plain_load{.site = 1}, plain_store{.what = What::write, .site = 2};
inline constexpr How poll{.strong = true, .polled = true, .scope = SyncScope::sys, .site = 3};
inline constexpr How raise{.what = What::write, .strong = true, .scope = SyncScope::sys, .site = 4};
inline constexpr How poll_acquire{.strong = true, .acquires = true, .polled = true, .site = 5};
inline constexpr How store_release{.what = What::write, .strong = true, .releases = true, .site = 6};
inline constexpr How atomic_add{.what = What::update, .strong = true, .site = 7};
inline constexpr How add_acq_rel{
    .what = What::update, .strong = true, .acquires = true, .releases = true, .site = 8};
inline constexpr How try_lock{.what = What::update, .strong = true, .polled = true, .site = 9};
inline constexpr How try_acquire{
    .what = What::update, .strong = true, .acquires = true, .polled = true, .site = 10};
inline constexpr How volatile_load{.strong = true, .scope = SyncScope::sys, .site = 11};
inline constexpr How volatile_store{.what = What::write, .strong = true, .scope = SyncScope::sys, .site = 12};
inline constexpr How block_add{.what = What::update, .strong = true, .scope = SyncScope::cta, .site = 13};
inline constexpr How other_load{.site = 14}, other_store{.what = What::write, .site = 15};

/// Runs blocks one after another through a window of resident blocks: `start` when a block enters, `finish`
/// when it leaves.
template <class Start, class Finish>
void blocks_in_turn(EventFeed& feed, unsigned warps, const Start& start, const Finish& finish) {
  for (BlockNumber block = 0; !feed.full(); ++block) {
    if (block >= resident) {
      finish(block - resident);
      feed.end(block - resident, warps);
    }
    feed.begin(block);
    start(block);
  }
}

/// Runs rounds of 64 blocks, each block once per round.
template <class Round>
void rounds(EventFeed& feed, const Round& round) {
  for (BlockNumber block = 0; block < resident; ++block) feed.begin(block);
  for (std::uint64_t k = 0; !feed.full(); ++k)
    for (BlockNumber block = 0; block < resident; ++block) round(block, k);
}

inline constexpr auto nothing = [](BlockNumber) {};

}  // namespace foldproof::pattern_events
