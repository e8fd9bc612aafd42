// Missing fences: data and a flag that are both volatile or relaxed.
//
//   data = v;   flag = 1;   ···   while (!flag);   r = data;        all of them strong, so no data race
//            ▲
//            └ no fence here: others may see the flag first         r may be what stood there before
#pragma once

#include <map>
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
/// check's.
///
/// Two clocks: of what is released, whoever reads it then acquires; and of what the program takes for order.
class FenceCheck final : public Clocked<2> {
 public:
  bool watches(const Scene& scene) const override { return scene.has_plain_strong_accesses(); }
  void launch_begins(const Scene& scene) override;
  std::vector<Finding> launch_ends() override;
  void block_ends(BlockNumber block) override;
  void accesses(const AccessEvent& event) override;

 private:
  /// A lane at its time in each of the clocks.
  struct Moment {
    WarpId warp;
    unsigned lane = 0;
    std::array<Time, 2> time{};
  };
  struct Access {
    Moment when;
    Site site = 0;
    SyncScope scope = SyncScope::gpu;
    bool writes = false;
    std::vector<Moment> seen_by;  ///< of a write: who has read its value, once a lane
  };
  struct Place {
    std::uint32_t bytes = 0;
    std::vector<Access> accesses;  ///< the last write and the last read of each lane
    bool knows_value = false;      ///< who wrote what stands there: the last write in `accesses`
  };

  void access(const AccessEvent& event, unsigned lane, const Location& location);
  void forget(const Location& location, std::uint32_t bytes);
  bool happened_before(std::size_t clock, const Moment& earlier, const Moment& now);
  bool is_missing_fence(const Access& earlier, const Access& now);
  void report(const AccessEvent& event, const Access& earlier, const Access& now, std::uint64_t address);

  const Scene* scene_ = nullptr;
  std::map<Location, Place> places_;
  std::set<std::pair<Site, Site>> reported_;
  std::vector<Finding> findings_;
};

}  // namespace foldproof
