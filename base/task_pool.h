// Tasks spread over forks of this process: one that crashes, hangs or runs out of memory costs itself, never
// the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/error.h"

namespace foldproof {

/// What became of a task.
struct Outcome {
  enum class Ending : std::uint8_t {
    finished,     ///< `text` is the task's result
    wrong_input,  ///< it threw InputError: `text` is the sentence, `position` its place
    unsupported,  ///< it threw Unsupported: likewise
    crashed,      ///< its process ended without a result: `text` says how
    interrupted   ///< the user ended the run before it was done
  };
  Ending ending = Ending::interrupted;
  std::string text;
  Position position;
  std::string so_far;  ///< where there is no result: the last partial result that the task reported

  /// Why there is no result, in one sentence with its place.
  std::string reason() const;
};

/// How a task reports to the process that started it, before it ends.
struct TaskReporter {
  std::function<void(std::uint64_t done)> done;           ///< how much of it is done
  std::function<void(const std::string& so_far)> so_far;  ///< a partial result, should its process end
};

/// Thrown by callers of `run` where the user ended a run that has no result without all its tasks.
struct Interrupted {};

/// Runs tasks, each in a process of its own with a process group of its own, so that what a task starts ends
/// with it when the run is interrupted. Temporary folders of the tasks are removed whatever ends them.
struct TaskPool {
  std::size_t tasks = 0;
  unsigned processes = 1;  ///< at a time
  /// Whether tasks ask `end_requested` now and then, and soon have a result where it says so.
  bool can_end_early = false;
  /// Called in the task's process. Its result is the task's.
  std::function<std::string(std::size_t task, const TaskReporter& reporter)> work;
  /// Called in this process before a task's process starts. `slot` is below `processes`; no two running tasks
  /// have the same one.
  std::function<void(std::size_t task, unsigned slot)> starting;
  /// Called in this process, in order of completion.
  std::function<void(std::size_t task, Outcome outcome)> finished;
  /// Called in this process, several times a second, with the sum of what the running tasks reported as done.
  std::function<void(std::uint64_t done)> progress;

  /// Runs all tasks. SIGINT and SIGTERM end the running ones; those that can end early have a second for
  /// that. What did not end is reported as interrupted; returns false then. Throws InputError where no
  /// process can be started.
  bool run() const;
};

/// Whether the user has ended the run. For a task, in its process.
bool end_requested();

}  // namespace foldproof
