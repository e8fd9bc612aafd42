#include "benchmarks/pattern_events.h"
#include "benchmarks/synchronization_patterns.h"

namespace foldproof {
namespace {

using namespace pattern_events;

// --- No order is needed

void disjoint_lines(EventFeed& feed) {
  blocks_in_turn(
      feed, 4,
      [&](BlockNumber block) {
        for (unsigned w = 0; w < 4; ++w) {
          feed.line({block, w}, plain_load, line_of(4 * block + w));
          feed.line({block, w}, plain_store, line_of(4 * block + w));
        }
      },
      nothing);
}

void shared_atomics(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    for (unsigned w = 0; w < 4; ++w) feed.same({block, w}, block_add, shared_place, true);
  });
}

void counter_of_all(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        feed.one({block, 0}, atomic_add, flag(0));
      },
      nothing);
}

void histogram(EventFeed& feed) {
  std::uint64_t bin = 0;
  blocks_in_turn(
      feed, 4,
      [&](BlockNumber block) {
        for (unsigned w = 0; w < 4; ++w) feed.one({block, w}, atomic_add, flag((bin += 37) % 256));
      },
      nothing);
}

// --- Barriers

void block_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    for (unsigned w = 0; w < 4; ++w) feed.line({block, w}, plain_store, 128 * w, true);
    feed.block_barrier(block, 4);
    for (unsigned w = 0; w < 4; ++w) feed.line({block, w}, plain_load, 128 * ((w + 1) % 4), true);
    feed.block_barrier(block, 4);
  });
}

void warp_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.line({block, 0}, plain_store, shared_place, true);
    feed.warp_barrier({block, 0});
    feed.same({block, 0}, plain_load, shared_place, true);
    feed.warp_barrier({block, 0});
  });
}

void half_warp_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.line({block, 0}, plain_store, shared_place, true);
    feed.warp_barrier({block, 0}, 0xffff);
    feed.warp_barrier({block, 0}, 0xffff0000);
    feed.warp_barrier({block, 0}, 0x00ffff00);
  });
}

void named_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    for (unsigned pair = 0; pair < 2; ++pair) {
      for (unsigned w = 2 * pair; w < 2 * pair + 2; ++w) {
        feed.line({block, w}, plain_store, 128 * w, true);
        feed.arrive({block, w}, 1 + pair, 64, true);
      }
      feed.complete(block, 1 + pair);
    }
  });
}

void split_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.line({block, 0}, plain_store, shared_place, true);
    feed.arrive({block, 0}, 1, 64, false);
    feed.arrive({block, 1}, 1, 64, true);
    feed.complete(block, 1);
    feed.line({block, 1}, plain_load, shared_place, true);
    feed.arrive({block, 1}, 2, 64, false);
    feed.arrive({block, 0}, 2, 64, true);
    feed.complete(block, 2);
  });
}

void cluster_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.line({block, 0}, plain_store, line_of(block));
    if (block % 2 == 0) return;
    feed.cluster_barrier(block - 1, 2);
    feed.line({block, 0}, plain_load, line_of(block - 1));
    feed.line({block - 1, 0}, plain_load, line_of(block));
    feed.cluster_barrier(block - 1, 2);
  });
}

// --- Scopes

void block_fences(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.fence({block, 0}, SyncScope::cta);
    feed.one({block, 0}, atomic_add, flag(0));
    feed.one({block, 1}, atomic_add, flag(0));
    feed.fence({block, 1}, SyncScope::cta);
  });
}

void mixed_fences(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t k) {
    const auto scope = k % 3 == 0 ? SyncScope::gpu : k % 3 == 1 ? SyncScope::cta : SyncScope::cluster;
    feed.fence({block, 0}, scope);
    feed.one({block, 0}, atomic_add, flag(0));
    feed.fence({block, 0}, scope);
  });
}

// --- Data that is volatile or races

void volatile_increments(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        feed.same({block, 0}, volatile_load, flag(0));
        feed.same({block, 0}, volatile_store, flag(0));
      },
      nothing);
}

void volatile_hint(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        feed.one({block, 0}, volatile_load, flag(0));
        if (block % 16 == 0) feed.one({block, 0}, volatile_store, flag(0));
      },
      nothing);
}

void races_for_one_place(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        feed.one({block, 0}, other_load, line_of(0));
        feed.one({block, 0}, other_store, line_of(0));
      },
      nothing);
}

void atomics_and_load(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        feed.one({block, 0}, add_acq_rel, flag(0));
        feed.one({block, 0}, volatile_load, flag(0));
      },
      nothing);
}

constexpr SynchronizationPattern patterns_of_blocks[] = {
    {"disjoint lines", 4, 1, disjoint_lines},
    {"shared atomics", 4, 1, shared_atomics},
    {"counter of all blocks", 1, 1, counter_of_all},
    {"histogram", 4, 1, histogram},
    {"block barriers", 4, 1, block_barriers},
    {"warp barriers", 1, 1, warp_barriers},
    {"half-warp barriers", 1, 1, half_warp_barriers},
    {"named barriers", 4, 1, named_barriers},
    {"split barriers", 3, 1, split_barriers},
    {"cluster barriers", 2, 2, cluster_barriers},
    {"block fences", 2, 1, block_fences},
    {"mixed fences", 1, 1, mixed_fences},
    {"volatile increments", 1, 1, volatile_increments},
    {"volatile hint", 1, 1, volatile_hint},
    {"races for one place", 1, 1, races_for_one_place},
    {"atomics and load", 1, 1, atomics_and_load},
};

}  // namespace

std::span<const SynchronizationPattern> block_patterns() { return patterns_of_blocks; }

}  // namespace foldproof
