// Progress of a launch: its clock, and the counters that detect a launch that never ends.
#pragma once

#include <cstdint>

namespace foldproof::emulated {

class Progress {
 public:
  void executed(std::uint64_t warp_instructions) { warp_instructions_ += warp_instructions; }
  /// A poll costs this much time in addition to its instruction.
  void waited(std::uint64_t time) { waited_ += time; }
  /// A change that other threads can observe: memory, a barrier, an exit; also a read of a clock.
  void changed(std::uint64_t times = 1) { changes_ += times; }
  /// A load or an atomic was executed.
  void read() { ++reads_; }

  std::uint64_t warp_instructions() const { return warp_instructions_; }
  std::uint64_t time() const { return warp_instructions_ + waited_; }
  std::uint64_t changes() const { return changes_; }
  std::uint64_t reads() const { return reads_; }

 private:
  std::uint64_t warp_instructions_ = 0, waited_ = 0, changes_ = 0, reads_ = 0;
};

}  // namespace foldproof::emulated
