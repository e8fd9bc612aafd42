// Happens-before: what each lane knows of what other lanes did.
//
//   Most of it needs no lists. A barrier that the whole block meets makes one number of the block's past
//   (`base`); a __syncwarp of a whole warp makes one of the warp's (`uniform`). Meetings of fewer lanes are
//   kept by pairs of lanes; all else that a lane learnt is Knowledge (`outer`).
//
//   Order comes from barriers of warp, block and cluster, and from a release whose value an acquire observed.
//   Fences order nothing by themselves. Shuffles, votes and matches order nothing at all.
//
//   A fence counts for all who meet at a barrier: "all threads write and fence; barrier; one raises a flag",
//   and "one sees the flag; barrier; all fence and read". By the letter of the memory model the fence had to
//   be executed by the thread that touches the flag; kernels are written both ways, and hardware serves both.
//   Threads that have ended count as arrived: at a barrier of the whole block all, at a counted one those
//   whose warp came to it, at a barrier of a warp those that its mask names; at a barrier of a cluster none.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sanitizer/observer.h"
#include "sanitizer/race/knowledge.h"
#include "sanitizer/race/location.h"

namespace foldproof {

/// What was released by who wrote a value: by its last write, and by the writes before that
/// read-modify-writes continued (PTX ISA 8.9.1: observation order).
struct Message {
  using Pointer = std::shared_ptr<const Message>;
  struct Item {
    SyncScope scope = SyncScope::gpu;
    BlockNumber block = 0;  ///< of who released
    Knowledge what;
  };
  std::vector<Item> items;  ///< one a scope and block; a few, the others in `before`
  Pointer before;
  Knowledge wide;            ///< all that was released to the whole device, together
  bool narrow = false;       ///< there is more
  std::uint64_t number = 0;  ///< equal in messages that continue each other

  Message() = default;
  Message(const Message&) = default;
  Message& operator=(const Message&) = default;
  ~Message();
};

/// What strong accesses of one size address: those of another size are of another location, though they
/// overlap (PTX ISA 8.7: morally strong accesses overlap completely).
struct Datum {
  Location location;
  std::uint32_t bytes = 0;
  auto operator<=>(const Datum&) const = default;
};

/// What a lane has released by fences of each scope, and what it, or somebody it met since, has read and may
/// yet acquire by a fence.
struct Fencing {
  struct Observed {
    Datum element;
    Message::Pointer message;
    bool by_itself = true;
  };
  std::array<Knowledge, 4> released;
  std::vector<Observed> observed;
};

struct BlockClock;

struct WarpClock {
  WarpId id;
  const BlockClock* block = nullptr;
  Time time = 1;        ///< of what its lanes do now
  Time uniform = 0;     ///< its lanes know each other up to here
  LaneSet exited = 0;   ///< or never there
  LaneSet missing = 0;  ///< never there
  /// [who][whom], where more is known than `uniform`.
  std::unique_ptr<std::array<std::array<Time, lanes_per_warp>, lanes_per_warp>> pairs;
  /// What single lanes learnt besides; a lane without has the block's.
  std::unique_ptr<std::array<Knowledge, lanes_per_warp>> outer;
  LaneSet has_outer = 0;
  std::unique_ptr<std::array<Fencing, lanes_per_warp>> fencing;
  /// What lanes released at an element: whatever strong write of theirs follows there hands it on, too.
  std::map<std::pair<unsigned, Datum>, std::vector<Message::Item>> released_at;
};

struct BlockClock {
  BlockNumber number = 0;
  Time base = 0;    ///< all of its threads know each other up to here
  Knowledge outer;  ///< what all of its threads learnt of others
  std::vector<WarpClock> warps;
  /// What lanes knew, and what their fences had released, when they came.
  struct Released {
    Knowledge known;
    Fencing fencing;
  };
  struct Arrival {
    std::uint32_t warp = 0;
    LaneSet lanes = 0;
    std::unique_ptr<Released> released;  ///< where it does not wait
  };
  struct Barrier {
    std::vector<Arrival> arrivals;
    std::uint32_t whole_warps = 0;  ///< that wait besides; bit w: warp w
    bool counted = false;           ///< waits for so many threads, whoever they are
  };
  std::array<Barrier, 16> barriers;
};

class Clocks {
 public:
  void launch_begins(const LaunchView& launch);
  /// A block begins later than all that ended: what they did is over for it wherever only one of them could.
  void block_begins(BlockNumber block);
  void block_ends(BlockNumber block);

  WarpClock& warp(const WarpId& id) { return block(id.block).warps[id.warp]; }
  BlockClock& block(BlockNumber number) {
    if (!latest_ || latest_->number != number) latest_ = blocks_.at(number).get();
    return *latest_;
  }
  bool clustered() const { return blocks_per_cluster_ > 1; }

  /// Those of `lanes` of `other` whose doings at `time` did not happen before the present of `lane`.
  static LaneSet unordered(const WarpClock& who, unsigned lane, const WarpId& other, LaneSet lanes,
                           Time time);
  /// Whether two accesses of these scopes by these blocks are atomic to each other, as far as scopes say.
  bool include_each_other(SyncScope a, BlockNumber block_a, SyncScope b, BlockNumber block_b) const;
  static bool heard_of(const WarpClock& who, unsigned lane, BlockNumber other);

  // What orders.
  void warp_meets(const BarrierEvent& event);
  void barrier_arrives(const BarrierEvent& event);
  void warps_arrive(const BarrierEvent& event, std::uint32_t warps);
  void barrier_completes(BlockNumber block, std::uint32_t barrier);
  void cluster_arrives(const BarrierEvent& event, bool releases);
  void cluster_completes(std::uint64_t cluster);
  void cluster_waits(const BarrierEvent& event, bool acquires);
  void exits(const BarrierEvent& event);
  void fences(const FenceEvent& event);
  /// Takes the messages of the locations that an access reads, and leaves or removes those of what it writes.
  void accesses(const AccessEvent& event) {
    if (event.strong)
      pass_messages(event);
    else if (event.what != AccessEvent::What::read && !messages_.empty())
      overwrite_messages(event);
  }

 private:
  /// A location's last write, as far as it releases anything.
  struct Written {
    Message::Pointer message;
    std::uint32_t bytes = 0;
    SyncScope scope = SyncScope::gpu;
    BlockNumber block = 0;
  };
  struct ClusterPhase {
    Knowledge arrived, complete;
    Knowledge joined;  ///< of what was joined to `arrived`: the last that was not of the warp's own block
    std::uint32_t ended = 0;  ///< of the cluster's blocks
  };

  // What lanes know, and learn (clocks.cpp).
  static const Knowledge& outer_of(const WarpClock& who, unsigned lane) {
    return (who.has_outer & bit(lane)) != 0 ? (*who.outer)[lane] : who.block->outer;
  }
  static Knowledge known_inside(const WarpClock& who, LaneSet lanes);
  static void join_outside(Knowledge& sum, const WarpClock& who, LaneSet lanes, Knowledge& joined);
  static Knowledge known_to(const WarpClock& who, LaneSet lanes);
  void learn(WarpClock& who, LaneSet lanes, const Knowledge& what);

  // Barriers (clocks_barriers.cpp).
  using ByWarp = std::array<LaneSet, 32>;  ///< lanes of each warp of a block, which has no more
  void meet_by_lanes(BlockClock& block, BlockClock::Barrier& complete);
  void meet_as_a_block(BlockClock& block);
  void meet_in_part(BlockClock& block, const BlockClock::Barrier& complete, const ByWarp& came,
                    const ByWarp& waiting);

  // Releases and acquires (clocks_messages.cpp).
  /// Whether the blocks of its cluster have ended: others take what is `wide`.
  bool is_over(const Message::Item& item) const;
  void pass_messages(const AccessEvent& strong);
  void overwrite_messages(const AccessEvent& weak);
  bool sees(const Written& written, const AccessEvent& event) const;
  void observe(WarpClock& who, unsigned lane, const AccessEvent& event, const Datum& element,
               const Written* written);
  void publish(WarpClock& who, unsigned lane, const AccessEvent& event, const Datum& element);
  void acquire(WarpClock& who, unsigned lane, const Message& message, SyncScope scope);
  void forget_around(const Datum& element, bool itself);
  static Fencing& fencing(WarpClock& who, unsigned lane);
  /// Lanes of warps that have met share what their fences released and what they observed.
  using Met = std::vector<std::pair<WarpClock*, LaneSet>>;
  static void add_fencing(Fencing& sum, const Fencing& one);
  static Fencing fencing_of(const Met& lanes);
  static void share_fencing(const Fencing& sum, const Met& to);

  std::uint32_t warps_ = 0, blocks_per_cluster_ = 1;
  LaneSet last_lanes_ = 0;  ///< that exist in the last warp
  std::unordered_map<BlockNumber, std::unique_ptr<BlockClock>> blocks_;
  std::vector<std::unique_ptr<BlockClock>> spare_;
  BlockClock* latest_ = nullptr;
  /// What was learnt last: at a barrier, many lanes that know the same learn the same.
  struct {
    Knowledge before, what, after;
  } lesson_;
  std::map<Location, Written> messages_;
  std::uint64_t messages_made_ = 0;
  Time latest_time_ = 0;                                      ///< of blocks that have ended
  std::unordered_map<std::uint64_t, ClusterPhase> clusters_;  ///< those that run
};

}  // namespace foldproof
