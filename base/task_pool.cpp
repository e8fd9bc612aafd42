#include "base/task_pool.h"

#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "base/bytes.h"
#include "base/child.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/task_messages.h"
#include "base/temporary_folders.h"

namespace foldproof {

namespace {

bool shares_process(const TaskPool& pool, std::size_t task) {
  return pool.may_share_process && pool.may_share_process(task);
}

// --- in the task's process

/// A task allocates and frees the same tens of megabytes for every case. The kernel clears each page that it
/// provides, which took a sixth of an audit's time. Blocks from mmap would go back to it.
void keep_freed_memory() {
  constexpr int megabyte = 1 << 20;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 2047 * megabyte);
  mallopt(M_TOP_PAD, 16 * megabyte);
}

std::string out_of_memory(const TaskPool& pool) {
  if (pool.memory == 0) return "it ran out of memory";
  return fmt::format("it needs more than {} MiB of memory, its share of this machine's memory",
                     pool.memory >> 20);
}

/// Returns whether the process may run another task.
bool work_and_report(const TaskPool& pool, std::size_t task, int to) {
  bool has_result = false;
  try {
    const TaskReporter reporter{
        [to](std::uint64_t done) { send_message(to, TaskMessage::progress, std::to_string(done)); },
        [to](const std::string& so_far) { send_message(to, TaskMessage::so_far, so_far); }};
    send_message(to, TaskMessage::result, pool.work(task, reporter));
    has_result = true;
  } catch (const InputError& error) {
    send_message(to, TaskMessage::wrong_input, pack_sentence(error.sentence(), error.position()));
  } catch (const Unsupported& error) {
    send_message(to, TaskMessage::unsupported, pack_sentence(error.sentence(), error.position()));
  } catch (const std::bad_alloc&) {
    send_message(to, TaskMessage::failed, out_of_memory(pool));
  } catch (const Interrupted&) {  // the pool knows why
  } catch (const std::exception& error) {
    send_message(to, TaskMessage::failed, fmt::format("internal error: {}", error.what()));
  }
  std::fflush(stderr);
  return has_result && shares_process(pool, task);
}

/// Runs a task, then each task whose number arrives.
void work_off(const TaskPool& pool, std::size_t task, int from, int to) {
  keep_freed_memory();
  if (pool.memory != 0) limit_memory(pool.memory, pool.memory);
  while (work_and_report(pool, task, to) && read_all(from, &task, sizeof task)) {
  }
}

// --- in the process that started them

/// How long tasks may take to end early, after an interrupt and after the deadline. A run must have ended two
/// seconds after an interrupt and one second after the deadline, its report included.
constexpr std::chrono::milliseconds interrupt_grace{1000}, late_grace{500};

/// A running task.
struct Task {
  Task(std::size_t task, const TaskPool& pool)
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

/// A process with its task.
struct Process {
  Process(Task first, unsigned in, Descriptor reports, Descriptor tasks, std::vector<bool> could, Child fork)
      : task(std::move(first)),
        slot(in),
        from(std::move(reports)),
        to(std::move(tasks)),
        could_start(std::move(could)),
        child(std::move(fork)) {}
  Task task;
  unsigned slot;
  Descriptor from, to;
  std::vector<bool> could_start;  ///< by task, when the process was forked: it has what they need
  Child child;
  std::string received;
  bool is_fresh = true;  ///< this is its first task
  bool is_killed = false;
};

void take(Task& task, TaskMessage message, const std::string& body) {
  using Ending = Outcome::Ending;
  Outcome outcome;
  switch (message) {
    case TaskMessage::progress:
      task.has_reported = true;
      task.done = std::stoull(body);
      if (task.requested_end == EndReason::none) task.progressed = std::chrono::steady_clock::now();
      return;
    case TaskMessage::so_far:
      task.has_reported = true;
      task.so_far = body;
      return;
    case TaskMessage::result: outcome = {Ending::finished, body, {}, {}}; break;
    case TaskMessage::failed: outcome = {Ending::crashed, body, {}, task.so_far}; break;
    case TaskMessage::wrong_input:
    case TaskMessage::unsupported:
      outcome.ending = message == TaskMessage::wrong_input ? Ending::wrong_input : Ending::unsupported;
      std::tie(outcome.text, outcome.position) = unpack_sentence(body);
      outcome.so_far = task.so_far;
      break;
  }
  task.outcome = std::move(outcome);
}

/// Reads what is available. Returns false once the process has closed its end.
bool receive(Process& process) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(process.from.number(), buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  process.received.append(buffer.data(), static_cast<std::size_t>(got));
  while (const auto next = take_message(process.received)) take(process.task, next->first, next->second);
  return got > 0;
}

Outcome::Ending ending_of(EndReason reason) {
  switch (reason) {
    case EndReason::too_slow: return Outcome::Ending::too_slow;
    case EndReason::out_of_time: return Outcome::Ending::out_of_time;
    default: return Outcome::Ending::interrupted;
  }
}

/// Whether a task that was asked to end may still send something. Until its first report it has nothing to
/// return, except which of its work was too slow.
bool may_return(const Process& process) {
  const Task& task = process.task;
  return !task.outcome && !process.is_killed &&
         (task.has_reported || task.requested_end == EndReason::too_slow);
}

/// Waits until the process has ended.
Outcome outcome_of(Process& process) {
  process.from.reset();
  const ExitStatus status = process.child.wait();
  const Task& task = process.task;
  if (task.outcome) return *task.outcome;
  if (task.requested_end != EndReason::none) return {ending_of(task.requested_end), {}, {}, task.so_far};
  return {Outcome::Ending::crashed,
          fmt::format("its process {}{}", to_string(status),
                      status.signal == 0 ? " before it returned a result" : ""),
          {},
          task.so_far};
}

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
    for (Process& process : running_) request_end(process, reason);
    if (pool_.can_end_early) let_end();
    for (Process& process : running_) process.child.abandon();
    for (const Process& process : running_) report_end(process.task);
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
    running_.emplace_back(Task(number, pool_), slot, std::move(reports.from), std::move(tasks.to),
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
    while (std::ranges::find(running_, slot, &Process::slot) != running_.end()) ++slot;
    return slot;
  }

  /// Whether the process has returned its result, and waits for another task.
  bool waits_for_task(const Process& process) const {
    const auto& outcome = process.task.outcome;
    return outcome && outcome->ending == Outcome::Ending::finished &&
           shares_process(pool_, process.task.number);
  }

  /// Gives the process the next task, if that is one for it.
  bool gives_task(Process& process) {
    if (process.task.requested_end != EndReason::none) return false;
    const auto next = next_task();
    if (next == waiting_.end()) return false;
    const std::size_t number = *next;
    if (!shares_process(pool_, number) || crashed_.contains(number) || !process.could_start[number])
      return false;
    if (!write_all(process.to.number(), &number, sizeof number)) return false;
    process.task = Task(number, pool_);
    process.is_fresh = false;
    waiting_.erase(next);
    return true;
  }

  /// Reports the end of the task, or repeats it if an earlier task of its process may be to blame.
  void end_task(const Process& process, Outcome outcome) {
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
    for (const Process& process : running_) descriptors.push_back({process.from.number(), POLLIN, 0});
    return descriptors;
  }

  bool is_late() const { return pool_.deadline && std::chrono::steady_clock::now() >= *pool_.deadline; }

  void request_end(Process& process, EndReason reason) const {
    Task& task = process.task;
    if (task.requested_end != EndReason::none) return;
    task.requested_end = reason;
    task.progressed = std::chrono::steady_clock::now();
    if (pool_.can_end_early) process.child.signal(signal_of(reason));
  }

  bool is_overdue(const Task& task) const {
    return task.time && std::chrono::steady_clock::now() - task.started > *task.time;
  }

  bool is_impatient(const Task& task) const {
    const auto patience = pool_.patience ? pool_.patience(task.number) : std::nullopt;
    return patience && std::chrono::steady_clock::now() - task.progressed > *patience;
  }

  /// Asks tasks that exceed their time or make no progress to end, and kills those that then do not end.
  /// receive_all() removes a killed process once the system has freed its memory, which may take seconds.
  void end_slow_tasks() {
    for (Process& process : running_) {
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

  void report_end(const Task& task) const {
    pool_.finished(task.number,
                   task.outcome.value_or(Outcome{ending_of(task.requested_end), {}, {}, task.so_far}));
  }

  const TaskPool& pool_;
  const GracefulEnd graceful_;
  const TemporaryFolder temporary_;
  Waiting waiting_;
  /// Outcomes in a shared process of tasks that are repeated in their own.
  std::map<std::size_t, Outcome> crashed_;
  std::list<Process> running_;
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
