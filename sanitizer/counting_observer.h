// The observer that counts.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "sanitizer/counters.h"
#include "sanitizer/observer.h"

namespace foldproof {

/// Sums the counters over all launches of a job; each job starts from zero.
class CountingObserver final : public Observer {
 public:
  /// `into` must outlive the observer.
  explicit CountingObserver(Counters& into) : counters_(into) {}

  bool wants_executions() const override { return true; }
  void job_begins(bool all_reads) override;
  void launch_begins(const LaunchView& launch) override;
  std::vector<Finding> launch_ends() override;
  void block_ends(BlockNumber block) override;
  void executes(const ExecutionEvent& event) override;
  void branch_divides(const ExecutionEvent& event) override;
  void accesses(const AccessEvent& event) override;
  void warp_barrier_completes(const BarrierEvent& event) override;
  void barrier_completes(BlockNumber block, std::uint32_t barrier) override;
  void cluster_completes(std::uint64_t cluster) override;

 private:
  struct OfBlock {
    std::size_t round = 0;
    std::vector<std::uint64_t> shared_requests;  ///< by warp
  };

  void count_shared(const AccessEvent& event);
  void count_global(const AccessEvent& event);
  Round& round_of(const OfBlock& block);

  Counters& counters_;
  const LaunchView* launch_ = nullptr;
  std::vector<std::uint64_t> executed_;                       ///< by site
  std::map<BlockNumber, OfBlock> blocks_;                     ///< those that have not ended
  std::unordered_map<std::uint64_t, std::uint64_t> atomics_;  ///< by address in global memory
};

}  // namespace foldproof
