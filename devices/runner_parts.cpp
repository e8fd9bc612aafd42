#include "devices/runner_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foldproof {

const JobLaunch& launch_before(const Job& job, std::size_t step) {
  for (std::size_t s = std::min(step, job.steps.size() - 1);; --s)
    if (const auto* launch = std::get_if<JobLaunch>(&job.steps.at(s))) return *launch;
}

JobResult failed_job(const Job& job, Kind kind, std::string message, std::size_t step) {
  JobResult result;
  result.contents.resize(job.buffers.size());
  result.completed = false;
  result.findings.push_back(
      {.kind = kind, .message = std::move(message), .at = launch_before(job, step).where});
  return result;
}

JobResult failed_job(const Job& job, std::string_view who, const Ended& ended,
                     std::chrono::milliseconds limit) {
  if (ended.in_time) return failed_job(job, Kind::crash, fmt::format("{} {}", who, ended.how));
  return failed_job(
      job, Kind::timeout,
      fmt::format("the case did not end within {} s", std::chrono::duration<double>(limit).count()));
}

JobResult failed_job(const Job& job, std::string_view who, const ProtocolError& error) {
  return failed_job(job, Kind::crash, fmt::format("{} sent an invalid reply: {}", who, error.what));
}

JobResult unsupported_job(const Job& job, std::string why) {
  JobResult result;
  result.contents.resize(job.buffers.size());
  result.completed = false;
  result.unsupported = std::move(why);
  return result;
}

std::string stray_write_sentence(const JobBuffer& buffer, std::int64_t at) {
  return fmt::format("out-of-bounds write near the buffer \"{}\" ({} bytes): the byte at offset {} changed",
                     buffer.name, buffer.bytes, at);
}

}  // namespace foldproof
