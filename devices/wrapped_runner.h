// What a runner needs that hands jobs on to another, and changes what goes there or comes back.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "devices/runner.h"

namespace foldproof {

/// All but `run` is the other's.
class WrappedRunner : public Runner {
 public:
  explicit WrappedRunner(std::unique_ptr<Runner> inner) : inner_(std::move(inner)) {}

  Capabilities capabilities() const final { return inner_->capabilities(); }
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) final {
    return inner_->entries(image);
  }

 protected:
  Runner& inner() { return *inner_; }

 private:
  std::unique_ptr<Runner> inner_;
};

}  // namespace foldproof
