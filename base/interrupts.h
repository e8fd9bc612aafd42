// Requests to end, which a process can poll and wait for: SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGXCPU
// and time limits.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "base/bytes.h"

namespace foldproof {

/// Thrown by a function that cannot complete because the user interrupted the run, or because its task should
/// end early.
struct Interrupted {};

/// Why a process should end early.
enum class EndReason : unsigned char {
  none,
  interrupted,  ///< by the user
  out_of_time,  ///< a deadline has passed
  too_slow      ///< it has made no progress for longer than its pool (base/task_pool.h) accepts
};

/// Receives the signals listed above, SIGHUP only unless it is ignored, in a thread of its own while it
/// exists. Only one can exist in a process; a fork does not inherit it. Construct it before other threads
/// start: in a thread that exists already, a signal ends the process.
///
///   signal ──► is a GracefulEnd alive? ──no──► end_now(interrupted)
///                      │ yes
///                      └──► interrupt_descriptor() becomes readable; end_now(interrupted) after 1.7 s
///   the deadline of a TimeLimit ──► end_now(out_of_time), but not while a GracefulEnd is alive
///
/// The process must have ended 1.9 s after the signal; for a TimeLimit, 0.2 s after the call of end_now.
class InterruptHandler {
 public:
  /// Ends the process before the time `by`.
  using EndNow = std::function<void(EndReason reason, std::chrono::steady_clock::time_point by)>;

  /// Blocks the signals in the calling thread and in the threads that it starts later. `end_now` is called
  /// in the handler's thread, and must not return.
  explicit InterruptHandler(EndNow end_now);
  ~InterruptHandler();
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;

 private:
  enum class Event : unsigned char { signal, stop, time_limit };
  Event next_event();
  bool is_stopped_within(std::chrono::milliseconds time) const;
  void handle();

  EndNow end_now_;
  Descriptor signals_;
  Descriptor stop_;
  std::thread thread_;
};

/// While one exists, an interrupted process gets time to end by itself.
class GracefulEnd {
 public:
  GracefulEnd();
  ~GracefulEnd();
  GracefulEnd(const GracefulEnd&) = delete;
  GracefulEnd& operator=(const GracefulEnd&) = delete;
};

/// While one exists, the process ends 0.7 s after the deadline; a loop that polls the deadline can end
/// before. Only one can exist at a time. For work that does not poll, such as reading; without a handler, it
/// has no effect.
class TimeLimit {
 public:
  explicit TimeLimit(Deadline deadline);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
};

/// Whether the process has a handler that has received a signal.
bool is_interrupted();

/// Readable once the handler has received a signal; -1 without a handler.
int interrupt_descriptor();

/// The reason why this task should end; none in a process that is not a task, and before
/// receive_end_reasons(). Long work polls it and throws Interrupted.
EndReason end_reason();

/// Lets the process's signals set end_reason(). For a new task.
void receive_end_reasons();

/// The signal by which a pool tells a task the reason.
int signal_of(EndReason reason);

/// Makes a new fork independent of its parent's handler: no interrupt was received, and the signals have
/// their default effect.
void forget_interrupts();

}  // namespace foldproof
