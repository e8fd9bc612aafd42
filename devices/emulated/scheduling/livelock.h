// Detects launches that never end: every thread waits, or loops until another thread makes progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "devices/emulated/execution/executor.h"
#include "devices/emulated/state/residency.h"

namespace foldproof::emulated {

/// Detects livelocks and reports deadlocks.
class Livelock {
 public:
  /// All references must outlive it.
  Livelock(const Parts& parts, const Residency& residency, Executor& executor)
      : parts_(parts), residency_(residency), executor_(executor) {}

  /// Called after each round of all resident blocks. After several rounds without a change visible to other
  /// threads, it tries to prove by further execution that there will never be one; if so, it ends the launch.
  void watch();
  /// Ends the launch with a finding that lists the waiting lanes; `how` describes the problem.
  [[noreturn]] void report(Kind kind, const char* how);

 private:
  /// The number of groups that can run, if each is proven to repeat the same steps forever.
  std::optional<std::size_t> groups_in_circles();
  bool runs_in_a_circle(Warp& warp, std::size_t index);

  Parts parts_;
  const Residency& residency_;
  Executor& executor_;
  std::uint64_t changes_before_ = 0, quiet_rounds_ = 0, next_proof_ = 0;
};

}  // namespace foldproof::emulated
