// Block barriers: all threads that arrive must arrive at the same one.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sanitizer/check.h"

namespace foldproof {

/// Reports `barrier-divergence`:
///   - lanes of one warp wait at an aligned barrier (bar.sync, __syncthreads) at different instructions, or
///     some wait at it while others continue past the branch that separated them (lanes that exit there count
///     as arrived);
///   - warps complete barrier 0 of the whole block, which is __syncthreads, at different source lines;
///   - threads arrive at a barrier with different thread counts in one phase, or some with a vote (.red) and
///     others without. A count that equals the whole block is the same as no count.
class BarrierCheck final : public Check {
 public:
  bool wants_accesses() const override { return false; }
  void launch_begins(const LaunchView& launch) override;
  void block_ends(BlockNumber block) override;
  void barrier_arrives(const BarrierEvent& event) override;
  void warps_arrive(BarrierEvent event, std::uint32_t warps) override;
  void barrier_completes(BlockNumber block, std::uint32_t barrier) override;
  void leaves_behind(const BarrierEvent& event, LaneSet behind) override;

 private:
  /// The arrivals at a barrier since it last completed.
  struct Phase {
    std::optional<BarrierEvent> latest;
    /// Arrivals of partial warps, by warp: a thousand lanes may arrive one by one.
    std::map<std::uint32_t, std::vector<BarrierEvent>> parts;
  };
  using OfBlock = std::array<Phase, 16>;

  OfBlock& of_block(BlockNumber block) {
    if (!latest_ || latest_block_ != block) latest_ = &phases_[block];
    latest_block_ = block;
    return *latest_;
  }

  void compare(const BarrierEvent& earlier, const BarrierEvent& now);
  std::uint32_t counted(const BarrierEvent& event) const;
  bool of_one_line(Site a, Site b);
  void report(const BarrierEvent& now, const BarrierEvent& other, std::string message);

  std::map<BlockNumber, OfBlock> phases_;
  BlockNumber latest_block_ = 0;
  OfBlock* latest_ = nullptr;  ///< of `latest_block_`
  std::set<std::pair<Site, Site>> reported_;
  std::map<std::pair<Site, Site>, bool> of_one_line_;
};

}  // namespace foldproof
