// Tasks that are ended: by an interrupt, by the deadline, or for lack of progress.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "base/child.h"
#include "base/interrupts.h"
#include "base/task_pool.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "pool_run.h"

using namespace foldproof;
using namespace std::chrono_literals;
using Ending = Outcome::Ending;
using tests::Ran;
using tests::run;

namespace {

/// Receives signals for as long as a test runs.
struct Handler {
  InterruptHandler handler{[](EndReason, auto) { _exit(99); }};
};

/// A pool that is interrupted as soon as a task has reported progress.
TaskPool interrupted_pool(int signal) {
  TaskPool pool;
  pool.progress = [signal](std::uint64_t done) {
    if (done > 0) kill(getpid(), signal);
  };
  return pool;
}

double seconds_of(const std::function<void()>& action) {
  const auto begin = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("an interrupted run ends running and waiting tasks and keeps what they had reported") {
  const Handler handler;
  const int signal = GENERATE(SIGINT, SIGTERM);
  Ran ran;
  const double seconds = seconds_of([&] {
    ran = run(interrupted_pool(signal), 2, [](std::size_t, const TaskReporter& reporter) {
      reporter.so_far("half of it");
      reporter.done(1);
      std::this_thread::sleep_for(100s);
      return std::string();
    });
  });
  CHECK_FALSE(ran.is_complete);
  CHECK(ran.outcomes[0].ending == Ending::interrupted);
  CHECK(ran.outcomes[0].so_far == "half of it");
  CHECK(ran.outcomes[1].ending == Ending::interrupted);
  CHECK(ran.outcomes[0].reason() == "the run was interrupted");
  CHECK(seconds < 2);
}

TEST_CASE("a task that can end early returns its result when the run is interrupted") {
  const Handler handler;
  TaskPool pool = interrupted_pool(SIGINT);
  pool.can_end_early = true;
  const Ran ran = run(pool, 1, [](std::size_t, const TaskReporter& reporter) {
    reporter.done(1);
    while (end_reason() == EndReason::none) std::this_thread::sleep_for(1ms);
    return std::string("what there is");
  });
  CHECK_FALSE(ran.is_complete);
  CHECK(ran.outcomes[0].ending == Ending::finished);
  CHECK(ran.outcomes[0].text == "what there is");
}

TEST_CASE("a program started by an interrupted task ends with the task") {
  const Handler handler;
  const TemporaryFolder folder;
  const std::string fifo = (folder.path() / "fifo").string(), started = (folder.path() / "started").string();
  REQUIRE(run_process({"mkfifo", fifo}, "/").status == 0);
  Child reader(Command{{"cat", fifo}});  // ends when no process has the other end open
  TaskPool pool;
  pool.progress = [&](std::uint64_t) {
    if (std::filesystem::exists(started)) kill(getpid(), SIGINT);
  };
  run(pool, 1, [&](std::size_t, const auto&) {
    return run_process({"sh", "-c", "exec 3> " + fifo + "; touch " + started + "; exec sleep 100"}, "/")
        .output;
  });
  CHECK(reader.wait(std::chrono::steady_clock::now() + 5s));
}

TEST_CASE("a deadline ends running and waiting tasks and keeps what they had reported") {
  Ran ran;
  const double seconds = seconds_of([&] {
    TaskPool pool;
    pool.deadline = std::chrono::steady_clock::now() + 300ms;
    ran = run(pool, 2, [](std::size_t, const TaskReporter& reporter) {
      reporter.so_far("half of it");
      std::this_thread::sleep_for(100s);
      return std::string();
    });
  });
  CHECK(ran.is_complete);
  CHECK(ran.outcomes[0].ending == Ending::out_of_time);
  CHECK(ran.outcomes[0].so_far == "half of it");
  CHECK(ran.outcomes[1].ending == Ending::out_of_time);
  CHECK(ran.outcomes[0].reason() == "the time budget was exhausted");
  CHECK(seconds >= 0.3);
  CHECK(seconds < 2);
}

TEST_CASE("at the deadline, a task that has reported nothing is not waited for") {
  Ran ran;
  const double seconds = seconds_of([&] {
    TaskPool pool;
    pool.can_end_early = true;
    pool.deadline = std::chrono::steady_clock::now() + 100ms;
    ran = run(pool, 1, [](std::size_t, const auto&) {
      std::this_thread::sleep_for(100s);
      return std::string();
    });
  });
  CHECK(ran.outcomes[0].ending == Ending::out_of_time);
  CHECK(seconds < 0.5);
}

TEST_CASE("after the deadline, a task that has reported something has a moment to return its result") {
  const bool is_progress = GENERATE(true, false);
  TaskPool pool;
  pool.can_end_early = true;
  pool.deadline = std::chrono::steady_clock::now() + 500ms;
  const Ran ran = run(pool, 1, [&](std::size_t, const TaskReporter& reporter) {
    if (is_progress) reporter.done(0);
    if (!is_progress) reporter.so_far("half of it");
    while (end_reason() == EndReason::none) std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(100ms);
    return std::string("what there is");
  });
  CHECK(ran.outcomes[0].ending == Ending::finished);
  CHECK(ran.outcomes[0].text == "what there is");
}

TEST_CASE("a task without progress is asked to end, then killed") {
  TaskPool pool;
  pool.can_end_early = true;
  pool.processes = 3;
  pool.patience = [](std::size_t task) {
    return task == 2 ? std::nullopt : std::optional<std::chrono::milliseconds>(200);
  };
  const Ran ran = run(pool, 3, [](std::size_t task, const TaskReporter& reporter) {
    reporter.so_far("half of it");
    for (int k = 0; k < 20 || task == 1; ++k) {
      if (task == 0 && end_reason() == EndReason::too_slow) return std::string("what there is");
      std::this_thread::sleep_for(50ms);
    }
    return std::string("all of it");
  });
  CHECK(ran.is_complete);
  CHECK(ran.outcomes[0].text == "what there is");
  CHECK(ran.outcomes[1].ending == Ending::too_slow);
  CHECK(ran.outcomes[1].so_far == "half of it");
  CHECK(ran.outcomes[2].text == "all of it");
}

TEST_CASE("a task that reports progress may take long") {
  TaskPool pool;
  pool.patience = [](std::size_t) { return std::chrono::milliseconds(300); };
  const Ran ran = run(pool, 1, [](std::size_t, const TaskReporter& reporter) {
    for (std::uint64_t k = 0; k < 12; ++k) {
      reporter.done(k);
      std::this_thread::sleep_for(50ms);
    }
    return std::string("all of it");
  });
  CHECK(ran.outcomes[0].text == "all of it");
}
