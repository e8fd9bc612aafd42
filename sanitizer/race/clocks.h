// Happens-before order: which actions of other lanes each lane knows.
//
//   Most of what a lane knows needs no vector clock. A barrier of the whole block reduces the block's past to
//   one number (`base`); a __syncwarp of a whole warp does the same for the warp (`uniform`). Barriers of
//   fewer lanes are stored for pairs of lanes; everything else that a lane has learnt is a VectorClock
//   (`outer`).
//
//   Order is established by barriers of a warp, block or cluster, and by a release whose value an acquire
//   observed. Fences alone order nothing. Shuffles, votes and matches order nothing at all.
//
//   A fence applies to all threads that meet at a barrier: "all threads write and fence; barrier; one raises
//   a flag", and "one sees the flag; barrier; all fence and read". Strictly, the memory model requires that
//   the thread that accesses the flag executes the fence; kernels are written both ways, and both work on
//   hardware.
//
//   Exited threads count as arrived: at a barrier of the whole block, all of them; at a counted barrier,
//   those whose warp has arrived at it; at a barrier of a warp, those named by its mask; at a cluster
//   barrier, none.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sanitizer/observer.h"
#include "sanitizer/race/location.h"
#include "sanitizer/race/vector_clock.h"

namespace foldproof {

/// What the writers of a value have released: that of the last write, and of earlier writes that
/// read-modify-writes continued (PTX ISA, observation order).
struct Message {
  struct Item {
    SyncScope scope = SyncScope::gpu;
    BlockNumber block = 0;  ///< the releasing block
    VectorClock what;
  };
  VectorClock wide;     ///< the union of everything released to the whole device
  bool narrow = false;  ///< there are also items of narrower scope
  /// By releasing block and scope: acquires of a narrow scope, or of what was released to a narrow scope,
  /// concern only one block or cluster.
  std::map<std::pair<BlockNumber, SyncScope>, VectorClock> items;
  /// The number of items at which those that no thread can acquire any more are removed.
  std::size_t prune_at = 16;
};

/// A location as addressed by strong accesses of one size. Accesses of another size are to a different
/// location, even if the two overlap (PTX ISA 8.7: morally strong accesses overlap completely).
struct Datum {
  Location location;
  std::uint32_t bytes = 0;
  auto operator<=>(const Datum&) const = default;
};

/// What a lane would learn by an acquire of each scope: cta, cluster, and gpu or sys.
using Acquirable = std::array<VectorClock, 3>;

/// What a lane has released by fences of each scope, and what it may still acquire by a fence, because it, or
/// a lane that it has met since, has read it.
struct Fencing {
  std::array<VectorClock, 4> released;
  Acquirable observed;
};

/// What a lane itself has read at an element since its last fence.
struct Observed {
  std::uint64_t version = 0;  ///< of the latest message that it includes
  Acquirable what;
};

struct BlockClock;

struct WarpClock {
  WarpId id;
  const BlockClock* block = nullptr;
  Time time = 1;        ///< of the current actions of its lanes
  Time uniform = 0;     ///< its lanes know each other up to this time
  LaneSet exited = 0;   ///< includes `missing`
  LaneSet missing = 0;  ///< lanes that do not exist
  /// [knowing lane][known lane], where more is known than `uniform`.
  std::unique_ptr<std::array<std::array<Time, lanes_per_warp>, lanes_per_warp>> pairs;
  /// What individual lanes have learnt in addition; a lane without an entry has the block's.
  std::unique_ptr<std::array<VectorClock, lanes_per_warp>> outer;
  LaneSet has_outer = 0;
  std::unique_ptr<std::array<Fencing, lanes_per_warp>> fencing;
  /// What lanes have released at an element; every later strong write of the lane there passes it on, too.
  std::map<std::pair<unsigned, Datum>, std::vector<Message::Item>> released_at;
  /// What lanes have read at an element: a later acquire by the same lane there acquires it.
  std::map<std::pair<unsigned, Datum>, Observed> observed_at;
};

struct BlockClock {
  BlockNumber number = 0;
  Time base = 0;      ///< all of its threads know each other up to this time
  VectorClock outer;  ///< what all of its threads have learnt about others
  /// Whether it has fenced, released or arrived at a cluster barrier. Until then, no other block can learn of
  /// anything that it did.
  bool has_released = false;
  std::vector<WarpClock> warps;
  /// What lanes knew, and what their fences had released, when they arrived.
  struct Released {
    VectorClock known;
    Fencing fencing;
  };
  struct Arrival {
    std::uint32_t warp = 0;
    LaneSet lanes = 0;
    std::unique_ptr<Released> released;  ///< only for an arrival that does not wait
  };
  struct Barrier {
    std::vector<Arrival> arrivals;
    std::uint32_t whole_warps = 0;  ///< warps that also wait, with all their lanes; bit w: warp w
    bool counted = false;           ///< waits for a given number of threads
  };
  std::array<Barrier, 16> barriers;
};

class Clocks {
 public:
  void launch_begins(const LaunchView& launch);
  /// A block starts at a later time than any action of the blocks that have ended. In memory that only one
  /// block at a time can access, their accesses are therefore ordered before it.
  void block_begins(BlockNumber block);
  void block_ends(BlockNumber block);

  WarpClock& warp(const WarpId& id) { return block(id.block).warps[id.warp]; }
  BlockClock& block(BlockNumber number) {
    if (!latest_ || latest_->number != number) latest_ = blocks_.at(number).get();
    return *latest_;
  }
  bool clustered() const { return blocks_per_cluster_ > 1; }
  BlockNumber first_of_cluster(BlockNumber block) const {
    return block / blocks_per_cluster_ * blocks_per_cluster_;
  }

  /// The lanes of `lanes` of `other` whose actions at `time` did not happen before the present of `lane`.
  static LaneSet unordered(const WarpClock& who, unsigned lane, const WarpId& other, LaneSet lanes,
                           Time time);
  /// Whether two accesses with these scopes by these blocks are atomic to each other, as far as scopes
  /// determine it.
  bool include_each_other(SyncScope a, BlockNumber block_a, SyncScope b, BlockNumber block_b) const;
  static bool knows_of(const WarpClock& who, unsigned lane, BlockNumber other);
  /// The first block, from the given one on, some of whose actions may have happened before the present of
  /// `lane`; VectorClock::no_block if there is none.
  static BlockNumber next_known(const WarpClock& who, unsigned lane, BlockNumber from);

  // Events that establish order.
  void warp_barrier_completes(const BarrierEvent& event);
  /// A shuffle that passes on what one lane has acquired.
  void shuffle_passes_on(const WarpSyncEvent& event);
  void barrier_arrives(const BarrierEvent& event);
  void warps_arrive(const BarrierEvent& event, std::uint32_t warps);
  void barrier_completes(BlockNumber block, std::uint32_t barrier);
  void cluster_arrives(const BarrierEvent& event, bool releases);
  void cluster_completes(std::uint64_t cluster);
  void cluster_waits(const BarrierEvent& event, bool acquires);
  void exits(const BarrierEvent& event);
  void fences(const FenceEvent& event);
  /// Reads the messages of the locations that an access reads, and adds or removes those of the locations
  /// that it writes.
  void accesses(const AccessEvent& event) {
    if (event.strong)
      pass_messages(event);
    else if (event.what != AccessEvent::What::read && !messages_.empty())
      overwrite_messages(event);
  }

 private:
  /// The last write to a location, if it releases anything.
  struct Written {
    Message message;
    std::uint64_t version = 0;  ///< changes with the message
    /// Of an mbarrier: the message when its last phase was completed. Arrivals for the next phase must not
    /// reach a lane that waits for this one.
    Message completed = {};
    std::uint64_t completed_version = 0;
    std::uint32_t bytes = 0;
    SyncScope scope = SyncScope::gpu;
    BlockNumber block = 0;
  };
  struct ClusterPhase {
    VectorClock arrived, complete;
    std::uint32_t ended = 0;  ///< number of the cluster's blocks that have ended
  };

  // What lanes know and learn (clocks.cpp).
  static const VectorClock& outer_of(const WarpClock& who, unsigned lane) {
    return (who.has_outer & bit(lane)) != 0 ? (*who.outer)[lane] : who.block->outer;
  }
  static VectorClock known_inside(const WarpClock& who, LaneSet lanes);
  void join_outside(VectorClock& sum, const WarpClock& who, LaneSet lanes);
  VectorClock known_to(const WarpClock& who, LaneSet lanes);
  void learn(WarpClock& who, LaneSet lanes, const VectorClock& what);

  // Barriers (clocks_barriers.cpp).
  void share_outer(WarpClock& warp, LaneSet lanes);
  using ByWarp = std::array<LaneSet, 32>;  ///< lanes of each warp; a block has at most 32 warps
  void synchronize_lanes(BlockClock& block, BlockClock::Barrier& complete);
  void synchronize_block(BlockClock& block);
  void synchronize_part(BlockClock& block, const BlockClock::Barrier& complete, const ByWarp& came,
                        const ByWarp& waiting);

  // Releases and acquires (clocks_messages.cpp).
  /// Whether the block has ended, together with all blocks of its cluster: other blocks acquire only what is
  /// `wide` of the items that it has released.
  bool is_over(BlockNumber block) const;
  void pass_messages(const AccessEvent& strong);
  void overwrite_messages(const AccessEvent& weak);
  bool sees(const Written& written, const AccessEvent& event) const;
  void observe(WarpClock& who, unsigned lane, const AccessEvent& event, const Datum& element,
               const Written* written);
  void publish(WarpClock& who, unsigned lane, const AccessEvent& event, const Datum& element);
  /// What an acquire of that scope by a lane of the block learns from a message.
  VectorClock acquirable(const Message& message, BlockNumber block, SyncScope scope);
  void add(Message& to, const Message::Item& item);
  void forget_around(const Datum& element, bool itself);
  static Fencing& fencing(WarpClock& who, unsigned lane);
  /// Lanes of warps. Those that synchronize at a barrier share what their fences released and what they
  /// observed.
  using Participants = std::vector<std::pair<WarpClock*, LaneSet>>;
  void add_fencing(Fencing& sum, const Fencing& one);
  Fencing fencing_of(const Participants& lanes);
  static void share_fencing(const Fencing& sum, const Participants& to);

  std::uint32_t warps_ = 0, blocks_per_cluster_ = 1;
  LaneSet last_lanes_ = 0;  ///< lanes that exist in the last warp
  std::unordered_map<BlockNumber, std::unique_ptr<BlockClock>> blocks_;
  std::vector<std::unique_ptr<BlockClock>> spare_;
  BlockClock* latest_ = nullptr;
  JoinedClocks joined_;
  std::map<Location, Written> messages_;
  std::uint64_t versions_ = 0;                                ///< of messages
  Time latest_time_ = 0;                                      ///< latest time of all blocks that have ended
  std::unordered_map<std::uint64_t, ClusterPhase> clusters_;  ///< running clusters
};

}  // namespace foldproof
