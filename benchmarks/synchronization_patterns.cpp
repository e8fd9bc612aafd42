#include "benchmarks/synchronization_patterns.h"

#include <string>

#include "sanitizer/checks.h"

namespace foldproof {
namespace {

class PatternLaunch final : public LaunchView {
 public:
  explicit PatternLaunch(const SynchronizationPattern& pattern) : pattern_(pattern) {}
  std::uint32_t threads_per_block() const override { return pattern_.warps * lanes_per_warp; }
  std::uint32_t blocks_per_cluster() const override { return pattern_.cluster; }
  std::uint64_t blocks() const override { return std::uint64_t{1} << 40; }
  Position position(Site site) const override { return {"pattern", site, 0}; }
  bool is_of_cooperative_groups(Site) const override { return false; }
  bool passes_on_by_shuffle(Site) const override { return false; }
  bool has_plain_strong_accesses() const override { return true; }
  InstructionClass class_of(Site) const override { return {}; }
  ThreadId thread(WarpId, unsigned) const override { return {}; }
  std::string memory_at(bool, std::uint64_t) const override { return "the place"; }

 private:
  const SynchronizationPattern& pattern_;
};

}  // namespace

std::vector<SynchronizationPattern> synchronization_patterns() {
  std::vector<SynchronizationPattern> all;
  for (const auto patterns : {block_patterns(), flag_patterns()})
    all.insert(all.end(), patterns.begin(), patterns.end());
  return all;
}

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
