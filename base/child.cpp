#include "base/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace foldproof {
namespace {

constexpr std::size_t most_output = std::size_t{1} << 20;

/// This process's environment, with `assignments` added or replacing existing variables.
std::vector<std::string> environment_with(const std::vector<std::string>& assignments) {
  std::vector<std::string> variables = assignments;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const auto names_it = [&](const std::string& assignment) {
      return std::string_view(*variable).starts_with(assignment.substr(0, assignment.find('=') + 1));
    };
    if (std::ranges::none_of(assignments, names_it)) variables.emplace_back(*variable);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The settings of posix_spawn for the standard descriptors and the process group.
class SpawnSettings {
 public:
  SpawnSettings(const Command& command, ProcessGroup group) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    redirect(STDIN_FILENO, command.input, O_RDONLY);
    redirect(STDOUT_FILENO, command.output, O_WRONLY);
    redirect(STDERR_FILENO, command.error, O_WRONLY);
    if (group == ProcessGroup::own) posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  void redirect(int standard, int descriptor, int how) {
    if (descriptor < 0)
      posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null", how, 0);
    else
      posix_spawn_file_actions_adddup2(&actions_, descriptor, standard);
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

pid_t spawn(const Command& command, ProcessGroup group) {
  std::vector<std::string> words = command.arguments;
  std::vector<std::string> environment = environment_with(command.environment);
  const SpawnSettings settings(command, group);
  pid_t id = 0;
  const int error = posix_spawnp(&id, words.at(0).c_str(), settings.actions(), settings.attributes(),
                                 pointers_to(words).data(), pointers_to(environment).data());
  if (error != 0) throw InputError(fmt::format("{} cannot be started: {}", words[0], std::strerror(error)));
  return id;
}

/// noexcept: an exception must not unwind into the parent's stack frames.
[[noreturn]] void work_and_exit(const std::function<void()>& work) noexcept {
  work();
  _exit(0);
}

pid_t fork_for(const std::function<void()>& work, ProcessGroup group) {
  std::fflush(nullptr);  // otherwise both processes would write the buffered output
  const pid_t parent = getpid();
  const pid_t id = fork();
  if (id < 0) throw InputError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  // Both processes set the group, since either may be the first to need it.
  if (group == ProcessGroup::own) setpgid(id, id);
  if (id > 0) return id;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  work_and_exit(work);
}

}  // namespace

std::string to_string(const ExitStatus& status) {
  if (!status.is_known) return "has ended";
  if (status.signal == 0) return fmt::format("ended with status {}", status.code);
  return fmt::format("was ended by signal {} ({})", status.signal, strsignal(status.signal));
}

Child::Child(const Command& command, ProcessGroup group) : id_(spawn(command, group)), group_(group) {}

Child::Child(const std::function<void()>& work, ProcessGroup group)
    : id_(fork_for(work, group)), group_(group) {}

Child::Child(Child&& other) noexcept
    : id_(std::exchange(other.id_, -1)), group_(other.group_), status_(other.status_) {}

Child::~Child() {
  if (id_ > 0) kill();
}

Child::State Child::reap(int options) {
  if (status_) return State::ended;
  int status = 0;
  pid_t reaped = 0;
  while ((reaped = waitpid(id_, &status, options)) < 0 && errno == EINTR) {
  }
  if (reaped < 0) return State::not_ours;
  if (reaped == 0) return State::running;
  status_ = WIFSIGNALED(status) ? ExitStatus{0, WTERMSIG(status)} : ExitStatus{WEXITSTATUS(status), 0};
  return State::ended;
}

bool Child::is_running() { return reap(WNOHANG) == State::running; }

std::optional<ExitStatus> Child::wait(std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::milliseconds moment{1};
  while (reap(WNOHANG) == State::running && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(moment);
  return status_;
}

ExitStatus Child::wait() {
  if (reap(0) == State::not_ours) status_ = ExitStatus{0, 0, false};
  return *status_;
}

void Child::signal(int number) const {
  if (!status_) ::kill(id_, number);
}

ExitStatus Child::kill() {
  // The process id is not reused until the process is reaped, even if it has already ended.
  if (!status_) ::kill(group_ == ProcessGroup::own ? -id_ : id_, SIGKILL);
  return wait();
}

ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary) {
  Pipe output;
  const int to = output.to.number();
  Child child({arguments, {"TMPDIR=" + temporary.string()}, -1, to, to});
  output.to.reset();
  ProcessResult result;
  result.output = read_to_end(output.from.number(), most_output);
  const ExitStatus status = child.wait();
  result.status = status.signal != 0 ? 128 + status.signal : status.code;
  return result;
}

}  // namespace foldproof
