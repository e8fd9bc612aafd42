#include "base/child.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "base/bytes.h"
#include "base/error.h"
#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"

using namespace foldproof;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t most = 1 << 16;

auto after(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

/// A shell that runs `script` with its output to a pipe.
struct Shell {
  explicit Shell(const std::string& script, ProcessGroup group = ProcessGroup::parent)
      : child(Command{{"sh", "-c", script}, {}, -1, output.to.number(), -1}, group) {
    output.to.reset();
  }
  /// Everything printed until no process has the pipe open.
  std::string printed() { return read_to_end(output.from.number(), most); }

  Pipe output;
  Child child;
};

}  // namespace

TEST_CASE("a program gets its arguments verbatim, without a shell") {
  const ProcessResult result = run_process(
      {"/bin/sh", "-c", "printf '%s|' \"$@\"; printf '%s' \"$TMPDIR\"; exit 3", "sh", "a b", "$HOME;"}, "/t");
  CHECK(result.status == 3);
  CHECK(result.output == "a b|$HOME;|/t");
}

TEST_CASE("the status of a program terminated by a signal is 128 plus the signal, as in a shell") {
  CHECK(run_process({"sh", "-c", "kill -9 $$"}, "/").status == 137);
}

TEST_CASE("standard output and standard error arrive in the order of writing; standard input is empty") {
  CHECK(run_process({"sh", "-c", "echo one; cat; echo two >&2; echo three"}, "/").output ==
        "one\ntwo\nthree\n");
}

TEST_CASE("output beyond the limit is discarded, and the program runs to its end") {
  const ProcessResult result = run_process({"sh", "-c", "head -c 3000000 /dev/zero; exit 7"}, "/");
  CHECK(result.status == 7);
  CHECK(result.output.size() == 1 << 20);
}

TEST_CASE(
    "a process that a program leaves behind does not delay its result, and ends unless it left the group") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK(run_process({"sh", "-c", "setsid sleep 7 & echo done"}, "/").output == "done\n");
  CHECK(run_process({"sh", "-c", "(trap '' TERM INT HUP; sleep 7.5) & echo done"}, "/").output == "done\n");
  CHECK(run_process({"sh", "-c", "setsid timeout 7 yes & exit 3"}, "/").status == 3);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

TEST_CASE("a program that does not exist gives an error that names it") {
  CHECK_THROWS_WITH(run_process({"/no/such/program"}, "/"),
                    "/no/such/program cannot be started: No such file or directory");
}

TEST_CASE("an environment variable is replaced and the others are kept") {
  setenv("FOLDPROOF_TEST_ONE", "1", 1);
  setenv("FOLDPROOF_TEST_TWO", "2", 1);
  Pipe output;
  Child child({{"sh", "-c", "echo $FOLDPROOF_TEST_ONE $FOLDPROOF_TEST_TWO $FOLDPROOF_TEST_THREE"},
               {"FOLDPROOF_TEST_TWO=two", "FOLDPROOF_TEST_THREE=three"},
               -1,
               output.to.number(),
               -1});
  output.to.reset();
  CHECK(read_to_end(output.from.number(), most) == "1 two three\n");
}

TEST_CASE("a program reads its standard input from the given descriptor") {
  Pipe input, output;
  Child child({{"cat"}, {}, input.from.number(), output.to.number(), -1});
  input.from.reset(), output.to.reset();
  REQUIRE(write_all(input.to.number(), "abc", 3));
  input.to.reset();
  CHECK(read_to_end(output.from.number(), most) == "abc");
}

TEST_CASE("a program inherits only its standard descriptors") {
  Pipe ours;
  const std::string there = fmt::format("test -e /proc/$$/fd/{}", ours.from.number());
  CHECK(run_process({"sh", "-c", there}, "/").status == 1);
}

TEST_CASE("waiting stops at the deadline and leaves the process running") {
  Shell shell("exec sleep 100");
  CHECK_FALSE(shell.child.wait(after(20ms)));
  CHECK(shell.child.is_running());
}

TEST_CASE("the exit status of an ended process is the same for every query") {
  Shell shell("exit 3");
  CHECK(shell.child.wait(after(10s))->code == 3);
  CHECK(shell.child.wait().code == 3);
  CHECK(shell.child.kill().code == 3);
  CHECK_FALSE(shell.child.is_running());
}

TEST_CASE("killing returns the signal") {
  Shell shell("exec sleep 100");
  CHECK(shell.child.kill().signal == SIGKILL);
}

TEST_CASE("a process can catch a signal sent to it") {
  Shell shell("trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done");
  char ready = 0;
  REQUIRE(read_all(shell.output.from.number(), &ready, 1));
  shell.child.signal(SIGTERM);
  CHECK(shell.child.wait(after(10s))->code == 5);
}

TEST_CASE("a process does not outlive the object that owns it") {
  Pipe output;
  {
    Child child({{"sleep", "100"}, {}, -1, output.to.number(), -1});
    output.to.reset();
  }
  CHECK(read_to_end(output.from.number(), most).empty());  // immediately: no process has the pipe open
}

TEST_CASE("killing a process with its own group kills the processes that it started") {
  Shell shell("sleep 100 & echo started; wait", ProcessGroup::own);
  char started = 0;
  REQUIRE(read_all(shell.output.from.number(), &started, 1));
  shell.child.kill();
  CHECK(shell.printed() == "tarted\n");  // immediately, as above
}

TEST_CASE("a program with its own group also has its own session, without a terminal") {
  // The sixth field of stat.
  Shell shell("read -r _ _ _ _ _ session _ < /proc/$$/stat; test $session = $$", ProcessGroup::own);
  CHECK(shell.child.wait().code == 0);
}

TEST_CASE("a fork runs its function and exits with status 0") {
  Pipe output;
  Child child([&] { write_all(output.to.number(), "abc", 3); }, ProcessGroup::parent);
  output.to.reset();
  CHECK(read_to_end(output.from.number(), most) == "abc");
  CHECK(child.wait().code == 0);
}

TEST_CASE("a fork with its own group leads that group") {
  Child child([] { _exit(getpgrp() == getpid() ? 3 : 4); }, ProcessGroup::own);
  CHECK(child.wait().code == 3);
}

TEST_CASE("a fork may kill its parent's child, and the parent learns how it ended") {
  Shell shell("exec sleep 100");
  Child other([&] { _exit(shell.child.kill().is_known ? 1 : 0); }, ProcessGroup::parent);
  CHECK(other.wait().code == 0);
  CHECK(shell.child.wait(after(10s))->signal == SIGKILL);
}

TEST_CASE("an exit status is spelled as part of a sentence") {
  CHECK(to_string(ExitStatus{7, 0}) == "exited with status 7");
  CHECK(to_string(ExitStatus{0, SIGSEGV}) == "was terminated by signal 11 (Segmentation fault)");
  CHECK(to_string(ExitStatus{0, 0, false}) == "has ended");
}

TEST_CASE("a program, and what it starts, ends when the process that runs it is killed") {
  const TemporaryFolder folder;
  const std::string fifo = (folder.path() / "fifo").string(), started = (folder.path() / "started").string();
  REQUIRE(run_process({"mkfifo", fifo}, "/").status == 0);
  Child reader(Command{{"cat", fifo}});  // ends when no process has the other end open
  Child runner(
      [&] {
        run_process({"sh", "-c", "exec 3> " + fifo + "; touch " + started + "; sleep 100 & wait"}, "/");
      },
      ProcessGroup::parent);
  while (!std::filesystem::exists(started)) std::this_thread::sleep_for(5ms);
  runner.kill();
  CHECK(reader.wait(after(5s)));
}

TEST_CASE("a program that does not end before the deadline is killed") {
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(run_process({"sh", "-c", "sleep 100 & wait"}, "/", after(100ms)), Unsupported);
  CHECK(std::chrono::steady_clock::now() - begin < 10s);
}

TEST_CASE("a forked process receives signals that its parent has blocked") {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGHUP);
  sigaddset(&blocked, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  Child child(
      [] {
        sigset_t now;
        pthread_sigmask(SIG_SETMASK, nullptr, &now);
        _exit(sigismember(&now, SIGHUP) + sigismember(&now, SIGUSR2));
      },
      ProcessGroup::own);
  const ExitStatus status = child.wait();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(status.code == 0);
}
