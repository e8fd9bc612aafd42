#include "benchmarks/synchronization_patterns.h"

#include <algorithm>
#include <string>

#include "sanitizer/checks.h"

namespace foldproof {
namespace {

using How = EventFeed::How;
using What = EventFeed::What;

constexpr BlockNumber resident = 64;
constexpr std::uint64_t data = std::uint64_t{1} << global_window_bits, flags = 2 * data, shared_place = 0;

std::uint64_t line_of(std::uint64_t index) { return data + 128 * index; }
std::uint64_t flag(std::uint64_t index) { return flags + 4 * index; }

constexpr How load{.site = 1}, store{.what = What::write, .site = 2};
constexpr How poll{.strong = true, .polled = true, .scope = SyncScope::sys, .site = 3};
constexpr How raise{.what = What::write, .strong = true, .scope = SyncScope::sys, .site = 4};
constexpr How poll_acquire{.strong = true, .acquires = true, .polled = true, .site = 5};
constexpr How store_release{.what = What::write, .strong = true, .releases = true, .site = 6};
constexpr How add{.what = What::update, .strong = true, .site = 7};
constexpr How add_acq_rel{
    .what = What::update, .strong = true, .acquires = true, .releases = true, .site = 8};
constexpr How try_lock{.what = What::update, .strong = true, .polled = true, .site = 9};
constexpr How try_acquire{.what = What::update, .strong = true, .acquires = true, .polled = true, .site = 10};
constexpr How volatile_load{.strong = true, .scope = SyncScope::sys, .site = 11};
constexpr How volatile_store{.what = What::write, .strong = true, .scope = SyncScope::sys, .site = 12};
constexpr How block_add{.what = What::update, .strong = true, .scope = SyncScope::cta, .site = 13};
constexpr How other_load{.site = 14}, other_store{.what = What::write, .site = 15};

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

constexpr auto nothing = [](BlockNumber) {};

// --- No order is needed

void disjoint_lines(EventFeed& feed) {
  blocks_in_turn(
      feed, 4,
      [&](BlockNumber block) {
        for (unsigned w = 0; w < 4; ++w) {
          feed.line({block, w}, load, line_of(4 * block + w));
          feed.line({block, w}, store, line_of(4 * block + w));
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
        feed.one({block, 0}, add, flag(0));
      },
      nothing);
}

void histogram(EventFeed& feed) {
  std::uint64_t bin = 0;
  blocks_in_turn(
      feed, 4,
      [&](BlockNumber block) {
        for (unsigned w = 0; w < 4; ++w) feed.one({block, w}, add, flag((bin += 37) % 256));
      },
      nothing);
}

// --- Barriers

void block_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    for (unsigned w = 0; w < 4; ++w) feed.line({block, w}, store, 128 * w, true);
    feed.block_barrier(block, 4);
    for (unsigned w = 0; w < 4; ++w) feed.line({block, w}, load, 128 * ((w + 1) % 4), true);
    feed.block_barrier(block, 4);
  });
}

void warp_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.line({block, 0}, store, shared_place, true);
    feed.warp_barrier({block, 0});
    feed.same({block, 0}, load, shared_place, true);
    feed.warp_barrier({block, 0});
  });
}

void half_warp_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.line({block, 0}, store, shared_place, true);
    feed.warp_barrier({block, 0}, 0xffff);
    feed.warp_barrier({block, 0}, 0xffff0000);
    feed.warp_barrier({block, 0}, 0x00ffff00);
  });
}

void named_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    for (unsigned pair = 0; pair < 2; ++pair) {
      for (unsigned w = 2 * pair; w < 2 * pair + 2; ++w) {
        feed.line({block, w}, store, 128 * w, true);
        feed.arrive({block, w}, 1 + pair, 64, true);
      }
      feed.complete(block, 1 + pair);
    }
  });
}

void split_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.line({block, 0}, store, shared_place, true);
    feed.arrive({block, 0}, 1, 64, false);
    feed.arrive({block, 1}, 1, 64, true);
    feed.complete(block, 1);
    feed.line({block, 1}, load, shared_place, true);
    feed.arrive({block, 1}, 2, 64, false);
    feed.arrive({block, 0}, 2, 64, true);
    feed.complete(block, 2);
  });
}

void cluster_barriers(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.line({block, 0}, store, line_of(block));
    if (block % 2 == 0) return;
    feed.cluster_barrier(block - 1, 2);
    feed.line({block, 0}, load, line_of(block - 1));
    feed.line({block - 1, 0}, load, line_of(block));
    feed.cluster_barrier(block - 1, 2);
  });
}

// --- Flags

void fence_and_flag(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        feed.line({block, 0}, store, line_of(block));
        feed.warp_barrier({block, 0});
        feed.fence({block, 0});
        feed.one({block, 0}, add, flag(block));
        if (block % 2 == 0) return;
        feed.one({block, 0}, poll, flag(block - 1));
        feed.fence({block, 0});
        feed.warp_barrier({block, 0});
        feed.line({block, 0}, load, line_of(block - 1));
      },
      nothing);
}

void pairs(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    const BlockNumber other = block ^ 1;
    feed.one({block, 0}, poll_acquire, flag(other));
    feed.one({block, 0}, store, line_of(block / 2));
    feed.one({block, 0}, store_release, flag(block));
  });
}

void release_chain(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        if (block > 0) feed.one({block, 0}, poll_acquire, flag(block - 1));
        feed.one({block, 0}, load, line_of(0));
        feed.one({block, 0}, store, line_of(0));
        feed.one({block, 0}, store_release, flag(block));
      },
      nothing);
}

void lookback(EventFeed& feed) {
  blocks_in_turn(
      feed, 2,
      [&](BlockNumber block) {
        feed.line({block, 0}, store, line_of(2 * block));
        feed.line({block, 1}, store, line_of(2 * block + 1));
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
          feed.one({block, 0}, store, line_of(0));
          feed.one({block, 0}, store_release, flag(0));
        }
        feed.one({block, 0}, poll_acquire, flag(0));
        feed.one({block, 0}, load, line_of(0));
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
        feed.one({block, 0}, store, line_of(block));
        feed.fence({block, 0});
        feed.one({block, 0}, add, flag(0));
        if (block + 1 != blocks) return;
        feed.fence({block, 0});
        for (BlockNumber b = 0; b < blocks; ++b) feed.one({block, 0}, load, line_of(b));
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
    feed.one({block, 0}, add, flag(0));
    feed.block_barrier(block, 4);
    for (unsigned w = 0; w < 4; ++w) feed.line({block, w}, store, line_of(4 * tile + w));
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
    feed.one({block, 0}, load, line_of(0));
    feed.one({block, 0}, store, line_of(0));
    feed.fence({block, 0});
    feed.one({block, 0}, raise, flag(0));
  });
}

void lock_of_many_blocks(EventFeed& feed) {
  blocks_in_turn(
      feed, 1,
      [&](BlockNumber block) {
        feed.one({block, 0}, try_acquire, flag(0));
        feed.one({block, 0}, load, line_of(0));
        feed.one({block, 0}, store, line_of(0));
        feed.one({block, 0}, store_release, flag(0));
      },
      nothing);
}

void ticket_lock(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.one({block, 0}, add, flag(0));
    feed.one({(block + 7) % resident, 0}, poll_acquire, flag(1));
    feed.one({block, 0}, poll_acquire, flag(1));
    feed.one({block, 0}, load, line_of(0));
    feed.one({block, 0}, store, line_of(0));
    feed.one({block, 0}, store_release, flag(1));
  });
}

// --- Barriers of the grid

void grid_barrier(EventFeed& feed, BlockNumber blocks) {
  for (BlockNumber block = 0; block < blocks; ++block) feed.begin(block);
  for (std::uint64_t k = 0; !feed.full(); ++k) {
    for (BlockNumber block = 0; block < blocks; ++block) {
      feed.line({block, 0}, store, line_of(block));
      feed.block_barrier(block, 2);
      feed.fence({block, 0});
      feed.one({block, 0}, add, flag(0));
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

// --- Scopes

void block_fences(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t) {
    feed.fence({block, 0}, SyncScope::cta);
    feed.one({block, 0}, add, flag(0));
    feed.one({block, 1}, add, flag(0));
    feed.fence({block, 1}, SyncScope::cta);
  });
}

void mixed_fences(EventFeed& feed) {
  rounds(feed, [&](BlockNumber block, std::uint64_t k) {
    const auto scope = k % 3 == 0 ? SyncScope::gpu : k % 3 == 1 ? SyncScope::cta : SyncScope::cluster;
    feed.fence({block, 0}, scope);
    feed.one({block, 0}, add, flag(0));
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

constexpr SynchronizationPattern all_patterns[] = {
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
    {"block fences", 2, 1, block_fences},
    {"mixed fences", 1, 1, mixed_fences},
    {"volatile increments", 1, 1, volatile_increments},
    {"volatile hint", 1, 1, volatile_hint},
    {"races for one place", 1, 1, races_for_one_place},
    {"atomics and load", 1, 1, atomics_and_load},
};

class PatternLaunch final : public LaunchView {
 public:
  explicit PatternLaunch(const SynchronizationPattern& pattern) : pattern_(pattern) {}
  std::uint32_t threads_per_block() const override { return pattern_.warps * lanes_per_warp; }
  std::uint32_t blocks_per_cluster() const override { return pattern_.cluster; }
  std::uint64_t blocks() const override { return std::uint64_t{1} << 40; }
  Position position(Site site) const override { return {"pattern", site, 0}; }
  bool orders_its_own(Site) const override { return false; }
  bool has_plain_strong_accesses() const override { return true; }
  InstructionClass class_of(Site) const override { return {}; }
  ThreadId thread(WarpId, unsigned) const override { return {}; }
  std::string memory_at(bool, std::uint64_t) const override { return "the place"; }

 private:
  const SynchronizationPattern& pattern_;
};

}  // namespace

void EventFeed::launch_begins(const LaunchView& launch) {
  for (const auto& observer : observers_)
    if (observer->watches(launch)) watching_.push_back(observer.get());
  for (Observer* observer : watching_) observer->launch_begins(launch);
}

void EventFeed::launch_ends() {
  for (Observer* observer : watching_) observer->launch_ends();
}

void EventFeed::begin(BlockNumber block) { send<&Observer::block_begins>(block); }

void EventFeed::end(BlockNumber block, unsigned warps) {
  for (unsigned w = 0; w < warps; ++w)
    send<&Observer::exits>(BarrierEvent{.warp = {block, w}, .lanes = all_lanes});
  send<&Observer::block_ends>(block);
}

void EventFeed::access(WarpId warp, const How& how, LaneSet lanes, const Lanes& at, bool consecutive,
                       bool shared) {
  AccessEvent event;
  event.what = how.what;
  event.strong = how.strong;
  event.acquires = how.acquires;
  event.releases = how.releases;
  event.polled = how.polled;
  event.scope = how.scope;
  event.site = how.site;
  event.bytes = event.element_bytes = 4;
  event.warp = warp;
  event.lanes = lanes;
  event.at = at.data();
  event.consecutive = consecutive;
  event.shared = shared;
  send<&Observer::accesses>(event);
}

void EventFeed::one(WarpId warp, const How& how, std::uint64_t address) {
  access(warp, how, 1, {address}, true, false);
}

void EventFeed::line(WarpId warp, const How& how, std::uint64_t address, bool shared) {
  Lanes at;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) at[lane] = address + 4 * lane;
  access(warp, how, all_lanes, at, true, shared);
}

void EventFeed::same(WarpId warp, const How& how, std::uint64_t address, bool shared) {
  Lanes at;
  at.fill(address);
  access(warp, how, all_lanes, at, false, shared);
}

void EventFeed::fence(WarpId warp, SyncScope scope, LaneSet lanes) {
  send<&Observer::fences>(FenceEvent{warp, lanes, scope});
}

void EventFeed::warp_barrier(WarpId warp, LaneSet lanes) {
  send<&Observer::warp_barrier_completes>(BarrierEvent{.warp = warp, .lanes = lanes});
}

void EventFeed::block_barrier(BlockNumber block, unsigned warps) {
  for (unsigned w = 0; w < warps; ++w)
    send<&Observer::barrier_arrives>(BarrierEvent{.warp = {block, w}, .lanes = all_lanes});
  send<&Observer::barrier_completes>(block, std::uint32_t{0});
}

void EventFeed::arrive(WarpId warp, std::uint32_t barrier, std::uint32_t threads, bool waits) {
  send<&Observer::barrier_arrives>(
      BarrierEvent{.warp = warp, .lanes = all_lanes, .barrier = barrier, .waits = waits, .threads = threads});
}

void EventFeed::complete(BlockNumber block, std::uint32_t barrier) {
  send<&Observer::barrier_completes>(block, barrier);
}

void EventFeed::cluster_barrier(BlockNumber first, unsigned warps) {
  for (BlockNumber block = first; block < first + 2; ++block)
    for (unsigned w = 0; w < warps; ++w)
      send<&Observer::cluster_arrives>(BarrierEvent{.warp = {block, w}, .lanes = all_lanes}, true);
  send<&Observer::cluster_completes>(std::uint64_t{first / 2});
  for (BlockNumber block = first; block < first + 2; ++block)
    for (unsigned w = 0; w < warps; ++w)
      send<&Observer::cluster_waits>(BarrierEvent{.warp = {block, w}, .lanes = all_lanes}, true);
}

std::span<const SynchronizationPattern> synchronization_patterns() { return all_patterns; }

std::uint64_t run_pattern(const SynchronizationPattern& pattern, std::uint64_t events) {
  const PatternLaunch launch(pattern);
  Observers checks = all_checks();
  for (const auto& check : checks) check->job_begins(false);
  EventFeed feed(checks, events);
  feed.launch_begins(launch);
  pattern.run(feed);
  feed.launch_ends();
  return feed.events();
}

}  // namespace foldproof
