#include "base/connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"

namespace foldproof {
namespace {

/// How long a program may take to exit before it is killed.
constexpr std::chrono::milliseconds time_to_exit{500};
constexpr std::size_t most_words = 400;

[[noreturn]] void cannot(const std::string& what, int error) {
  throw Unsupported(fmt::format("{}: {}", what, std::strerror(error)));
}

int memory_file() {
  const int file = memfd_create("printed", MFD_CLOEXEC);
  if (file < 0) cannot("cannot create a file in memory", errno);
  return file;
}

}  // namespace

Connection::Sockets Connection::connected_sockets() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    cannot("cannot open a socket", errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Connection::Connection(const std::vector<std::string>& command) : Connection(command, connected_sockets()) {}

Connection::Connection(const std::vector<std::string>& command, Sockets sockets)
    : socket_(std::move(sockets.first)),
      printed_(memory_file()),
      child_(Command{command, {}, sockets.second.number(), printed_.number(), printed_.number()}) {}

void Connection::wait_until_ready(short events) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) throw Ended{false, ""};
    pollfd waiting{socket_.number(), events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) cannot("poll fails", errno);
  }
}

void Connection::send(const void* from, std::size_t bytes) {
  for (const auto* at = static_cast<const std::byte*>(from); bytes > 0;) {
    wait_until_ready(POLLOUT);
    const ssize_t sent = ::send(socket_.number(), at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) throw end();
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void Connection::receive(void* to, std::size_t bytes) {
  for (auto* at = static_cast<std::byte*>(to); bytes > 0;) {
    wait_until_ready(POLLIN);
    const ssize_t got = recv(socket_.number(), at, bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) throw end();
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

Ended Connection::end() {
  shutdown(socket_.number(), SHUT_RDWR);
  const auto exited = child_.wait(std::chrono::steady_clock::now() + time_to_exit);
  const ExitStatus status = exited ? *exited : child_.kill();
  const std::string how = to_string(status), words = last_words();
  return {true, words.empty() ? how : fmt::format("{}; its last output: {}", how, words),
          status.is_known && status.signal != SIGKILL};
}

bool Connection::finish() {
  shutdown(socket_.number(), SHUT_RDWR);
  if (child_.wait(deadline_)) return true;
  end();
  return false;
}

bool Connection::is_alive() {
  if (!child_.is_running()) return false;
  // A fork that ended the program shut down the socket immediately; the process itself may take longer to
  // exit.
  char byte = 0;
  return recv(socket_.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}

void Connection::forget_words() { forgotten_ = std::max<off_t>(lseek(printed_.number(), 0, SEEK_END), 0); }

std::string Connection::last_words() const {
  const off_t size = lseek(printed_.number(), 0, SEEK_END);
  const auto said = static_cast<std::size_t>(std::max<off_t>(size - forgotten_, 0));
  std::string text(std::min(most_words, said), '\0');
  const ssize_t got =
      pread(printed_.number(), text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace foldproof
