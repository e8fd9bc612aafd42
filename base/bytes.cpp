#include "base/bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace foldproof {
namespace {

/// After an operation failed: if it did since the descriptor is non-blocking, waits until it can be repeated.
/// Returns whether it can.
bool waits_to_repeat(int descriptor, short event) {
  if (errno != EAGAIN) return false;
  pollfd ready{descriptor, event, 0};
  return poll(&ready, 1, -1) > 0 || errno == EINTR;
}

/// Calls `transfer`, which is read or write, until all bytes are transferred. `event`: of poll, when it can
/// be called.
template <typename Transfer, typename Byte>
bool transfer_all(Transfer transfer, short event, int descriptor, Byte* at, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t moved = transfer(descriptor, at, bytes);
    if (moved < 0 && (errno == EINTR || waits_to_repeat(descriptor, event))) continue;
    if (moved == 0) errno = 0;
    if (moved <= 0) return false;
    at += moved;
    bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

}  // namespace

void Descriptor::reset() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Unsupported(fmt::format("cannot open a pipe: {}", std::strerror(errno)));
  from = Descriptor(ends[0]);
  to = Descriptor(ends[1]);
}

bool read_all(int from, void* to, std::size_t bytes) {
  return transfer_all(read, POLLIN, from, static_cast<std::byte*>(to), bytes);
}

bool write_all(int to, const void* from, std::size_t bytes) {
  return transfer_all(write, POLLOUT, to, static_cast<const std::byte*>(from), bytes);
}

std::string read_to_end(int from, std::size_t most) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t got = read(from, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(chunk.data(), std::min(static_cast<std::size_t>(got), most - text.size()));
  }
}

void ByteWriter::append(const void* from, std::size_t bytes) {
  const std::size_t end = message_.size();
  message_.resize(end + bytes);
  if (bytes != 0) std::memcpy(message_.data() + end, from, bytes);
}

void ByteWriter::number(std::uint64_t value) { append(&value, sizeof value); }

void ByteWriter::bytes(std::span<const std::byte> content) {
  number(content.size());
  append(content.data(), content.size());
}

std::uint64_t ByteReader::number() {
  std::uint64_t value = 0;
  std::memcpy(&value, taken(sizeof value).data(), sizeof value);
  return value;
}

std::uint64_t ByteReader::length() {
  const std::uint64_t length = number();
  if (length > left_.size())
    throw ProtocolError{fmt::format("a list of {} in {} bytes", length, left_.size())};
  return length;
}

std::vector<std::byte> ByteReader::bytes() {
  const auto content = taken(number());
  return {content.begin(), content.end()};
}

std::string ByteReader::text() {
  const auto content = taken(number());
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

void ByteReader::expect_end() const {
  if (!left_.empty()) throw ProtocolError{fmt::format("{} bytes after the message", left_.size())};
}

std::span<const std::byte> ByteReader::taken(std::uint64_t bytes) {
  if (bytes > left_.size())
    throw ProtocolError{fmt::format("{} bytes requested, {} left", bytes, left_.size())};
  const auto front = left_.first(bytes);
  left_ = left_.subspan(bytes);
  return front;
}

}  // namespace foldproof
