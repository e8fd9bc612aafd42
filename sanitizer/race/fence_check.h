// Missing fences: data and a flag that are both volatile or relaxed.
//
//   data = v;   flag = 1;   ···   while (!flag);   r = data;        all of them strong, so not a data race
//            ▲
//            └ missing fence: others may see the flag first         r may be the old value
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "sanitizer/observer.h"
#include "sanitizer/race/clocked.h"

namespace foldproof {

/// Reports `unordered-access` for two strong accesses of one location by different warps if at least one is a
/// write, neither is an atomic, polled, an acquire or a release, and the two are unordered, but would be
/// ordered if every strong access of the kernel were a release and an acquire. In that case the program waits
/// for the first access and relies on an order that only fences provide (PTX ISA, causality order). It is an
/// error if the accesses are in different blocks, otherwise a warning. A program that does not wait, such as
/// one that reads a hint to stop early, does not rely on any order; and a thread that has seen the value once
/// cannot see an older one later (coherence axiom).
///
/// The fence after the flag is not required: programs that read volatile data after testing a flag rely on
/// the branch, as NVIDIA's sample threadFenceReduction does, and this works on hardware.
///
/// Accesses of one warp, accesses of different sizes, and accesses whose scopes do not include each other are
/// left to the race check. An atomic that leaves the value unchanged, such as a failed attempt to take a
/// lock, does not release: no thread can have waited for it.
///
/// There are two clocks. In the first, every strong read acquires, but only actual releases release. In the
/// second, every strong write also releases: this is the order on which the program relies.
class FenceCheck final : public Clocked<2> {
 public:
  bool watches(const LaunchView& launch) const override { return launch.has_plain_strong_accesses(); }
  void launch_begins(const LaunchView& launch) override;
  void block_ends(BlockNumber block) override;
  void accesses(const AccessEvent& event) override;

 private:
  /// Lanes of a warp, with the time in each clock.
  struct Moment {
    WarpId warp;
    LaneSet lanes = 0;
    std::array<Time, 2> time{};
    bool operator==(const Moment&) const = default;
  };
  /// The readers of a value, by warp: each lane at its first read.
  using Readers = std::map<WarpId, std::vector<Moment>>;
  struct Access {
    Moment when;
    Site site = 0;
    SyncScope scope = SyncScope::gpu;
    std::shared_ptr<Readers> readers;  ///< only for a write
  };
  struct Accesses {
    /// The last access of each lane, by warp, except those ordered before a later write.
    std::map<WarpId, std::vector<Access>> by_warp;
    std::vector<Site> sites;  ///< of all accesses so far, each once
  };
  struct Place {
    std::uint32_t bytes = 0;
    Accesses reads, writes;
    std::shared_ptr<Readers> readers;  ///< of the current value; null if an atomic or a flag access wrote it
  };

  void access(const AccessEvent& event, unsigned lane, const Location& location);
  void notify_clocks(const AccessEvent& event);
  void compare(const AccessEvent& event, Accesses& earlier, const Access& now, std::uint64_t address);
  LaneSet unordered(std::size_t clock, const Moment& earlier, LaneSet lanes, const Moment& now);
  bool may_report(Site earlier, Site now) const;
  BlockNumber next_known(const Moment& now, BlockNumber from, bool also_obeyed);
  LaneSet missing_fences(const Access& earlier, LaneSet late, const Access& now);
  static bool has_read(const Readers& readers, const Moment& now);
  bool has_seen(const Readers& readers, const Moment& now);
  Access& remember(Accesses& accesses, const Access& now, const Location& location);
  /// Drops the accesses of a block that ends without having released anything: no thread can wait for them.
  void forget_unreleased(BlockNumber block);
  void report(const AccessEvent& event, const Access& earlier, unsigned earlier_lane, const Access& now,
              std::uint64_t address);

  std::map<Location, Place> places_;
  std::map<BlockNumber, std::set<Location>> accessed_;  ///< by each running block
  std::map<std::pair<Site, Site>, Severity> reported_;  ///< the most severe
};

}  // namespace foldproof
