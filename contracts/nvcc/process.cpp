#include "contracts/nvcc/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace foldproof {
namespace {

constexpr std::size_t most_output = std::size_t{1} << 20;

[[noreturn]] void cannot_start(const std::string& program, int error) {
  throw InputError(fmt::format("{} cannot be started: {}", program, std::strerror(error)));
}

/// The two ends of a pipe, closed when it goes.
struct Pipe {
  std::array<int, 2> ends{-1, -1};

  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw InputError(fmt::format("no pipe can be opened: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close_end(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
};

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::string& assignment) {
  const std::string name = assignment.substr(0, assignment.find('=') + 1);
  std::vector<std::string> variables{assignment};
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with(name)) variables.emplace_back(*variable);
  return variables;
}

pid_t spawn(std::vector<std::string> arguments, const std::filesystem::path& temporary, const Pipe& output) {
  std::vector<std::string> environment = environment_with("TMPDIR=" + temporary.string());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0].c_str(), &actions, nullptr,
                                 pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) cannot_start(arguments[0], error);
  return child;
}

std::string drain(int descriptor) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t got = read(descriptor, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    if (text.size() < most_output) text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary) {
  Pipe output;
  const pid_t child = spawn(arguments, temporary, output);
  output.close_end(1);
  ProcessResult result;
  result.output = drain(output.ends[0]);
  result.status = wait_for(child);
  return result;
}

}  // namespace foldproof
