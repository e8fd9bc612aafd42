// A device for runs whose total cost is limited, by instructions instead of time: the same runs end
// everywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "devices/runner.h"

namespace foldproof {

/// Not an error of the input: nothing that handles those handles this.
struct LimitReached : std::exception {
  const char* what() const noexcept override { return "the runs cost more than their limit"; }
};

class LimitedRunner final : public Runner {
 public:
  /// `limit`: warp instructions, as in JobResult::cost.
  LimitedRunner(Runner& runner, std::uint64_t limit) : runner_(runner), left_(limit) {}

  /// Raises the remaining limit to at least `cost`.
  void permit(std::uint64_t cost) { left_ = std::max(left_, cost); }

  Capabilities capabilities() const override { return runner_.capabilities(); }
  /// Throws LimitReached, too, if earlier runs have reached the limit.
  std::vector<JobResult> run(const std::vector<Job>& jobs) override;
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) override {
    return runner_.entries(image);
  }

 private:
  Runner& runner_;
  std::uint64_t left_;
};

}  // namespace foldproof
