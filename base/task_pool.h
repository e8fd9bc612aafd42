// Runs tasks in forks of this process: a task that crashes, hangs or runs out of memory does not affect the
// others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/interrupts.h"

namespace foldproof {

/// How a task ended.
struct Outcome {
  enum class Ending : std::uint8_t {
    finished,     ///< `text` is the task's result
    wrong_input,  ///< it threw InputError: `text` is the sentence, `position` where
    unsupported,  ///< it threw Unsupported: likewise
    crashed,      ///< its process ended without a result: `text` says how
    too_slow,     ///< it made no progress for longer than the pool accepts
    out_of_time,  ///< the deadline passed before the task finished
    interrupted   ///< the user interrupted the run before the task finished
  };
  Ending ending = Ending::interrupted;
  std::string text;
  Position position;
  std::string so_far;  ///< the last partial result that the task reported; used if there is no result

  /// Why there is no result, in one sentence with its position.
  std::string reason() const;
};

/// How a task reports progress to the process that started it.
struct TaskReporter {
  std::function<void(std::uint64_t done)> done;  ///< how much of the work is done
  std::function<void(const std::string& so_far)>
      so_far;  ///< a partial result, kept in case the process ends early
};

/// Runs tasks in processes that lead their own process groups, so that the processes that a task starts end
/// with it when the run is interrupted. The tasks' temporary folders are always removed.
struct TaskPool {
  std::size_t tasks = 0;
  unsigned processes = 1;  ///< at a time
  /// Whether tasks poll end_reason(), and return a result soon after there is one. Otherwise they are killed,
  /// as are those that have not reported anything when the run ends.
  bool can_end_early = false;
  /// When running tasks are ended, as by an interrupt, and no further task starts.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// How long a task may report no progress before it is ended; absent: forever.
  std::function<std::optional<std::chrono::milliseconds>(std::size_t task)> patience;
  /// The time after which a task is ended, as by the deadline, while others go on; absent: none. Asked when
  /// the task starts.
  std::function<std::optional<std::chrono::milliseconds>(std::size_t task)> time;
  /// The memory that a task may allocate, in bytes; 0: no limit.
  std::uint64_t memory = 0;
  /// Whether a task can start, such as one that needs the result of another; absent: always. Of the tasks
  /// that can start, the one with the lowest number starts first. Called again whenever a task finishes; a
  /// task that can never start is not reported.
  std::function<bool(std::size_t task)> can_start;
  /// Whether a task may run in a process in which other such tasks have returned their results; absent: no.
  /// That saves the time that the system takes to provide a process and its memory. Such a task must not
  /// change any state that a later task uses. If it crashes or runs out of memory in a shared process, it
  /// runs again in a separate process.
  std::function<bool(std::size_t task)> may_share_process;
  /// Called in the task's process. Returns the task's result.
  std::function<std::string(std::size_t task, const TaskReporter& reporter)> work;
  /// Called in this process before a task's process starts. `slot` is less than `processes`; running tasks
  /// have distinct slots.
  std::function<void(std::size_t task, unsigned slot)> starting;
  /// Called in this process, in order of completion.
  std::function<void(std::size_t task, Outcome outcome)> finished;
  /// Called in this process several times per second, with the sum of the progress that running tasks
  /// reported.
  std::function<void(std::uint64_t done)> progress;

  /// Runs all tasks. An interrupt (base/interrupts.h) or the deadline ends the running ones; tasks that can
  /// end early have a moment to do so. Tasks that did not finish are reported as interrupted or out of time.
  /// Returns false if the user interrupted the run. Throws Unsupported if a process cannot be started.
  bool run() const;
};

}  // namespace foldproof
