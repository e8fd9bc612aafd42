// The memory layout for a batch of jobs: all buffers are in one block of GPU memory, which is copied in one
// piece in each direction.
//
//   | canary | offset | buffer, poisoned after its initial bytes | canary | canary | offset | buffer | …
//   | initial contents of the buffers that the jobs reset …
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "devices/runner.h"

namespace foldproof::cuda {

class Arena {
 public:
  explicit Arena(std::span<const Job> jobs);

  std::uint64_t bytes() const { return bytes_; }
  /// Bytes of the buffers, which are at the front; only these need to be copied back.
  std::uint64_t bytes_of_buffers() const { return bytes_of_buffers_; }
  /// Offset in bytes from the start of the arena.
  std::uint64_t start(std::size_t job, std::size_t buffer) const { return places_[job][buffer].start; }
  /// Offset of the initial contents of a buffer that a step of the job resets.
  std::uint64_t initial(std::size_t job, std::size_t buffer) const { return places_[job][buffer].initial; }

  /// Fills the initial contents of the arena, `bytes()` bytes.
  void fill(std::span<std::byte> memory) const;
  /// The result of a job that ran to completion. `memory` begins with the arena.
  JobResult result(std::size_t job, std::span<const std::byte> memory) const;

 private:
  struct Place {
    std::uint64_t block = 0, start = 0, end = 0, block_end = 0;  ///< canaries before `start` and from `end`
    std::uint64_t initial = 0;                                   ///< 0: no step resets the buffer
  };

  /// Describes a write outside the buffers, in one sentence; std::nullopt if there was none.
  std::optional<std::string> stray_write(std::size_t job, std::span<const std::byte> memory) const;

  std::span<const Job> jobs_;
  std::vector<std::vector<Place>> places_;  ///< by job and buffer
  std::uint64_t bytes_ = 0, bytes_of_buffers_ = 0;
};

}  // namespace foldproof::cuda
