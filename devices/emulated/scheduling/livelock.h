// When a launch can never end: every thread waits, or runs in circles that only another thread could end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "devices/emulated/execution/executor.h"
#include "devices/emulated/state/residency.h"

namespace foldproof::emulated {

/// Recognises livelocks and reports deadlocks.
class Livelock {
 public:
  /// All references outlive it.
  Livelock(const Parts& parts, const Residency& residency, Executor& executor)
      : parts_(parts), residency_(residency), executor_(executor) {}

  /// Called after each round of all resident blocks. Where round after round nothing changes that other
  /// threads can see, it tries to prove that nothing ever will, by executing on; then it ends the launch.
  void watch();
  /// Ends the launch with a finding that lists the waiting lanes; `how` says what is wrong with them.
  [[noreturn]] void report(Kind kind, const char* how);

 private:
  bool all_run_in_circles();
  bool runs_in_a_circle(Warp& warp, std::size_t index);
  struct Waiters {
    std::vector<std::string> descriptions;
    std::vector<ThreadId> threads;
    const Instruction* first = nullptr;
  };
  void describe(const Block& block, Waiters& waiters) const;

  Parts parts_;
  const Residency& residency_;
  Executor& executor_;
  std::uint64_t changes_before_ = 0, quiet_rounds_ = 0, next_proof_ = 0;
};

}  // namespace foldproof::emulated
