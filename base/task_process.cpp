#include "base/task_process.h"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <new>
#include <tuple>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/task_messages.h"

namespace foldproof {

bool shares_process(const TaskPool& pool, std::size_t task) {
  return pool.may_share_process && pool.may_share_process(task);
}

// --- in the process

namespace {

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
  return has_result && shares_process(pool, task);
}

}  // namespace

void work_off(const TaskPool& pool, std::size_t task, int from, int to) {
  keep_freed_memory();
  if (pool.memory != 0) limit_memory(pool.memory, pool.memory);
  while (work_and_report(pool, task, to) && read_all(from, &task, sizeof task)) {
  }
}

// --- in the pool that started it

namespace {

void take(RunningTask& task, TaskMessage message, const std::string& body) {
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

}  // namespace

bool receive(TaskProcess& process) {
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

bool may_return(const TaskProcess& process) {
  const RunningTask& task = process.task;
  return !task.outcome && !process.is_killed &&
         (task.has_reported || task.requested_end == EndReason::too_slow);
}

Outcome outcome_of(TaskProcess& process) {
  process.from.reset();
  const ExitStatus status = process.child.wait();
  const RunningTask& task = process.task;
  if (task.outcome) return *task.outcome;
  if (task.requested_end != EndReason::none) return {ending_of(task.requested_end), {}, {}, task.so_far};
  return {Outcome::Ending::crashed,
          fmt::format("its process {}{}", to_string(status),
                      status.signal == 0 ? " before it returned a result" : ""),
          {},
          task.so_far};
}

}  // namespace foldproof
