// Jobs and results as bytes, between two processes of this program on one machine.
//
//   A message is its length, a number that an answer repeats of what it answers, and so many bytes; the first
//   of their numbers says which one it is (Request, Answer). A list begins with its length, as bytes and
//   texts do; every number has 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/runner.h"

namespace foldproof {

/// A longer message is none.
inline constexpr std::uint64_t most_message = std::uint64_t{1} << 36;

enum class Request : std::uint64_t {
  entries,  ///< of an image; answered by entries, or by unknown_image where only its key was sent
  run       ///< jobs of one image, which is known by its key; answered by results
};

enum class Answer : std::uint64_t {
  entries,
  results,
  unknown_image,
  not_together,  ///< one of several jobs spoilt the device for all of them: run each alone, in another
                 ///< process
  wrong_input,   ///< sentence, position
  unsupported    ///< the same
};

/// What the other side sent is none of the messages.
struct Garbled {
  std::string what;
};

class WireWriter {
 public:
  WireWriter() = default;
  template <typename Enumeration>
  explicit WireWriter(Enumeration message) {
    number(static_cast<std::uint64_t>(message));
  }
  void number(std::uint64_t value) { raw(&value, sizeof value); }
  void bytes(std::span<const std::byte> content) {
    number(content.size());
    raw(content.data(), content.size());
  }
  void text(std::string_view text) { bytes(std::as_bytes(std::span(text))); }
  const std::vector<std::byte>& message() const { return message_; }

 private:
  void raw(const void* from, std::size_t bytes) {
    const std::size_t end = message_.size();
    message_.resize(end + bytes);
    if (bytes != 0) std::memcpy(message_.data() + end, from, bytes);
  }

  std::vector<std::byte> message_;
};

/// Throws Garbled where the message does not hold what is asked for.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> message) : left_(message) {}

  std::uint64_t number();
  /// Of the length of a list: of elements that each take a byte of the message at least.
  std::uint64_t length();
  std::vector<std::byte> bytes();
  std::string text();
  void expect_end() const;

 private:
  std::span<const std::byte> taken(std::uint64_t bytes);

  std::span<const std::byte> left_;
};

/// Images are sent once and known by this afterwards.
std::uint64_t key_of(const Image& image);

void write(WireWriter& to, const JobArgument& argument);
void write(WireWriter& to, const Image& image);
void write(WireWriter& to, const std::vector<EntryInfo>& entries);
void write(WireWriter& to, std::span<const Job> jobs);  ///< without their image and what is to be followed
void write(WireWriter& to, const std::vector<JobResult>& results);
void write(WireWriter& to, const Position& position);

Image read_image(WireReader& from);
std::vector<EntryInfo> read_entries(WireReader& from);
std::vector<Job> read_jobs(WireReader& from, const std::shared_ptr<const Image>& image);
std::vector<JobResult> read_results(WireReader& from);
Position read_position(WireReader& from);

}  // namespace foldproof
