// Common base of all checks: they collect findings during a launch and return them at its end.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sanitizer/observer.h"

namespace foldproof {

class Check : public Observer {
 public:
  /// Drops the findings of an earlier launch that was aborted without launch_ends().
  void launch_begins(const LaunchView& launch) override {
    launch_ = &launch;
    findings_.clear();
  }
  std::vector<Finding> launch_ends() final {
    launch_ = nullptr;
    return std::exchange(findings_, {});
  }

 protected:
  /// Adds an error about two instructions.
  void add_pair(Kind kind, std::string message, const BarrierEvent& now, const BarrierEvent& other) {
    findings_.push_back({.kind = kind,
                         .message = std::move(message),
                         .at = launch_->position(now.site),
                         .other = launch_->position(other.site),
                         .threads = {launch_->thread(now.warp, first_lane(now.lanes)),
                                     launch_->thread(other.warp, first_lane(other.lanes))}});
  }

  const LaunchView* launch_ = nullptr;  ///< the launch being observed
  std::vector<Finding> findings_;
};

}  // namespace foldproof
