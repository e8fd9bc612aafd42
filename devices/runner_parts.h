// Building blocks of runners: kernel arguments, results of failed jobs, and a runner that forwards jobs to
// another.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/connection.h"
#include "devices/runner.h"

namespace foldproof {

/// The argument bytes of a constant value.
template <typename T>
ArgumentBytes argument_of(const T& value) {
  ArgumentBytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// The argument's bytes with buffer addresses inserted; `start` returns the address of a buffer. Throws
/// InputError if an address does not fit.
template <typename Start>
ArgumentBytes patched(const JobArgument& argument, const Start& start) {
  ArgumentBytes bytes = argument.bytes;
  for (const PointerPatch& patch : argument.pointers) {
    const Address address = start(patch.buffer) + patch.offset;
    if (patch.at + sizeof address > bytes.size())
      throw InputError(fmt::format("an address at byte {} does not fit into an argument of {} bytes",
                                   patch.at, bytes.size()));
    std::memcpy(bytes.data() + patch.at, &address, sizeof address);
  }
  return bytes;
}

/// The last launch of a job at or before a step; a job has at least one launch.
const JobLaunch& launch_before(const Job& job, std::size_t step = ~std::size_t{0});

/// A result that is not completed, with one finding at the position of that launch.
JobResult failed_job(const Job& job, Kind kind, std::string message, std::size_t step = ~std::size_t{0});

/// The results of a job whose process ended, did not answer within `limit`, or sent an invalid reply. `who`
/// begins the sentence: "the host program".
JobResult failed_job(const Job& job, std::string_view who, const Ended& ended,
                     std::chrono::milliseconds limit);
JobResult failed_job(const Job& job, std::string_view who, const ProtocolError& error);

/// A result that is not completed, because the device lacks something.
JobResult unsupported_job(const Job& job, std::string why);

/// Describes an overwritten byte outside a buffer, at byte offset `at` from the buffer's start.
std::string stray_write_sentence(const JobBuffer& buffer, std::int64_t at);

/// Forwards everything except `run` to the inner runner, unless overridden.
class WrappedRunner : public Runner {
 public:
  explicit WrappedRunner(std::unique_ptr<Runner> inner) : inner_(std::move(inner)) {}

  Capabilities capabilities() const override { return inner_->capabilities(); }
  std::vector<EntryInfo> entries(const std::shared_ptr<const Image>& image) final {
    return inner_->entries(image);
  }

 protected:
  Runner& inner() { return *inner_; }

 private:
  std::unique_ptr<Runner> inner_;
};

}  // namespace foldproof
