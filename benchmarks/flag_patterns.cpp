#include "benchmarks/pattern_events.h"
#include "benchmarks/synchronization_patterns.h"

namespace foldproof {
namespace {

using namespace pattern_events;

// --- Flags

void fence_and_flag(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        feed.line({block, 0}, plain_store, line_of(block));
        feed.warp_barrier({block, 0});
        feed.fence({block, 0});
        feed.one({block, 0}, atomic_add, flag(block));
        if (block % 2 == 0) return;
        feed.one({block, 0}, poll, flag(block - 1));
        feed.fence({block, 0});
        feed.warp_barrier({block, 0});
        feed.line({block, 0}, plain_load, line_of(block - 1));
      },
      nothing);
}

void pairs(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    const BlockNumber other = block ^ 1;
    feed.one({block, 0}, poll_acquire, flag(other));
    feed.one({block, 0}, plain_store, line_of(block / 2));
    feed.one({block, 0}, store_release, flag(block));
  });
}

void release_chain(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        if (block > 0) feed.one({block, 0}, poll_acquire, flag(block - 1));
        feed.one({block, 0}, plain_load, line_of(0));
        feed.one({block, 0}, plain_store, line_of(0));
        feed.one({block, 0}, store_release, flag(block));
      },
      nothing);
}

void lookback(EventFeed& feed) {
  blocks_in_turn(
      feed, 2,
      [&](BlockNumber block) {
        feed.line({block, 0}, plain_store, line_of(2 * block));
        feed.line({block, 1}, plain_store, line_of(2 * block + 1));
        feed.block_barrier(block, 2);
        feed.one({block, 0}, raise, flag(2 * block));
        feed.fence({block, 0});
        for (BlockNumber back = 1; back <= std::min<BlockNumber>(block, 4); ++back)
          feed.one({block, 0}, poll, flag(2 * (block - back) + 1));
        feed.fence({block, 0});
        feed.one({block, 0}, raise, flag(2 * block + 1));
        feed.block_barrier(block, 2);
      },
      nothing);
}

void flags_without_fence(EventFeed& feed) {
  for (BlockNumber block = 0; block < resident; ++block) feed.begin(block);
  for (std::uint64_t k = 0; !feed.full(); ++k) {
    const BlockNumber writer = 1 + k % (resident - 1);
    feed.fence({writer, 0});
    feed.one({writer, 0}, raise, flag(k));
    feed.one({0, 0}, poll, flag(k));
    feed.block_barrier(0, 2);
  }
}

void one_to_all(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        if (block == 0) {
          feed.one({block, 0}, plain_store, line_of(0));
          feed.one({block, 0}, store_release, flag(0));
        }
        feed.one({block, 0}, poll_acquire, flag(0));
        feed.one({block, 0}, plain_load, line_of(0));
      },
      nothing);
}

void one_to_all_rounds(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    if (block == 0) {
      feed.fence({0, 0});
      feed.one({0, 0}, raise, flag(0));
    } else {
      feed.one({block, 0}, poll, flag(0));
      feed.fence({block, 0});
    }
  });
}

void last_block(EventFeed& feed) {
  const BlockNumber blocks = feed.limit() / 6;
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        feed.one({block, 0}, plain_store, line_of(block));
        feed.fence({block, 0});
        feed.one({block, 0}, atomic_add, flag(0));
        if (block + 1 != blocks) return;
        feed.fence({block, 0});
        for (BlockNumber b = 0; b < blocks; ++b) feed.one({block, 0}, plain_load, line_of(b));
      },
      nothing);
}

void many_pollers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t k) {
    if (block == k % resident) feed.one({block, 0}, raise, flag(0));
    for (unsigned w = 0; w < 4; ++w) feed.one({block, w}, poll, flag(0));
  });
}

// --- Persistent kernels

void persistent(EventFeed& feed, LaneSet fencing, unsigned fencing_warps) {
  std::uint64_t tile = 0;
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    for (unsigned w = 0; w < fencing_warps; ++w) feed.fence({block, w}, SyncScope::gpu, fencing);
    feed.one({block, 0}, atomic_add, flag(0));
    feed.block_barrier(block, 4);
    for (unsigned w = 0; w < 4; ++w) feed.line({block, w}, plain_store, line_of(4 * tile + w));
    feed.block_barrier(block, 4);
    ++tile;
  });
}
void persistent_all_fence(EventFeed& feed) { persistent(feed, all_lanes, 4); }
void persistent_one_fences(EventFeed& feed) { persistent(feed, 1, 1); }

// --- Locks

void spin_lock(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.one({(block + 1) % resident, 0}, try_lock, flag(0));
    feed.one({block, 0}, try_lock, flag(0));
    feed.fence({block, 0});
    feed.one({block, 0}, plain_load, line_of(0));
    feed.one({block, 0}, plain_store, line_of(0));
    feed.fence({block, 0});
    feed.one({block, 0}, raise, flag(0));
  });
}

void lock_of_many_blocks(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        feed.one({block, 0}, try_acquire, flag(0));
        feed.one({block, 0}, plain_load, line_of(0));
        feed.one({block, 0}, plain_store, line_of(0));
        feed.one({block, 0}, store_release, flag(0));
      },
      nothing);
}

void ticket_lock(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.one({block, 0}, atomic_add, flag(0));
    feed.one({(block + 7) % resident, 0}, poll_acquire, flag(1));
    feed.one({block, 0}, poll_acquire, flag(1));
    feed.one({block, 0}, plain_load, line_of(0));
    feed.one({block, 0}, plain_store, line_of(0));
    feed.one({block, 0}, store_release, flag(1));
  });
}

// --- Barriers of the grid

void grid_barrier(EventFeed& feed, BlockNumber blocks) {
  for (BlockNumber block = 0; block < blocks; ++block) feed.begin(block);
  for (std::uint64_t k = 0; !feed.full(); ++k) {
    for (BlockNumber block = 0; block < blocks; ++block) {
      feed.line({block, 0}, plain_store, line_of(block));
      feed.block_barrier(block, 2);
      feed.fence({block, 0});
      feed.one({block, 0}, atomic_add, flag(0));
    }
    for (BlockNumber block = 0; block < blocks; ++block) {
      feed.one({block, 0}, poll, flag(0));
      feed.fence({block, 0});
      feed.block_barrier(block, 2);
      feed.line({block, 1}, other_load, line_of((block + 1) % blocks));
    }
    for (BlockNumber block = 0; block < blocks; ++block) {  // a second one, before the next round's stores
      feed.one({block, 0}, add_acq_rel, flag(1));
    }
    for (BlockNumber block = 0; block < blocks; ++block) {
      feed.one({block, 0}, poll_acquire, flag(1));
      feed.block_barrier(block, 2);
    }
  }
}
void grid_barriers(EventFeed& feed) { grid_barrier(feed, resident); }
void grid_barrier_of_many_blocks(EventFeed& feed) { grid_barrier(feed, feed.limit() / 40); }

constexpr SynchronizationPattern patterns_of_flags[] = {
    {"fence and atomic flag", 1, 1, fence_and_flag},
    {"pairs", 1, 1, pairs},
    {"release chain", 1, 1, release_chain},
    {"lookback scan", 2, 1, lookback},
    {"flags without fence", 2, 1, flags_without_fence},
    {"one to all", 1, 1, one_to_all},
    {"one to all, rounds", 1, 1, one_to_all_rounds},
    {"last block", 1, 1, last_block},
    {"many pollers", 4, 1, many_pollers},
    {"persistent, all fence", 4, 1, persistent_all_fence},
    {"persistent, one fences", 4, 1, persistent_one_fences},
    {"spin lock", 1, 1, spin_lock},
    {"lock of many blocks", 1, 1, lock_of_many_blocks},
    {"ticket lock", 1, 1, ticket_lock},
    {"grid barriers", 2, 1, grid_barriers},
    {"grid barrier, many blocks", 2, 1, grid_barrier_of_many_blocks},
};

}  // namespace

std::span<const SynchronizationPattern> flag_patterns() { return patterns_of_flags; }

}  // namespace foldproof
