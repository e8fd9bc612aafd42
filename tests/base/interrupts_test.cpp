// Interrupts, each test in a fork that reports by its exit status.
#include "base/interrupts.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <thread>

#include "base/child.h"
#include "catch.h"

using namespace foldproof;
using namespace std::chrono_literals;

namespace {

using Time = std::chrono::steady_clock::time_point;

// Exit statuses of the forks. A fork whose work returns exits with 0, which no test expects.
constexpr int as_expected = 41, end_now_called = 42, too_early = 43, too_late = 44, unexpected = 45;

ExitStatus status_of(const std::function<void()>& work) { return Child(work, ProcessGroup::parent).wait(); }

/// Sends a signal to this process.
void send(int signal) { kill(getpid(), signal); }

bool is_readable(int descriptor, std::chrono::milliseconds within) {
  pollfd wait{descriptor, POLLIN, 0};
  return poll(&wait, 1, static_cast<int>(within.count())) == 1;
}

/// Waits until the handler of this process has received a signal.
void wait_for_interrupt() {
  if (!is_readable(interrupt_descriptor(), 10s)) _exit(unexpected);
}

/// Sends that many signals to a handler, which is then destroyed during the grace.
void interrupt_destroyed_handler(int signals) {
  const GracefulEnd graceful;
  const InterruptHandler handler([](EndReason, Time) { _exit(end_now_called); });
  send(SIGINT);
  wait_for_interrupt();
  for (int k = 1; k < signals; ++k) send(SIGINT);
}

}  // namespace

TEST_CASE("without a GracefulEnd, a signal calls end_now at once") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const ExitStatus status = status_of([signal] {
    const InterruptHandler handler([](EndReason, Time) { _exit(end_now_called); });
    send(signal);
    std::this_thread::sleep_for(1500ms);  // less than the grace
    _exit(too_late);
  });
  CHECK(status.code == end_now_called);
}

TEST_CASE("with a GracefulEnd, end_now is called 1.7 s after the signal") {
  const ExitStatus status = status_of([] {
    Time sent;
    const InterruptHandler handler([&](EndReason, Time) {
      const auto waited = std::chrono::steady_clock::now() - sent;
      _exit(waited < 1700ms ? too_early : waited > 4s ? too_late : end_now_called);
    });
    const GracefulEnd graceful;
    sent = std::chrono::steady_clock::now();
    send(SIGINT);
    std::this_thread::sleep_for(10s);
    _exit(unexpected);
  });
  CHECK(status.code == end_now_called);
}

TEST_CASE("end_now learns that the process must have ended 1.9 s after the signal, also after the grace") {
  const bool is_graceful = GENERATE(false, true);
  const ExitStatus status = status_of([is_graceful] {
    Time sent;
    const InterruptHandler handler([&](EndReason, Time by) {
      _exit(by - sent < 1900ms ? too_early : by - sent > 3s ? too_late : end_now_called);
    });
    std::optional<GracefulEnd> graceful;
    if (is_graceful) graceful.emplace();
    sent = std::chrono::steady_clock::now();
    send(SIGINT);
    std::this_thread::sleep_for(10s);
    _exit(unexpected);
  });
  CHECK(status.code == end_now_called);
}

TEST_CASE("with a GracefulEnd, an interrupted process sees the interrupt and can exit by itself") {
  const ExitStatus status = status_of([] {
    const InterruptHandler handler([](EndReason, Time) { _exit(end_now_called); });
    const GracefulEnd graceful;
    if (is_interrupted() || is_readable(interrupt_descriptor(), 0ms)) _exit(too_early);
    send(SIGTERM);
    wait_for_interrupt();
    _exit(is_interrupted() ? as_expected : unexpected);
  });
  CHECK(status.code == as_expected);
}

TEST_CASE("a GracefulEnd that has ended gives no grace") {
  const ExitStatus status = status_of([] {
    const InterruptHandler handler([](EndReason, Time) { _exit(end_now_called); });
    { const GracefulEnd graceful; }
    send(SIGINT);
    std::this_thread::sleep_for(1500ms);
    _exit(too_late);
  });
  CHECK(status.code == end_now_called);
}

TEST_CASE("a second signal does not shorten the grace") {
  const int second = GENERATE(SIGINT, SIGTERM);
  const ExitStatus status = status_of([second] {
    Time sent;
    const InterruptHandler handler([&](EndReason, Time) {
      _exit(std::chrono::steady_clock::now() - sent < 1700ms ? too_early : end_now_called);
    });
    const GracefulEnd graceful;
    sent = std::chrono::steady_clock::now();
    send(SIGINT);
    wait_for_interrupt();
    send(second);
    std::this_thread::sleep_for(10s);
    _exit(unexpected);
  });
  CHECK(status.code == end_now_called);
}

TEST_CASE("a second signal that arrives before the handler is destroyed has no effect afterwards") {
  const ExitStatus status = status_of([] {
    interrupt_destroyed_handler(2);
    _exit(as_expected);
  });
  CHECK(status.signal == 0);
  CHECK(status.code == as_expected);
}

TEST_CASE("after the handler is destroyed, the process counts as not interrupted, and a signal ends it") {
  const ExitStatus status = status_of([] {
    interrupt_destroyed_handler(1);
    if (is_interrupted() || interrupt_descriptor() != -1) _exit(unexpected);
    send(SIGTERM);
    _exit(unexpected);
  });
  CHECK(status.signal == SIGTERM);
}

TEST_CASE("a signal ends a fork, even if its parent has a handler") {
  const ExitStatus status = status_of([] {
    const InterruptHandler handler([](EndReason, Time) { _exit(end_now_called); });
    const ExitStatus fork = status_of([] {
      send(SIGINT);
      _exit(unexpected);
    });
    _exit(fork.signal == SIGINT ? as_expected : unexpected);
  });
  CHECK(status.code == as_expected);
}

TEST_CASE("a process that ignores SIGHUP, as under nohup, continues to ignore it") {
  const ExitStatus status = status_of([] {
    std::signal(SIGHUP, SIG_IGN);
    const InterruptHandler handler([](EndReason, Time) { _exit(end_now_called); });
    send(SIGHUP);
    std::this_thread::sleep_for(100ms);
    _exit(is_interrupted() ? unexpected : as_expected);
  });
  CHECK(status.code == as_expected);
}

TEST_CASE("a fork does not inherit a received interrupt") {
  const ExitStatus status = status_of([] {
    const InterruptHandler handler([](EndReason, Time) { _exit(end_now_called); });
    const GracefulEnd graceful;
    send(SIGINT);
    wait_for_interrupt();
    const ExitStatus fork =
        status_of([] { _exit(is_interrupted() || interrupt_descriptor() != -1 ? unexpected : as_expected); });
    _exit(fork.code);
  });
  CHECK(status.code == as_expected);
}

TEST_CASE("a GracefulEnd that ends right after the signal has given its grace") {
  for (int k = 0; k < 100; ++k) {
    const ExitStatus status = status_of([] {
      const InterruptHandler handler([](EndReason, Time) { _exit(end_now_called); });
      {
        const GracefulEnd graceful;
        send(SIGINT);
        wait_for_interrupt();
      }
      std::this_thread::sleep_for(20ms);
      _exit(as_expected);
    });
    CHECK(status.code == as_expected);
  }
}

TEST_CASE("each reason to end arrives by its signal") {
  const EndReason reason = GENERATE(EndReason::interrupted, EndReason::out_of_time, EndReason::too_slow);
  const ExitStatus status = status_of([reason] {
    receive_end_reasons();
    if (end_reason() != EndReason::none) _exit(too_early);
    send(signal_of(reason));
    _exit(end_reason() == reason ? as_expected : unexpected);
  });
  CHECK(status.code == as_expected);
}

namespace {

/// The exit status of a fork in which a handler for time limits exists while `work` runs.
int status_with_time_limits(const std::function<void()>& work) {
  return status_of([&work] {
           const InterruptHandler handler([](EndReason reason, Time) {
             _exit(reason == EndReason::out_of_time ? end_now_called : unexpected);
           });
           work();
           _exit(as_expected);
         })
      .code;
}

Deadline deadline_after(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

}  // namespace

TEST_CASE("the process ends after the deadline of a TimeLimit, also if that has passed") {
  const auto time = GENERATE(-10'000ms, 0ms, 100ms);
  CHECK(status_with_time_limits([time] {
          const TimeLimit limit(deadline_after(time));
          std::this_thread::sleep_for(10s);
        }) == end_now_called);
}

TEST_CASE("a TimeLimit that has ended, or has no deadline, ends nothing") {
  CHECK(status_with_time_limits([] {
          { const TimeLimit limit(deadline_after(100ms)); }
          const TimeLimit limit(std::nullopt);
          std::this_thread::sleep_for(1s);
        }) == as_expected);
}

TEST_CASE("a TimeLimit waits for a GracefulEnd") {
  CHECK(status_with_time_limits([] {
          const TimeLimit limit(deadline_after(-700ms));
          {
            const GracefulEnd graceful;
            std::this_thread::sleep_for(300ms);
          }
          std::this_thread::sleep_for(10s);
        }) == end_now_called);
  CHECK(status_with_time_limits([] {
          const GracefulEnd graceful;
          const TimeLimit limit(deadline_after(-700ms));
          std::this_thread::sleep_for(300ms);
        }) == as_expected);
}

TEST_CASE("a signal is received while a TimeLimit waits for a GracefulEnd") {
  CHECK(status_with_time_limits([] {
          const GracefulEnd graceful;
          const TimeLimit limit(deadline_after(-700ms));
          std::this_thread::sleep_for(200ms);
          send(SIGINT);
          wait_for_interrupt();
        }) == as_expected);
}

TEST_CASE("a fork does not inherit a TimeLimit") {
  CHECK(status_with_time_limits([] {
          const GracefulEnd graceful;
          const TimeLimit limit(deadline_after(-700ms));
          const ExitStatus fork = status_of([] {
            std::this_thread::sleep_for(200ms);
            _exit(as_expected);
          });
          _exit(fork.code);
        }) == as_expected);
}
