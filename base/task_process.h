// A process of a task pool: the tasks that it runs, and what the pool knows about them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/child.h"
#include "base/files.h"
#include "base/interrupts.h"
#include "base/task_pool.h"

namespace foldproof {

/// A running task, as the pool knows it.
struct RunningTask {
  RunningTask(std::size_t task, const TaskPool& pool)
      : number(task), time(pool.time ? pool.time(task) : std::nullopt) {}
  std::size_t number;
  std::optional<std::chrono::milliseconds> time;
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point progressed = std::chrono::steady_clock::now();
  EndReason requested_end = EndReason::none;  ///< the reason for which it was asked to end
  bool has_reported = false;                  ///< progress or a partial result
  std::uint64_t done = 0;
  std::string so_far;
  std::optional<Outcome> outcome;
};

/// A process with its task, as the pool knows it.
struct TaskProcess {
  TaskProcess(RunningTask first, unsigned in, Descriptor reports, Descriptor tasks, std::vector<bool> could,
              Child fork)
      : task(std::move(first)),
        slot(in),
        from(std::move(reports)),
        to(std::move(tasks)),
        could_start(std::move(could)),
        child(std::move(fork)) {}
  RunningTask task;
  unsigned slot;
  Descriptor from, to;
  std::vector<bool> could_start;  ///< by task, when the process was forked: it has what they need
  Child child;
  std::string received;
  bool is_fresh = true;  ///< this is its first task
  bool is_killed = false;
};

/// Whether the task may run in a process that ran others before.
bool shares_process(const TaskPool& pool, std::size_t task);

/// In the process: runs a task, then each task whose number arrives at `from`. Reports go to `to`.
void work_off(const TaskPool& pool, std::size_t task, int from, int to);

/// Reads what is available. Returns false once the process has closed its end.
bool receive(TaskProcess& process);

/// The outcome of a task that was asked to end and did not return a result. The reason is not `none`.
Outcome::Ending ending_of(EndReason reason);

/// Whether a task that was asked to end may still send something. Until its first report it has nothing to
/// return, except which of its work was too slow.
bool may_return(const TaskProcess& process);

/// Waits until the process has ended.
Outcome outcome_of(TaskProcess& process);

}  // namespace foldproof
