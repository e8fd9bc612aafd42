#include "base/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/interrupts.h"
#include "base/memory.h"

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

/// The children of this process that have not been reaped, as arguments of kill(): a negative number is a
/// process group.
class Living {
 public:
  /// Starts a child by `start_one`, as fork() returns it, and registers it. Blocks for good once kill_all()
  /// has begun. A fork has no children.
  template <typename Start>
  pid_t start(ProcessGroup group, const Start& start_one) {
    const std::lock_guard lock(mutex_);
    const pid_t id = start_one();
    if (id == 0) ids_.clear();
    if (id > 0) ids_.insert(group == ProcessGroup::own ? -id : id);
    return id;
  }
  void remove(pid_t id) {
    const std::lock_guard lock(mutex_);
    ids_.erase(id);
  }
  void kill_all() {
    mutex_.lock();  // for good: no thread may start another child
    for (const pid_t id : ids_) ::kill(id, SIGKILL);
    constexpr std::chrono::milliseconds moment{1};
    constexpr int most_moments = 500;  // a descendant may have left its group, and run on
    for (int k = 0; k < most_moments;) {
      const pid_t ended = waitpid(-1, nullptr, WNOHANG);
      if (ended < 0 && errno != EINTR) return;
      if (ended != 0) continue;
      std::this_thread::sleep_for(moment);
      ++k;
    }
  }

 private:
  std::mutex mutex_;
  std::set<pid_t> ids_;
};

Living& living() {
  static Living all;
  return all;
}

/// The settings of posix_spawn for the standard descriptors, the signals and the process group.
class SpawnSettings {
 public:
  SpawnSettings(const Command& command, ProcessGroup group) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    redirect(STDIN_FILENO, command.input, O_RDONLY);
    redirect(STDOUT_FILENO, command.output, O_WRONLY);
    redirect(STDERR_FILENO, command.error, O_WRONLY);
    if (!command.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions_, command.folder.c_str());
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    // A session of its own has no terminal, for whose input the program could wait.
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                      (group == ProcessGroup::own ? POSIX_SPAWN_SETSID : 0);
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
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
  int error = 0;
  const pid_t child = living().start(group, [&] {
    pid_t id = 0;
    error = posix_spawnp(&id, words.at(0).c_str(), settings.actions(), settings.attributes(),
                         pointers_to(words).data(), pointers_to(environment).data());
    return error == 0 ? id : -1;
  });
  if (error == 0) {
    give_memory_of_programs(child);
    return child;
  }
  const std::string sentence = fmt::format("{} cannot be started: {}", words[0], std::strerror(error));
  if (error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE) throw Unsupported(sentence);
  throw InputError(sentence);
}

/// noexcept: an exception must not unwind into the parent's stack frames.
[[noreturn]] void work_and_exit(const std::function<void()>& work) noexcept {
  work();
  _exit(0);
}

pid_t fork_for(const std::function<void()>& work, ProcessGroup group) {
  std::fflush(nullptr);  // otherwise both processes would write the buffered output
  const pid_t parent = getpid();
  const pid_t id = living().start(group, fork);
  if (id < 0) throw Unsupported(fmt::format("cannot start a process: {}", std::strerror(errno)));
  // Both processes set the group, since either may be the first to need it.
  if (group == ProcessGroup::own) setpgid(id, id);
  if (id > 0) return id;
  forget_interrupts();
  if (group == ProcessGroup::own) std::signal(SIGHUP, [](int) { kill(0, SIGKILL); });
  prctl(PR_SET_PDEATHSIG, group == ProcessGroup::own ? SIGHUP : SIGKILL);
  if (getppid() != parent) _exit(1);
  work_and_exit(work);
}

}  // namespace

std::string to_string(const ExitStatus& status) {
  if (!status.is_known) return "has ended";
  if (status.signal == 0) return fmt::format("exited with status {}", status.code);
  return fmt::format("was terminated by signal {} ({})", status.signal, strsignal(status.signal));
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
  // A leader that has ended keeps its group's number until it is reaped.
  siginfo_t ended{};
  if (group_ == ProcessGroup::own &&
      waitid(P_PID, static_cast<id_t>(id_), &ended, WEXITED | WNOWAIT | options) == 0 && ended.si_pid != 0)
    ::kill(-id_, SIGKILL);
  int status = 0;
  pid_t reaped = 0;
  while ((reaped = waitpid(id_, &status, options)) < 0 && errno == EINTR) {
  }
  if (reaped == 0) return State::running;
  living().remove(target());  // blocks for good once kill_all() has begun, which may have reaped the child
  if (reaped < 0) return State::not_ours;
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
  if (!status_) ::kill(target(), SIGKILL);
  return wait();
}

void Child::abandon() {
  if (!status_) ::kill(target(), SIGKILL);
  id_ = -1;
}

void kill_children() { living().kill_all(); }

std::optional<std::string> how_ended_by_signal(const ProcessResult& result) {
  if (result.status <= 128 || result.status - 128 >= NSIG) return std::nullopt;
  return to_string(ExitStatus{0, result.status - 128});
}

namespace {

/// Runs in a fork that leads the group of the program. Its exit status is that of the program, as a shell
/// gives it.
[[noreturn]] void run_and_exit(const Command& command, int failure) {
  try {
    const ExitStatus status = Child(command).wait();
    _exit(status.signal != 0 ? 128 + status.signal : status.code);
  } catch (const InputError& error) {
    write_all(failure, "i", 1);
    write_all(failure, error.what(), std::strlen(error.what()));
  } catch (const std::exception& error) {
    write_all(failure, "u", 1);
    write_all(failure, error.what(), std::strlen(error.what()));
  }
  _exit(1);
}

bool is_readable_within(int from, std::chrono::milliseconds time) {
  pollfd wait{from, POLLIN, 0};
  int ready = 0;
  while ((ready = poll(&wait, 1, static_cast<int>(time.count()))) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

/// What is written until the leader has ended, or until every writer has closed its end: a program that left
/// the group and runs on must not keep this process waiting.
std::string output_of(Child& leader, int from, Deadline deadline) {
  using namespace std::chrono_literals;
  constexpr std::size_t pipe_capacity = 1 << 16;
  std::string text;
  std::array<char, 4096> chunk{};
  std::size_t left = pipe_capacity;  // to be read after the end
  bool has_ended = false;
  while (left > 0 && (!deadline || std::chrono::steady_clock::now() < *deadline)) {
    has_ended = has_ended || !leader.is_running();
    if (!is_readable_within(from, has_ended ? 0ms : 20ms)) {
      if (has_ended) break;
      continue;
    }
    const ssize_t got = read(from, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(chunk.data(), std::min(static_cast<std::size_t>(got), most_output - text.size()));
    if (has_ended) left -= std::min(left, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
                          Deadline deadline, const std::filesystem::path& folder) {
  Pipe output, failure;
  const int to = output.to.number();
  const auto run = [&] {
    run_and_exit({arguments, {"TMPDIR=" + temporary.string()}, -1, to, to, folder}, failure.to.number());
  };
  Child leader(run, ProcessGroup::own);
  output.to.reset();
  failure.to.reset();
  ProcessResult result;
  result.output = output_of(leader, output.from.number(), deadline);
  const std::optional<ExitStatus> status = deadline ? leader.wait(*deadline) : leader.wait();
  if (!status) throw Unsupported(fmt::format("{} did not end in time", arguments.at(0)));
  const std::string why = read_to_end(failure.from.number(), most_output);
  if (why.starts_with('i')) throw InputError(why.substr(1));
  if (why.starts_with('u')) throw Unsupported(why.substr(1));
  result.status = status->signal != 0 ? 128 + status->signal : status->code;
  return result;
}

}  // namespace foldproof
