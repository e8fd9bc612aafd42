// Work spread over processes: what crashes, hangs up or runs out of memory takes down one task, never the
// run.
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
  std::string so_far;  ///< where there is no result: what the task had last, by its own word

  /// Why there is no result, in one sentence with its place.
  std::string reason() const;
};

/// How a task tells of itself before it ends.
struct Telling {
  std::function<void(std::uint64_t done)> done;           ///< how much of it is done
  std::function<void(const std::string& so_far)> so_far;  ///< what it has, should its process end
};

struct Tasks {
  std::size_t count = 0;
  unsigned jobs = 1;  ///< processes at a time
  /// Whether a task asks `is_to_end` now and then, and soon has a result where it is so.
  bool can_end_early = false;
  /// Runs in a process of its own.
  std::function<std::string(std::size_t task, const Telling& tell)> work;
  /// Called in this process before a task's begins. `slot`: below `jobs`, and nobody else's meanwhile.
  std::function<void(std::size_t task, unsigned slot)> starting;
  /// Called in this process, in order of completion.
  std::function<void(std::size_t task, Outcome outcome)> finished;
  /// Called in this process, several times a second: the sum of what the running tasks said is done.
  std::function<void(std::uint64_t done)> progress;
};

/// Thrown by verbs whose run the user ended before anything was judged.
struct Interrupted {};

/// In a task's process: whether the user has ended the run.
bool is_to_end();

/// Runs all tasks. SIGINT and SIGTERM end the tasks that run; those that can end early have a second for what
/// they have until then. What did not end is reported as interrupted; returns false then.
bool run_in_processes(const Tasks& tasks);

}  // namespace foldproof
