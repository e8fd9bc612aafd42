// Inter-process I/O: descriptors, complete reads and writes, and messages of numbers, strings and lists.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace foldproof {

/// The time by which an operation must have ended; absent: no limit.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// The earlier of the two.
inline std::chrono::steady_clock::time_point earlier(Deadline deadline,
                                                     std::chrono::steady_clock::time_point other) {
  return deadline ? std::min(*deadline, other) : other;
}

/// When to stop waiting for something that should answer at once: after `patience`, or after half of the time
/// until the deadline, so that the other half is left for the work itself.
inline std::chrono::steady_clock::time_point patient_until(std::chrono::seconds patience, Deadline deadline) {
  const auto now = std::chrono::steady_clock::now();
  return deadline ? std::min(now + patience, now + (*deadline - now) / 2) : now + patience;
}

/// Owns an open file descriptor and closes it. A negative number means none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }

  int number() const { return number_; }
  void reset();

 private:
  int number_ = -1;
};

/// The two ends of a pipe, both close-on-exec.
struct Pipe {
  /// Throws Unsupported if the system has no descriptors left.
  Pipe();
  Descriptor from, to;
};

/// Returns false at the end of file, with errno 0, or on an error, with its reason in errno.
bool read_all(int from, void* to, std::size_t bytes);

/// Waits, also if another program has made the descriptor non-blocking. Returns false on an error, with its
/// reason in errno: EPIPE if the reading end of a pipe is closed.
bool write_all(int to, const void* from, std::size_t bytes);

/// Reads until end of file and returns the first `most` bytes.
std::string read_to_end(int from, std::size_t most);

/// The other process sent something that is not a message of the protocol.
struct ProtocolError {
  std::string what;
};

/// Writes a message. A number has 64 bits in native byte order; bytes and text are preceded by their length.
class ByteWriter {
 public:
  ByteWriter() = default;
  /// Begins with the value of an enumerator that identifies the message.
  template <typename Enumeration>
  requires std::is_enum_v<Enumeration>
  explicit ByteWriter(Enumeration message) { number(static_cast<std::uint64_t>(message)); }

  void number(std::uint64_t value);
  void bytes(std::span<const std::byte> content);
  void text(std::string_view text) { bytes(std::as_bytes(std::span(text))); }
  const std::vector<std::byte>& message() const { return message_; }

 private:
  void append(const void* from, std::size_t bytes);

  std::vector<std::byte> message_;
};

/// Reads a message in the order in which it was written. Every function throws ProtocolError if the message
/// does not contain the requested item.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> message) : left_(message) {}

  std::uint64_t number();
  /// The length of a list whose elements take at least one byte of the message each.
  std::uint64_t length();
  std::vector<std::byte> bytes();
  std::string text();
  void expect_end() const;

 private:
  std::span<const std::byte> taken(std::uint64_t bytes);

  std::span<const std::byte> left_;
};

}  // namespace foldproof
