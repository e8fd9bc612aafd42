// What all checks have in common: they find something in a launch, and tell it at its end.
#pragma once

#include <utility>
#include <vector>

#include "sanitizer/observer.h"

namespace foldproof {

class Check : public Observer {
 public:
  /// Findings of a launch that broke off, and whose end nobody told, are dropped.
  void launch_begins(const LaunchView& launch) override {
    launch_ = &launch;
    findings_.clear();
  }
  std::vector<Finding> launch_ends() final {
    launch_ = nullptr;
    return std::exchange(findings_, {});
  }

 protected:
  const LaunchView* launch_ = nullptr;  ///< of the launch that is watched
  std::vector<Finding> findings_;
};

}  // namespace foldproof
