#include "base/task_pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/child.h"
#include "base/files.h"
#include "base/task_process.h"
#include "base/temporary_folders.h"

namespace foldproof {

namespace {

/// How long tasks may take to end early, after an interrupt and after the deadline. A run must have ended two
/// seconds after an interrupt and one second after the deadline, its report included.
constexpr std::chrono::milliseconds interrupt_grace{1000}, late_grace{500};

/// One run of a pool.
class Run {
 public:
  explicit Run(const TaskPool& pool) : pool_(pool), waiting_(pool.tasks) {
    std::iota(waiting_.begin(), waiting_.end(), std::size_t{0});
  }

  bool run() {
    while (starts_tasks() || !running_.empty()) {
      const std::uint64_t done = wait_and_receive();
      if (pool_.progress) pool_.progress(done);
      end_slow_tasks();
      if (is_interrupted() || is_late()) break;
    }
    if (running_.empty() && !is_interrupted() && !is_late()) return true;
    const EndReason reason = is_interrupted() ? EndReason::interrupted : EndReason::out_of_time;
    for (TaskProcess& process : running_) request_end(process, reason);
    if (pool_.can_end_early) let_end();
    for (TaskProcess& process : running_) process.child.abandon();
    for (const TaskProcess& process : running_) report_end(process.task);
    for (const std::size_t task : waiting_) {
      const auto crashed = crashed_.find(task);
      pool_.finished(task,
                     crashed != crashed_.end() ? crashed->second : Outcome{ending_of(reason), {}, {}, {}});
    }
    return !is_interrupted();
  }

 private:
  using Waiting = std::deque<std::size_t>;

  bool can_start(std::size_t task) const { return !pool_.can_start || pool_.can_start(task); }

  Waiting::iterator next_task() {
    return std::ranges::find_if(waiting_, [&](std::size_t task) { return can_start(task); });
  }

  /// Starts as many processes as possible. Returns whether it started one.
  bool starts_tasks() {
    bool has_started = false;
    while (running_.size() < pool_.processes) {
      const auto next = next_task();
      if (next == waiting_.end()) break;
      start(*next);
      waiting_.erase(next);
      has_started = true;
    }
    return has_started;
  }

  void start(std::size_t number) {
    const unsigned slot = free_slot();
    if (pool_.starting) pool_.starting(number, slot);
    Pipe reports, tasks;
    const auto work = [&] {
      if (pool_.can_end_early) receive_end_reasons();
      reports.from.reset();
      tasks.to.reset();
      make_temporary_folders_in(temporary_.path());
      work_off(pool_, number, tasks.from.number(), reports.to.number());
    };
    Child child(work, ProcessGroup::own);
    running_.emplace_back(RunningTask(number, pool_), slot, std::move(reports.from), std::move(tasks.to),
                          startable(number), std::move(child));
  }

  /// By task: whether it can start now; empty if the process of this task runs no other.
  std::vector<bool> startable(std::size_t first) const {
    if (!shares_process(pool_, first)) return {};
    std::vector<bool> able(pool_.tasks);
    for (const std::size_t task : waiting_) able[task] = can_start(task);
    return able;
  }

  unsigned free_slot() const {
    unsigned slot = 0;
    while (std::ranges::find(running_, slot, &TaskProcess::slot) != running_.end()) ++slot;
    return slot;
  }

  /// Whether the process has returned its result, and waits for another task.
  bool waits_for_task(const TaskProcess& process) const {
    const auto& outcome = process.task.outcome;
    return outcome && outcome->ending == Outcome::Ending::finished &&
           shares_process(pool_, process.task.number);
  }

  /// Gives the process the next task, if that is one for it.
  bool gives_task(TaskProcess& process) {
    if (process.task.requested_end != EndReason::none) return false;
    const auto next = next_task();
    if (next == waiting_.end()) return false;
    const std::size_t number = *next;
    if (!shares_process(pool_, number) || crashed_.contains(number) || !process.could_start[number])
      return false;
    if (!write_all(process.to.number(), &number, sizeof number)) return false;
    process.task = RunningTask(number, pool_);
    process.is_fresh = false;
    waiting_.erase(next);
    return true;
  }

  /// Reports the end of the task, or repeats it if an earlier task of its process may be to blame.
  void end_task(const TaskProcess& process, Outcome outcome) {
    const std::size_t number = process.task.number;
    if (outcome.ending == Outcome::Ending::crashed && !process.is_fresh) {
      crashed_.emplace(number, std::move(outcome));
      waiting_.push_front(number);
    } else {
      pool_.finished(number, std::move(outcome));
    }
  }

  std::vector<pollfd> descriptors_of_running() const {
    std::vector<pollfd> descriptors;
    for (const TaskProcess& process : running_) descriptors.push_back({process.from.number(), POLLIN, 0});
    return descriptors;
  }

  bool is_late() const { return pool_.deadline && std::chrono::steady_clock::now() >= *pool_.deadline; }

  void request_end(TaskProcess& process, EndReason reason) const {
    RunningTask& task = process.task;
    if (task.requested_end != EndReason::none) return;
    task.requested_end = reason;
    task.progressed = std::chrono::steady_clock::now();
    if (pool_.can_end_early) process.child.signal(signal_of(reason));
  }

  bool is_overdue(const RunningTask& task) const {
    return task.time && std::chrono::steady_clock::now() - task.started > *task.time;
  }

  bool is_impatient(const RunningTask& task) const {
    const auto patience = pool_.patience ? pool_.patience(task.number) : std::nullopt;
    return patience && std::chrono::steady_clock::now() - task.progressed > *patience;
  }

  /// Asks tasks that exceed their time or make no progress to end, and kills those that then do not end.
  /// receive_all() removes a killed process once the system has freed its memory, which may take seconds.
  void end_slow_tasks() {
    for (TaskProcess& process : running_) {
      const auto waited = std::chrono::steady_clock::now() - process.task.progressed;
      if (process.task.requested_end != EndReason::none)
        process.is_killed |= !pool_.can_end_early || waited > interrupt_grace;
      else if (is_overdue(process.task))
        request_end(process, EndReason::out_of_time);
      else if (is_impatient(process.task))
        request_end(process, EndReason::too_slow);
      if (process.is_killed) process.child.signal(SIGKILL);
    }
  }

  /// Waits up to 200 ms for a task to send something, an interrupt or the deadline. Returns the sum of the
  /// progress that the tasks reported.
  std::uint64_t wait_and_receive() {
    using namespace std::chrono;
    std::vector<pollfd> descriptors = descriptors_of_running();
    descriptors.push_back({interrupt_descriptor(), POLLIN, 0});
    milliseconds moment{200};
    if (pool_.deadline)
      moment = std::clamp(ceil<milliseconds>(*pool_.deadline - steady_clock::now()), 0ms, moment);
    if (poll(descriptors.data(), descriptors.size(), static_cast<int>(moment.count())) < 0)
      for (pollfd& d : descriptors) d.revents = 0;
    descriptors.pop_back();
    return receive_all(descriptors);
  }

  /// Reads what is available from each process and removes those that have ended or have no further task.
  /// Returns the sum of the reported progress.
  std::uint64_t receive_all(const std::vector<pollfd>& descriptors) {
    std::uint64_t done = 0;
    auto process = running_.begin();
    for (const pollfd& d : descriptors) {
      bool stays = d.revents == 0 || receive(*process);
      done += process->task.done;
      if (!stays) end_task(*process, outcome_of(*process));
      if (stays && waits_for_task(*process)) {
        end_task(*process, std::move(*process->task.outcome));
        stays = gives_task(*process);
        if (!stays && process->task.requested_end != EndReason::none) process->child.abandon();
      }
      process = stays ? std::next(process) : running_.erase(process);
    }
    return done;
  }

  /// Waits a moment for the results of the tasks, which were asked to end.
  void let_end() {
    using namespace std::chrono_literals;
    const auto deadline =
        std::chrono::steady_clock::now() + (is_interrupted() ? interrupt_grace : late_grace);
    receive_within(0ms);  // earlier reports
    while (std::ranges::any_of(running_, may_return) && std::chrono::steady_clock::now() < deadline)
      receive_within(50ms);
  }

  void receive_within(std::chrono::milliseconds time) {
    std::vector<pollfd> descriptors = descriptors_of_running();
    if (poll(descriptors.data(), descriptors.size(), static_cast<int>(time.count())) > 0)
      receive_all(descriptors);
  }

  void report_end(const RunningTask& task) const {
    pool_.finished(task.number,
                   task.outcome.value_or(Outcome{ending_of(task.requested_end), {}, {}, task.so_far}));
  }

  const TaskPool& pool_;
  const GracefulEnd graceful_;
  const TemporaryFolder temporary_;
  Waiting waiting_;
  /// Outcomes in a shared process of tasks that are repeated in their own.
  std::map<std::size_t, Outcome> crashed_;
  std::list<TaskProcess> running_;
};

}  // namespace

std::string Outcome::reason() const {
  if (ending == Ending::interrupted) return "the run was interrupted";
  if (ending == Ending::too_slow) return "it made no progress for too long";
  if (ending == Ending::out_of_time) return "the time budget was exhausted";
  return position.file.empty() ? text : to_string(position) + ": " + text;
}

bool TaskPool::run() const { return Run(*this).run(); }

}  // namespace foldproof
