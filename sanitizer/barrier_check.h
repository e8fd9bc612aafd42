// Barriers of a block: who comes must come to the same one.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sanitizer/check.h"

namespace foldproof {

/// Reports `barrier-divergence`:
///   - lanes of one warp meet an aligned barrier (bar.sync, __syncthreads) at different instructions, or some
///     wait at it while others go on behind the branch that divided them (who ends there counts as having
///     come);
///   - warps complete barrier 0 of the whole block, which is what __syncthreads is, at different lines of the
///     source;
///   - a barrier is met with different thread counts, or by votes (.red) and others in one phase. To count
///     all threads of the block and to count none is the same.
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
  /// Who has come to a barrier since it was last complete.
  struct Phase {
    std::optional<BarrierEvent> latest;
    /// Of warps that did not come as wholes, by warp: a thousand lanes may come one by one.
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
  OfBlock* latest_ = nullptr;  ///< of that block
  std::set<std::pair<Site, Site>> reported_;
  std::map<std::pair<Site, Site>, bool> of_one_line_;
};

}  // namespace foldproof
