// Child processes, each owned by one object: a program, or a fork of this process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace foldproof {

/// A program to start, without a shell.
struct Command {
  /// The first is the program; PATH is searched unless it contains a slash. A relative path is
  /// resolved in `folder`.
  std::vector<std::string> arguments;
  /// "NAME=value": added to this process's variables, or replacing them.
  std::vector<std::string> environment = {};
  int input = -1, output = -1, error = -1;  ///< standard descriptors of the program; -1: /dev/null
  std::filesystem::path folder = {};        ///< in which it runs; empty: the current folder
};

/// own: the process leads a new group (a program also a new session, without a terminal), and whatever it
/// starts is killed when it ends. parent: it stays in its parent's group, so Ctrl-C in the terminal
/// interrupts both.
enum class ProcessGroup : std::uint8_t { parent, own };

/// How a process ended.
struct ExitStatus {
  int code = 0;          ///< exit status
  int signal = 0;        ///< the signal that ended it; 0 if it exited
  bool is_known = true;  ///< false: another process started it, so its exit status is unknown here
};

/// "exited with status 1", "was terminated by signal 11 (Segmentation fault)", "has ended".
std::string to_string(const ExitStatus& status);

/// A process, killed and reaped by the destructor.
///
/// A fork of this process may use its copy, as long as only one of the two does. In the fork, `wait` returns
/// immediately and neither `wait` nor `kill` learns how the process ended.
class Child {
 public:
  /// Starts a program, with the default effect of all signals. Throws InputError if there is no such program,
  /// and Unsupported if the system lacks the resources.
  explicit Child(const Command& command, ProcessGroup group = ProcessGroup::parent);
  /// Calls `work` in a fork of this process. The fork then exits with status 0 without running destructors.
  /// If this thread ends first, the fork is killed, and its group if it leads one. Throws Unsupported if the
  /// fork fails.
  Child(const std::function<void()>& work, ProcessGroup group);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  /// Whether it is still running; false for a process that this one did not start.
  bool is_running();
  /// Waits until it ends or `deadline` passes; std::nullopt if it is still running.
  std::optional<ExitStatus> wait(std::chrono::steady_clock::time_point deadline);
  /// Waits until it ends.
  ExitStatus wait();
  /// Sends a signal to the process only, not to its group.
  void signal(int number) const;
  /// Kills it, and its group if it leads one. Returns how it ended, which may have been earlier.
  ExitStatus kill();
  /// Kills likewise, but leaves waiting to kill_children(): the system may take seconds to free much memory.
  void abandon();

 private:
  enum class State : std::uint8_t { running, ended, not_ours };

  State reap(int options);
  /// The process, or its group, as an argument of kill().
  pid_t target() const { return group_ == ProcessGroup::own ? -id_ : id_; }

  pid_t id_;  ///< -1: moved from
  ProcessGroup group_;
  std::optional<ExitStatus> status_;
};

/// The result of a program that ran to completion.
struct ProcessResult {
  int status = 0;      ///< its exit status; 128 + N if signal N ended it
  std::string output;  ///< standard output and standard error interleaved as written, at most 1 MiB
};

/// "was terminated by signal 9 (Killed)"; nothing if the program exited by itself.
std::optional<std::string> how_ended_by_signal(const ProcessResult& result);

/// Kills all children of this process, and waits a moment for its descendants to end. The process must then
/// exit: other threads that use children block.
void kill_children();

/// Runs a program in `folder` (if empty, the current one) with TMPDIR set to `temporary` and standard input
/// from /dev/null, and waits for it. The program, and whatever it starts, ends with this process even if this
/// process is killed. Throws InputError if there is no such program, and Unsupported if the system lacks the
/// resources or `deadline` passes.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary,
                          Deadline deadline = {}, const std::filesystem::path& folder = {});

}  // namespace foldproof
