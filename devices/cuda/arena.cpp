#include "devices/cuda/arena.h"

#include <algorithm>
#include <cstring>

#include "devices/runner_parts.h"
#include "devices/undefined_fill.h"

namespace foldproof::cuda {
namespace {

/// The alignment of cudaMalloc, so that a buffer keeps its offset from an aligned address.
constexpr std::uint64_t alignment = 512;
/// Out-of-bounds accesses usually miss a buffer by an element or a row.
constexpr std::uint64_t least_canary = 512;
constexpr std::byte canary{0xc3};

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

Arena::Arena(std::span<const Job> jobs) : jobs_(jobs), places_(jobs.size()) {
  for (std::size_t j = 0; j < jobs.size(); ++j)
    for (const JobBuffer& buffer : jobs[j].buffers) {
      Place place;
      place.block = bytes_;
      place.start = place.block + least_canary + buffer.offset;
      place.end = place.start + buffer.bytes;
      place.block_end = aligned(place.end + least_canary);
      places_[j].push_back(place);
      bytes_ = place.block_end;
    }
  bytes_of_buffers_ = bytes_;
  for (std::size_t j = 0; j < jobs.size(); ++j)
    for (const JobStep& step : jobs[j].steps)
      if (const auto* reset = std::get_if<JobReset>(&step)) {
        Place& place = places_[j][reset->buffer];
        if (place.initial != 0) continue;
        place.initial = bytes_;
        bytes_ = aligned(bytes_ + jobs[j].buffers[reset->buffer].bytes);
      }
}

void Arena::fill(std::span<std::byte> memory) const {
  const auto put = [&](const JobBuffer& buffer, std::uint64_t at) {
    const std::uint64_t first = buffer.initial.size() / 4 * 4;  // the poison pattern consists of 4-byte words
    fill_undefined(memory.subspan(at + first, buffer.bytes - first), {}, 0, first);
    std::ranges::copy(buffer.initial, memory.begin() + static_cast<std::ptrdiff_t>(at));
  };
  for (std::size_t j = 0; j < jobs_.size(); ++j)
    for (std::size_t b = 0; b < jobs_[j].buffers.size(); ++b) {
      const Place& place = places_[j][b];
      std::memset(memory.data() + place.block, static_cast<int>(canary), place.block_end - place.block);
      put(jobs_[j].buffers[b], place.start);
      if (place.initial != 0) put(jobs_[j].buffers[b], place.initial);
    }
}

JobResult Arena::result(std::size_t job, std::span<const std::byte> memory) const {
  if (const auto stray = stray_write(job, memory)) return failed_job(jobs_[job], Kind::out_of_bounds, *stray);
  JobResult result;
  result.contents.resize(jobs_[job].buffers.size());
  for (std::size_t b = 0; b < jobs_[job].buffers.size(); ++b) {
    if (!jobs_[job].buffers[b].read_back) continue;
    const Place& place = places_[job][b];
    const auto content = memory.subspan(place.start, place.end - place.start);
    result.contents[b].assign(content.begin(), content.end());
  }
  return result;
}

std::optional<std::string> Arena::stray_write(std::size_t job, std::span<const std::byte> memory) const {
  const auto stray_in = [&](std::uint64_t from, std::uint64_t to) -> std::optional<std::uint64_t> {
    const auto part = memory.subspan(from, to - from);
    const auto at = std::ranges::find_if(part, [](std::byte b) { return b != canary; });
    if (at == part.end()) return std::nullopt;
    return from + static_cast<std::uint64_t>(at - part.begin());
  };
  for (std::size_t b = 0; b < jobs_[job].buffers.size(); ++b) {
    const Place& place = places_[job][b];
    auto at = stray_in(place.end, place.block_end);
    if (!at) at = stray_in(place.block, place.start);
    if (!at) continue;
    return stray_write_sentence(jobs_[job].buffers[b],
                                static_cast<std::int64_t>(*at) - static_cast<std::int64_t>(place.start));
  }
  return std::nullopt;
}

}  // namespace foldproof::cuda
