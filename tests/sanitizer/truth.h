// Computes the races of a run as simply as possible: a node for every operation of a lane, and for each node
// the set of all preceding nodes. Shares no code with the checks under test.
//
//   order within a thread ─┐
//   barriers, from every arrival to every departure ─┼─► causality (PTX ISA, causality order)
//   release patterns ─► acquire patterns ─┘
//
// An earlier conflicting access that is not ordered with a later one by causality, and not morally strong
// with it, is a race. Two leniencies, documented in sanitizer/race: a fence counts for all threads at a
// barrier after it (release) or before it (acquire); and observing a strong write orders all preceding strong
// accesses to that location, as coherence does on hardware.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sanitizer/finding.h"
#include "sanitizer/observer.h"

namespace foldproof::sanitizer_tests {

/// A set of node numbers.
class Bits {
 public:
  void set(std::size_t k) {
    if (k / 64 >= words_.size()) words_.resize(k / 64 + 1);
    words_[k / 64] |= std::uint64_t{1} << k % 64;
  }
  bool test(std::size_t k) const { return k / 64 < words_.size() && (words_[k / 64] >> k % 64 & 1) != 0; }
  void add(const Bits& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    for (std::size_t w = 0; w < other.words_.size(); ++w) words_[w] |= other.words_[w];
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Two racing positions in the program, as a report names them.
struct Clash {
  Kind kind{};
  unsigned later = 0, earlier = 0;  ///< lines
  auto operator<=>(const Clash&) const = default;
};

class Truth final : public Observer {
 public:
  struct Node {
    WarpId warp;
    unsigned lane = 0;
    unsigned line = 0;
    bool fence = false;
    AccessEvent event;      // of an access; its pointers are not kept
    BlockNumber owner = 0;  // of shared memory
    std::uint64_t address = 0;
    bool unchanged = false;
    Bits before, met;                   // causality; order within threads and barriers alone
    Bits after;                         // of a release: `before`, itself, and what it acquired
    std::vector<std::size_t> observed;  // by a strong read: the writes whose value it observed
    std::vector<std::size_t> patterns;  // of a strong write: the first operations of its release patterns
  };
  struct Race {
    std::size_t earlier, later;
    Clash clash;
    Severity severity;
    bool certain;  ///< a race even without the leniency about observed writes
  };

  void launch_begins(const LaunchView& launch) override;
  void accesses(const AccessEvent& event) override;
  void fences(const FenceEvent& event) override;
  void warp_barrier_completes(const BarrierEvent& event) override;
  void barrier_arrives(const BarrierEvent& event) override;
  void barrier_completes(BlockNumber block, std::uint32_t barrier) override;
  void cluster_arrives(const BarrierEvent& event, bool releases) override;
  void cluster_completes(std::uint64_t cluster) override;
  void cluster_waits(const BarrierEvent& event, bool acquires) override;
  void exits(const BarrierEvent& event) override;

  const std::vector<Node>& nodes() const { return nodes_; }
  /// All pairs of accesses that race.
  std::vector<Race> races();
  /// Whether a is ordered before b at the address that both access.
  bool ordered(std::size_t a, std::size_t b);
  bool leniently_ordered(std::size_t a, std::size_t b);
  bool is_before(std::size_t a, std::size_t b) const { return nodes_[b].before.test(a); }
  static bool overlap(const Node& a, const Node& b);

 private:
  using LaneKey = std::tuple<BlockNumber, std::uint32_t, unsigned>;
  struct Lane {
    Bits knows, met;
    bool exited = false;
  };
  struct Place {
    bool shared;
    BlockNumber owner;
    std::uint64_t address;
    std::uint32_t bytes;
    auto operator<=>(const Place&) const = default;
  };
  struct Barrier {
    Bits knows, met;
    std::set<LaneKey> came, waiting;
    bool counted = false;
  };
  struct ClusterPhase {
    Bits arriving, complete;
  };

  Lane& lane(const LaneKey& key) { return lanes_[key]; }
  bool reach(SyncScope a, BlockNumber block_a, SyncScope b, BlockNumber block_b) const;
  bool morally_strong(const Node& a, const Node& b) const;
  void access(const AccessEvent& event, unsigned lane_number);
  void strong_element(std::size_t n, const Place& place, Lane& who);
  void acquire(std::size_t last, const std::vector<std::size_t>& reads, Bits& into) const;
  static Place place_of(const Node& node);

  const LaunchView* launch_ = nullptr;
  std::uint32_t blocks_per_cluster_ = 1;
  std::vector<Node> nodes_;
  std::map<LaneKey, Lane> lanes_;
  std::map<Place, std::vector<std::size_t>> chains_;     // the last write and the updates since
  std::map<Place, std::vector<std::size_t>> strong_;     // all strong accesses
  std::map<Place, std::vector<std::size_t>> observers_;  // the accesses that observed a write
  std::vector<std::size_t> fences_;
  std::map<std::pair<BlockNumber, std::uint32_t>, Barrier> barriers_;
  std::map<std::uint64_t, ClusterPhase> clusters_;
  std::map<std::pair<std::size_t, std::size_t>, bool> memo_;
};

}  // namespace foldproof::sanitizer_tests
