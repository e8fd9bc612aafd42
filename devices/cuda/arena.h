// Where the buffers of a batch of jobs lie: in one block of the GPU's memory, which is copied there and back
// in one piece.
//
//   | canary | offset | buffer, poisoned behind its initial bytes | canary | canary | offset | buffer | …
//   | what steps of the jobs write …
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
  /// Of these the front is worth copying back.
  std::uint64_t bytes_of_buffers() const { return bytes_of_buffers_; }
  /// Bytes from the arena's start.
  std::uint64_t start(std::size_t job, std::size_t buffer) const {
    return places_[job].buffers[buffer].start;
  }
  /// Where the content of the job's step lies, which is a JobWrite.
  std::uint64_t content(std::size_t job, std::size_t step) const { return places_[job].contents[step]; }

  /// Writes what the GPU's memory is to hold before the jobs, `bytes()` of it.
  void fill(std::span<std::byte> memory) const;
  /// What came back of a job that ran to its end. `memory` begins with the arena.
  JobResult result(std::size_t job, std::span<const std::byte> memory) const;

 private:
  struct Place {
    std::uint64_t block = 0, start = 0, end = 0, block_end = 0;  ///< canaries up to `start` and from `end` on
  };
  struct Places {
    std::vector<Place> buffers;
    std::vector<std::uint64_t> contents;  ///< by step
  };

  /// What was written where it must not, as a sentence.
  std::optional<std::string> stray_write(std::size_t job, std::span<const std::byte> memory) const;

  std::span<const Job> jobs_;
  std::vector<Places> places_;
  std::uint64_t bytes_ = 0, bytes_of_buffers_ = 0;
};

}  // namespace foldproof::cuda
