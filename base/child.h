// Processes that this one starts, each owned by one object: a program, or a fork of this process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace foldproof {

/// A program to start, without a shell.
struct Command {
  /// The first is the program; PATH is searched for it unless it contains a slash.
  std::vector<std::string> arguments;
  /// "NAME=value": set in addition to this process's variables, or in their place.
  std::vector<std::string> environment = {};
  int input = -1, output = -1, error = -1;  ///< descriptors for its standard ones; -1: /dev/null
};

/// A group of its own: whatever the process starts is killed with it. In its parent's group it is interrupted
/// from the terminal when its parent is.
enum class ProcessGroup : std::uint8_t { parent, own };

/// How a process ended.
struct ExitStatus {
  int code = 0;          ///< with which it exited
  int signal = 0;        ///< the signal that ended it, 0 where it exited
  bool is_known = true;  ///< false: this process did not start it, so only the one that did learns more
};

/// "ended with status 1", "was ended by signal 11 (Segmentation fault)", "has ended".
std::string to_string(const ExitStatus& status);

/// A process, killed and reaped by the destructor.
///
/// A fork of this process may use its copy, as long as only one of them does. There `wait` returns nothing at
/// once, and `kill` does not learn how the process ended.
class Child {
 public:
  /// Starts a program. Throws InputError when that is not possible.
  explicit Child(const Command& command, ProcessGroup group = ProcessGroup::parent);
  /// Calls `work` in a fork of this process. The fork exits with status 0 afterwards, without destructors,
  /// and is killed when this thread ends. Throws InputError when there can be no fork.
  Child(const std::function<void()>& work, ProcessGroup group);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  /// Whether it has not ended; false for a process that this one did not start.
  bool is_running();
  /// Waits until it ends, at most until `deadline`; nothing where it still runs.
  std::optional<ExitStatus> wait(std::chrono::steady_clock::time_point deadline);
  /// Waits until it ends.
  ExitStatus wait();
  /// Sends a signal to the process alone.
  void signal(int number) const;
  /// Kills it, and its group where that is its own. Returns how it ended, which may have been before.
  ExitStatus kill();

 private:
  enum class State : std::uint8_t { running, ended, not_ours };

  State reap(int options);

  pid_t id_;  ///< -1: moved from
  ProcessGroup group_;
  std::optional<ExitStatus> status_;
};

/// What a program did that ran to its end.
struct ProcessResult {
  int status = 0;      ///< its exit status; 128 + N where signal N ended it
  std::string output;  ///< standard output and standard error in the order of writing, at most 1 MiB
};

/// Runs a program with TMPDIR set to `temporary` and nothing on standard input, and waits for it. Throws
/// InputError when it cannot be started.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& temporary);

}  // namespace foldproof
