// Requests to one worker process, and its replies.
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

/// All functions throw Ended if the process ends or does not reply in time, ProtocolError for an invalid
/// reply, and InputError or Unsupported for a refusal.
class WorkerClient {
 public:
  explicit WorkerClient(const std::vector<std::string>& command) : connection_(command) {}

  /// Loads the image in the worker, and returns its kernels.
  std::vector<EntryInfo> introduce(const Image& image, std::chrono::milliseconds limit);
  /// The results of jobs of one image, one per job, or std::nullopt if the worker reports that one of them
  /// corrupted the device for all. `start`: the limit for loading an image that is not known yet.
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
