// Which process runs a task, in which order, and what it returns.
#include "base/task_pool.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/interrupts.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "pool_run.h"

using namespace foldproof;
using namespace std::chrono_literals;
using Ending = Outcome::Ending;
using tests::Ran;
using tests::run;

namespace {

Outcome outcome_of(const std::function<std::string(const TaskReporter&)>& work) {
  return run({}, 1, [&](std::size_t, const TaskReporter& reporter) { return work(reporter); }).outcomes[0];
}

/// A pool whose tasks may all share a process. A task that returns its process shows which tasks do.
TaskPool sharing_pool() {
  TaskPool pool;
  pool.may_share_process = [](std::size_t) { return true; };
  return pool;
}

}  // namespace

TEST_CASE("A task starts as soon as it can, and before later ones that could have started earlier") {
  // Task 1 needs the result of task 2, and task 0 that of task 1.
  std::vector<std::size_t> order;
  TaskPool pool;
  pool.tasks = 4;
  pool.can_start = [&](std::size_t task) { return task >= 2 || std::ranges::count(order, task + 1) != 0; };
  pool.work = [](std::size_t, const auto&) { return ""; };
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    CHECK(outcome.ending == Ending::finished);
    order.push_back(task);
  };
  CHECK(pool.run());
  CHECK(order == std::vector<std::size_t>{2, 1, 0, 3});
}

TEST_CASE("A pool ends when none of its tasks can start, without a report of them") {
  std::size_t reported = 0;
  TaskPool pool;
  pool.tasks = 3;
  pool.can_start = [](std::size_t task) { return task == 1; };
  pool.work = [](std::size_t, const auto&) { return ""; };
  pool.finished = [&](std::size_t task, const Outcome&) { reported += task; };
  CHECK(pool.run());
  CHECK(reported == 1);
}

TEST_CASE("every task returns its result") {
  TaskPool pool;
  pool.processes = 3;
  const Ran ran =
      run(pool, 10, [](std::size_t task, const auto&) { return std::string(100000 * task, 'x'); });
  CHECK(ran.is_complete);
  for (std::size_t task = 0; task < 10; ++task) {
    CHECK(ran.outcomes[task].ending == Ending::finished);
    CHECK(ran.outcomes[task].text.size() == 100000 * task);
  }
}

TEST_CASE("a task runs in its own process, which leads its own process group") {
  const Outcome outcome = outcome_of(
      [](const auto&) { return std::to_string(getpid() == getpgrp()) + "," + std::to_string(getppid()); });
  CHECK(outcome.text == "1," + std::to_string(getpid()));
}

TEST_CASE("tasks that may share a process run one after another in one") {
  TaskPool pool = sharing_pool();
  pool.may_share_process = [](std::size_t task) { return task != 2; };
  std::vector<std::string> processes;
  for (const Outcome& outcome :
       run(pool, 5, [](std::size_t, const auto&) { return std::to_string(getpid()); }).outcomes)
    processes.push_back(outcome.text);
  CHECK(processes[0] == processes[1]);
  CHECK(processes[2] != processes[1]);
  CHECK(processes[3] != processes[2]);
  CHECK(processes[3] == processes[4]);
}

TEST_CASE("a task that needs a later result does not run in an earlier process, which lacks it") {
  std::string result = "none yet";
  TaskPool pool = sharing_pool();
  pool.tasks = 3;
  pool.can_start = [&](std::size_t task) { return task != 2 || result == "first"; };
  pool.work = [&](std::size_t task, const auto&) { return task == 0 ? "first" : result; };
  std::vector<std::string> results(3);
  pool.finished = [&](std::size_t task, const Outcome& outcome) {
    results[task] = outcome.text;
    if (task == 0) result = outcome.text;
  };
  CHECK(pool.run());
  CHECK(results == std::vector<std::string>{"first", "none yet", "first"});
}

TEST_CASE("a task that crashes in a shared process is repeated in its own") {
  int tasks_here = 0;
  const Ran ran = run(sharing_pool(), 4, [&](std::size_t task, const auto&) {
    if (++tasks_here == 2) kill(getpid(), SIGKILL);
    if (task == 3) throw std::runtime_error("always");
    return std::to_string(task);
  });
  for (const std::size_t task : {0U, 1U, 2U}) CHECK(ran.outcomes[task].text == std::to_string(task));
  CHECK(ran.outcomes[3].ending == Ending::crashed);
  CHECK(ran.outcomes[3].text == "internal error: always");
}

TEST_CASE("an error ends a shared process, and the next task has a new one") {
  const Ran ran = run(sharing_pool(), 2, [](std::size_t task, const auto&) -> std::string {
    if (task == 0) throw InputError("the key is unknown");
    return "all of it";
  });
  CHECK(ran.outcomes[0].ending == Ending::wrong_input);
  CHECK(ran.outcomes[1].text == "all of it");
}

TEST_CASE("a task that exceeds its time is ended, and the next one runs") {
  TaskPool pool = sharing_pool();
  pool.can_end_early = true;
  pool.time = [](std::size_t task) {
    return task == 0 ? std::optional<std::chrono::milliseconds>(200) : std::nullopt;
  };
  const Ran ran = run(pool, 3, [](std::size_t task, const TaskReporter& reporter) {
    reporter.so_far("half of it");
    while (task == 0) std::this_thread::sleep_for(1ms);
    return std::string("all of it");
  });
  CHECK(ran.is_complete);
  CHECK(ran.outcomes[0].ending == Ending::out_of_time);
  CHECK(ran.outcomes[0].so_far == "half of it");
  CHECK(ran.outcomes[1].text == "all of it");
  CHECK(ran.outcomes[2].text == "all of it");
}

TEST_CASE("each task of a shared process has the pool's patience, and one that lacked progress is its last") {
  TaskPool pool = sharing_pool();
  pool.can_end_early = true;
  pool.patience = [](std::size_t) { return std::chrono::milliseconds(300); };
  const Ran ran = run(pool, 4, [](std::size_t task, const TaskReporter&) {
    std::this_thread::sleep_for(200ms);
    while (task == 2 && end_reason() == EndReason::none) std::this_thread::sleep_for(1ms);
    return std::to_string(getpid());
  });
  CHECK(ran.outcomes[1].text == ran.outcomes[0].text);
  CHECK(ran.outcomes[2].text == ran.outcomes[0].text);
  CHECK(ran.outcomes[3].ending == Ending::finished);
  CHECK(ran.outcomes[3].text != ran.outcomes[0].text);
}

TEST_CASE("at most the given number of processes run at a time, each in its own slot") {
  TaskPool pool;
  pool.processes = 2;
  std::set<unsigned> slots;
  std::size_t running = 0, most = 0;
  pool.starting = [&](std::size_t, unsigned slot) {
    slots.insert(slot);
    most = std::max(most, ++running);
  };
  pool.tasks = 7;
  pool.work = [](std::size_t, const auto&) { return std::string(); };
  pool.finished = [&](std::size_t, const Outcome&) { --running; };
  CHECK(pool.run());
  CHECK(most == 2);
  CHECK(slots == std::set<unsigned>{0, 1});
}

TEST_CASE("an error in a task is returned with its sentence and position") {
  const Outcome wrong = outcome_of([](const auto&) -> std::string {
    throw InputError("the key\nis unknown", {"k.toml", 3, 7});
  });
  CHECK(wrong.ending == Ending::wrong_input);
  CHECK(wrong.text == "the key\nis unknown");
  CHECK(wrong.position == Position{"k.toml", 3, 7});
  CHECK(wrong.reason() == "k.toml:3:7: the key\nis unknown");
  const Outcome unsupported =
      outcome_of([](const auto&) -> std::string { throw Unsupported("there is no GPU"); });
  CHECK(unsupported.ending == Ending::unsupported);
  CHECK(unsupported.reason() == "there is no GPU");
}

TEST_CASE("a crash fails one task and keeps what that task had reported") {
  const Ran ran = run({}, 3, [](std::size_t task, const TaskReporter& reporter) {
    reporter.so_far("half of it");
    if (task == 1) kill(getpid(), SIGKILL);
    return std::string("all of it");
  });
  CHECK(ran.is_complete);
  CHECK(ran.outcomes[0].text == "all of it");
  CHECK(ran.outcomes[1].ending == Ending::crashed);
  CHECK(ran.outcomes[1].text == "its process was terminated by signal 9 (Killed)");
  CHECK(ran.outcomes[1].so_far == "half of it");
  CHECK(ran.outcomes[2].text == "all of it");
}

TEST_CASE("a task whose process exits without a result reports the exit status") {
  CHECK(outcome_of([](const auto&) -> std::string { _exit(5); }).text ==
        "its process exited with status 5 before it returned a result");
}

TEST_CASE("progress is the sum over the running tasks") {
  TaskPool pool;
  pool.processes = 2;
  std::uint64_t most = 0;
  pool.progress = [&](std::uint64_t done) { most = std::max(most, done); };
  run(pool, 2, [](std::size_t task, const TaskReporter& reporter) {
    reporter.done(task == 0 ? 30 : 12);
    std::this_thread::sleep_for(400ms);
    return std::string();
  });
  CHECK(most == 42);
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("a task that needs more memory than its share is ended, with the number") {
  TaskPool pool;
  pool.memory = std::uint64_t{256} << 20;
  const Ran ran = run(pool, 2, [](std::size_t task, const auto&) {
    const std::vector<char> much((task == 0 ? std::size_t{1} << 30 : std::size_t{1} << 20), 'x');
    return std::string(1, much.back());
  });
  CHECK(ran.outcomes[0].ending == Ending::crashed);
  CHECK(ran.outcomes[0].text == "it needs more than 256 MiB of memory, its share of this machine's memory");
  CHECK(ran.outcomes[1].text == "x");
}
#endif

TEST_CASE("temporary folders of a task are removed even if the task is killed") {
  const TemporaryFolder folder;
  make_temporary_folders_in(folder.path());
  run({}, 1, [](std::size_t, const auto&) -> std::string {
    const TemporaryFolder left;
    kill(getpid(), SIGKILL);
    return "";
  });
  make_temporary_folders_in("");
  CHECK(std::filesystem::is_empty(folder.path()));
}
