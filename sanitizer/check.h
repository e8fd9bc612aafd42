// Common base of all checks: they collect findings during a launch and return them at its end.
#pragma once

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
  const LaunchView* launch_ = nullptr;  ///< the launch being observed
  std::vector<Finding> findings_;
};

}  // namespace foldproof
