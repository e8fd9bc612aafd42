#include "devices/process/connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace foldproof {
namespace {

/// What a process that ended without a word from us has before it is ended.
constexpr std::chrono::milliseconds grace{500};
constexpr std::size_t most_words = 400;

[[noreturn]] void cannot(const std::string& what, int error) {
  throw InputError(fmt::format("{}: {}", what, std::strerror(error)));
}

pid_t spawn(const std::vector<std::string>& command, int socket, int printed) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, printed, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, printed, STDERR_FILENO);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, words.at(0).c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) cannot(fmt::format("{} cannot be started", command[0]), error);
  return child;
}

}  // namespace

Connection::Connection(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    cannot("no socket can be opened", errno);
  socket_ = ends[0];
  printed_ = memfd_create("printed", MFD_CLOEXEC);
  try {
    child_ = spawn(command, ends[1], printed_);
  } catch (...) {
    close(ends[1]);
    close(socket_);
    close(printed_);
    throw;
  }
  close(ends[1]);
}

Connection::~Connection() {
  end();
  close(socket_);
  close(printed_);
}

void Connection::wait_until_ready(short events) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - std::chrono::steady_clock::now());
    if (left.count() <= 0) throw Ended{false, ""};
    pollfd waiting{socket_, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 1 << 30)));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) cannot("poll fails", errno);
  }
}

void Connection::send(const void* from, std::size_t bytes) {
  for (const auto* at = static_cast<const std::byte*>(from); bytes > 0;) {
    wait_until_ready(POLLOUT);
    const ssize_t sent = ::send(socket_, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) throw end();
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

void Connection::receive(void* to, std::size_t bytes) {
  for (auto* at = static_cast<std::byte*>(to); bytes > 0;) {
    wait_until_ready(POLLIN);
    const ssize_t got = recv(socket_, at, bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) throw end();
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

Ended Connection::end() {
  if (child_ <= 0) return ended("has ended", false);
  shutdown(socket_, SHUT_RDWR);
  int status = 0;
  const auto until = std::chrono::steady_clock::now() + grace;
  pid_t waited = 0;
  while ((waited = waitpid(child_, &status, WNOHANG)) == 0 && std::chrono::steady_clock::now() < until)
    usleep(1000);
  if (waited == 0) {
    kill(child_, SIGKILL);
    while ((waited = waitpid(child_, &status, 0)) < 0 && errno == EINTR) {
    }
  }
  if (waited < 0) kill(child_, SIGKILL);  // somebody else's child, who will hear how it ended
  child_ = -1;
  if (waited < 0) return ended("has ended", false);
  if (!WIFSIGNALED(status)) return ended(fmt::format("ended with status {}", WEXITSTATUS(status)), true);
  const int signal = WTERMSIG(status);
  return ended(fmt::format("was ended by signal {} ({})", signal, strsignal(signal)), signal != SIGKILL);
}

bool Connection::finish() {
  shutdown(socket_, SHUT_RDWR);
  while (child_ > 0 && std::chrono::steady_clock::now() < deadline_) {
    if (waitpid(child_, nullptr, WNOHANG) != 0) {
      child_ = -1;
      return true;
    }
    usleep(1000);
  }
  end();
  return false;
}

Ended Connection::ended(const std::string& how, bool by_itself) {
  const std::string words = last_words();
  return {true, words.empty() ? how : fmt::format("{}, having said: {}", how, words), by_itself};
}

bool Connection::is_alive() {
  if (child_ > 0 && waitpid(child_, nullptr, WNOHANG) != 0) child_ = -1;
  if (child_ <= 0) return false;
  // A fork that ended it shut the socket at once; the process itself may take a while to go.
  char byte = 0;
  return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}

void Connection::forget_words() { forgotten_ = std::max<off_t>(lseek(printed_, 0, SEEK_END), 0); }

std::string Connection::last_words() const {
  const off_t size = lseek(printed_, 0, SEEK_END);
  const auto said = static_cast<std::size_t>(std::max<off_t>(size - forgotten_, 0));
  std::string text(std::min(most_words, said), '\0');
  const ssize_t got = pread(printed_, text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace foldproof
