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
#include <cstring>
#include <deque>
#include <list>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/child.h"
#include "base/files.h"
#include "base/memory.h"

namespace foldproof {

namespace {

namespace fs = std::filesystem;

// --- messages from a task to the process that started it: a kind, a length and that many bytes

enum class Message : char {
  progress = 'p',
  so_far = 's',
  result = 'r',
  wrong_input = 'i',
  unsupported = 'u',
  failed = 'f'
};

struct Header {
  Message message;
  std::uint64_t bytes;
};

void send(int to, Message message, const std::string& body) {
  Header header{};
  header.message = message;
  header.bytes = body.size();
  if (!write_all(to, &header, sizeof header) || !write_all(to, body.data(), body.size())) _exit(1);
}

std::string pack(const std::string& sentence, const Position& at) {
  ByteWriter writer;
  writer.text(sentence);
  writer.text(at.file);
  writer.number(at.line);
  writer.number(at.column);
  return {reinterpret_cast<const char*>(writer.message().data()), writer.message().size()};
}

void unpack(const std::string& body, Outcome& outcome) {
  ByteReader reader(std::as_bytes(std::span(body)));
  outcome.text = reader.text();
  outcome.position.file = reader.text();
  outcome.position.line = static_cast<unsigned>(reader.number());
  outcome.position.column = static_cast<unsigned>(reader.number());
}

// --- in the task's process

/// A task allocates and frees the same tens of megabytes for every case. The kernel clears each page that it
/// provides, which took a sixth of an audit's time.
void keep_freed_memory() {
  constexpr int megabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * megabyte);  // the largest value that mallopt accepts
  mallopt(M_TRIM_THRESHOLD, 2047 * megabyte);
  mallopt(M_TOP_PAD, 16 * megabyte);
}

std::string out_of_memory(const TaskPool& pool) {
  if (pool.memory == 0) return "it ran out of memory";
  return fmt::format("it needs more than {} MiB of memory, its share of this machine's memory",
                     pool.memory >> 20);
}

void work_and_report(const TaskPool& pool, std::size_t task, int to) {
  keep_freed_memory();
  if (pool.memory != 0) limit_memory(pool.memory, pool.memory);
  try {
    const TaskReporter reporter{
        [to](std::uint64_t done) { send(to, Message::progress, std::to_string(done)); },
        [to](const std::string& so_far) { send(to, Message::so_far, so_far); }};
    send(to, Message::result, pool.work(task, reporter));
  } catch (const InputError& error) {
    send(to, Message::wrong_input, pack(error.sentence(), error.position()));
  } catch (const Unsupported& error) {
    send(to, Message::unsupported, pack(error.sentence(), error.position()));
  } catch (const std::bad_alloc&) {
    send(to, Message::failed, out_of_memory(pool));
  } catch (const Interrupted&) {  // the pool knows why
  } catch (const std::exception& error) {
    send(to, Message::failed, fmt::format("internal error: {}", error.what()));
  }
  std::fflush(stderr);
}

// --- in the process that started them

/// How long tasks may take to end early, after an interrupt and after the deadline. A run must have ended two
/// seconds after an interrupt and one second after the deadline, its report included.
constexpr std::chrono::milliseconds interrupt_grace{1000}, late_grace{500};

/// A running task.
struct Task {
  Task(std::size_t task, unsigned in, Descriptor end, Child child)
      : number(task), slot(in), from(std::move(end)), process(std::move(child)) {}
  std::size_t number;
  unsigned slot;
  Descriptor from;
  Child process;
  std::string received;
  std::chrono::steady_clock::time_point progressed = std::chrono::steady_clock::now();
  EndReason requested_end = EndReason::none;  ///< the reason for which it was asked to end
  bool is_killed = false;
  bool has_reported = false;  ///< progress or a partial result
  std::uint64_t done = 0;
  std::string so_far;
  std::optional<Outcome> outcome;
};

void take(Task& task, Message message, const std::string& body) {
  using Ending = Outcome::Ending;
  Outcome outcome;
  switch (message) {
    case Message::progress:
      task.has_reported = true;
      task.done = std::stoull(body);
      if (task.requested_end == EndReason::none) task.progressed = std::chrono::steady_clock::now();
      return;
    case Message::so_far:
      task.has_reported = true;
      task.so_far = body;
      return;
    case Message::result: outcome = {Ending::finished, body, {}, {}}; break;
    case Message::failed: outcome = {Ending::crashed, body, {}, task.so_far}; break;
    case Message::wrong_input:
    case Message::unsupported:
      outcome.ending = message == Message::wrong_input ? Ending::wrong_input : Ending::unsupported;
      unpack(body, outcome);
      outcome.so_far = task.so_far;
      break;
  }
  task.outcome = std::move(outcome);
}

/// Reads what is available. Returns false once the task has closed its end.
bool receive(Task& task) {
  std::array<char, 65536> buffer;
  const ssize_t got = read(task.from.number(), buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  task.received.append(buffer.data(), static_cast<std::size_t>(got));
  Header header{};
  while (task.received.size() >= sizeof header) {
    std::memcpy(&header, task.received.data(), sizeof header);
    if (task.received.size() - sizeof header < header.bytes) break;
    take(task, header.message, task.received.substr(sizeof header, header.bytes));
    task.received.erase(0, sizeof header + header.bytes);
  }
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
bool may_return(const Task& task) {
  return !task.outcome && !task.is_killed && (task.has_reported || task.requested_end == EndReason::too_slow);
}

Outcome outcome_of(Task& task) {
  task.from.reset();
  const ExitStatus status = task.process.wait();
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
    for (Task& task : running_) request_end(task, reason);
    if (pool_.can_end_early) let_end();
    for (Task& task : running_) task.process.abandon();
    for (Task& task : running_) report_end(task);
    for (const std::size_t task : waiting_) pool_.finished(task, {ending_of(reason), {}, {}, {}});
    return !is_interrupted();
  }

 private:
  /// Starts as many tasks as possible. Returns whether it started one.
  bool starts_tasks() {
    bool has_started = false;
    while (running_.size() < pool_.processes) {
      const auto next = std::ranges::find_if(
          waiting_, [&](std::size_t task) { return !pool_.can_start || pool_.can_start(task); });
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
    Pipe pipe;
    const auto work = [&] {
      if (pool_.can_end_early) receive_end_reasons();
      pipe.from.reset();
      make_temporary_folders_in(temporary_.path());
      work_and_report(pool_, number, pipe.to.number());
    };
    Child process(work, ProcessGroup::own);
    running_.emplace_back(number, slot, std::move(pipe.from), std::move(process));
  }

  unsigned free_slot() const {
    unsigned slot = 0;
    while (std::ranges::find(running_, slot, &Task::slot) != running_.end()) ++slot;
    return slot;
  }

  std::vector<pollfd> descriptors_of_running() const {
    std::vector<pollfd> descriptors;
    for (const Task& task : running_) descriptors.push_back({task.from.number(), POLLIN, 0});
    return descriptors;
  }

  bool is_late() const { return pool_.deadline && std::chrono::steady_clock::now() >= *pool_.deadline; }

  void request_end(Task& task, EndReason reason) const {
    if (task.requested_end != EndReason::none) return;
    task.requested_end = reason;
    task.progressed = std::chrono::steady_clock::now();
    if (pool_.can_end_early) task.process.signal(signal_of(reason));
  }

  bool is_impatient(const Task& task) const {
    const auto patience = pool_.patience ? pool_.patience(task.number) : std::nullopt;
    return patience && std::chrono::steady_clock::now() - task.progressed > *patience;
  }

  /// Asks tasks without progress to end, and kills those that then do not end. receive_all() removes a killed
  /// task once the system has freed its memory, which may take seconds.
  void end_slow_tasks() {
    for (Task& task : running_) {
      const auto waited = std::chrono::steady_clock::now() - task.progressed;
      if (task.requested_end != EndReason::none)
        task.is_killed |= !pool_.can_end_early || waited > interrupt_grace;
      else if (is_impatient(task))
        request_end(task, EndReason::too_slow);
      if (task.is_killed) task.process.signal(SIGKILL);
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

  /// Reads what is available from each task and removes those that have ended. Returns the sum of their
  /// reported progress.
  std::uint64_t receive_all(const std::vector<pollfd>& descriptors) {
    std::uint64_t done = 0;
    auto task = running_.begin();
    for (const pollfd& d : descriptors) {
      const bool open = d.revents == 0 || receive(*task);
      done += task->done;
      if (!open) pool_.finished(task->number, outcome_of(*task));
      task = open ? std::next(task) : running_.erase(task);
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
  std::deque<std::size_t> waiting_;
  std::list<Task> running_;
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
