// Serialization of jobs and results between two processes of this program on one machine.
//
//   A message is its length, a request number that the reply repeats, and that many bytes; their first number
//   identifies the message (Request, Answer). Lists, bytes and texts are preceded by their length; every
//   number has 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "devices/runner.h"

namespace foldproof {

/// Longer messages are invalid.
inline constexpr std::uint64_t max_message = std::uint64_t{1} << 36;

enum class Request : std::uint64_t {
  entries,  ///< of an image; reply: entries, or unknown_image if only its key was sent
  run       ///< jobs of one image, identified by its key; reply: results
};

enum class Answer : std::uint64_t {
  entries,
  results,
  unknown_image,
  not_together,  ///< one of several jobs corrupted the device for all: run each alone, in another process
  wrong_input,   ///< sentence, position
  unsupported    ///< the same
};

/// Images are sent once and identified by this key afterwards.
std::uint64_t key_of(const Image& image);

void write(ByteWriter& to, const JobArgument& argument);
void write(ByteWriter& to, const Image& image);
void write(ByteWriter& to, const std::vector<EntryInfo>& entries);
void write(ByteWriter& to, std::span<const Job> jobs);  ///< without their image and trace request
void write(ByteWriter& to, const std::vector<JobResult>& results);
void write(ByteWriter& to, const Position& position);

Image read_image(ByteReader& from);
std::vector<EntryInfo> read_entries(ByteReader& from);
std::vector<Job> read_jobs(ByteReader& from, const std::shared_ptr<const Image>& image);
std::vector<JobResult> read_results(ByteReader& from);
Position read_position(ByteReader& from);

}  // namespace foldproof
