// How far a launch is: its clock, and the counts by which a launch that will never end is recognised.
#pragma once

#include <cstdint>

namespace foldproof::emulated {

class Progress {
 public:
  void executed(std::uint64_t warp_instructions) { warp_instructions_ += warp_instructions; }
  /// A poll took this much time besides its instruction.
  void waited(std::uint64_t time) { waited_ += time; }
  /// Something changed that other threads can see: memory, a barrier, an exit; or a clock was read.
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
