// Questions to one worker process, and its answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/connection.h"
#include "devices/worker/wire.h"

namespace foldproof {

/// All throw Ended where the process ends or does not answer in time, ProtocolError where it answers what is
/// no answer, and for a refusal InputError or Unsupported.
class WorkerClient {
 public:
  explicit WorkerClient(const std::vector<std::string>& command) : connection_(command) {}

  /// Makes the image known, and tells its kernels.
  std::vector<EntryInfo> introduce(const Image& image, std::chrono::milliseconds limit);
  /// The results of jobs of one image, as many as there are jobs, or nothing where the worker says that one
  /// spoilt the device for all. `start`: for an image that is not known yet.
  std::optional<std::vector<JobResult>> run(std::span<const Job> jobs, std::chrono::milliseconds limit,
                                            std::chrono::milliseconds start);

  Connection& connection() { return connection_; }

 private:
  std::pair<Answer, std::vector<std::byte>> ask(const ByteWriter& request, std::chrono::milliseconds limit);
  std::pair<Answer, std::vector<std::byte>> ask_entries(const Image& image, bool whole,
                                                        std::chrono::milliseconds limit);

  Connection connection_;
  std::uint64_t questions_ = 0;
};

}  // namespace foldproof
