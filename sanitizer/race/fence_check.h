// Missing fences: data and a flag that are both volatile or relaxed.
//
//   data = v;   flag = 1;   ···   while (!flag);   r = data;        all of them strong, so no data race
//            ▲
//            └ no fence here: others may see the flag first         r may be what stood there before
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "sanitizer/observer.h"
#include "sanitizer/race/clocked.h"

namespace foldproof {

/// Reports `unordered-access`, as a warning, for two strong accesses of one place by different warps, one of
/// them a write, neither an atomic, polled, an acquire or a release: where nothing orders them, but all would
/// be ordered if every strong access of the kernel were a release and an acquire. Then the program waits for
/// the first one, and relies on an order that only fences give (PTX ISA 8.9.5). Who does not wait, as with a
/// hint to stop early, relies on nothing; and who has seen the value once does not lose it (8.10.3,
/// coherence).
///
/// The fence behind the flag is not asked for: programs that read volatile data where a flag lets them rely
/// on the branch, as NVIDIA's sample threadFenceReduction does, and hardware serves them.
///
/// Accesses of one warp, of different sizes, and with scopes that do not include each other are the race
/// check's. An atomic that leaves what stood there, such as an attempt at a lock that is taken, releases
/// nothing: nobody can have waited for it.
///
/// Two clocks: of what is released, whoever reads it then acquires; and of what the program takes for order.
class FenceCheck final : public Clocked<2> {
 public:
  bool watches(const LaunchView& launch) const override { return launch.has_plain_strong_accesses(); }
  void launch_begins(const LaunchView& launch) override;
  void block_ends(BlockNumber block) override;
  void accesses(const AccessEvent& event) override;

 private:
  /// Lanes of a warp at one time of each clock.
  struct Moment {
    WarpId warp;
    LaneSet lanes = 0;
    std::array<Time, 2> time{};
    bool operator==(const Moment&) const = default;
  };
  /// Who has read a value, by warps: each lane when it first did.
  using Readers = std::map<WarpId, std::vector<Moment>>;
  struct Access {
    Moment when;
    Site site = 0;
    SyncScope scope = SyncScope::gpu;
    std::shared_ptr<Readers> readers;  ///< of a write
  };
  /// The last access of each lane, by warps, but for those that a write has come after.
  using Accesses = std::map<WarpId, std::vector<Access>>;
  struct Place {
    std::uint32_t bytes = 0;
    Accesses reads, writes;
    std::shared_ptr<Readers> readers;  ///< of what stands there; null where an atomic or a flag wrote it
  };

  void access(const AccessEvent& event, unsigned lane, const Location& location);
  void notify_clocks(const AccessEvent& event);
  void compare(const AccessEvent& event, Accesses& earlier, const Access& now, std::uint64_t address);
  LaneSet unordered(std::size_t clock, const Moment& earlier, LaneSet lanes, const Moment& now);
  LaneSet missing_fences(const Access& earlier, LaneSet late, const Access& now);
  static bool has_read(const Readers& readers, const Moment& now);
  bool has_seen(const Readers& readers, const Moment& now);
  static Access& remember(Accesses& accesses, const Access& now);
  void report(const AccessEvent& event, const Access& earlier, unsigned earlier_lane, const Access& now,
              std::uint64_t address);

  std::map<Location, Place> places_;
  std::set<std::pair<Site, Site>> reported_;
};

}  // namespace foldproof
