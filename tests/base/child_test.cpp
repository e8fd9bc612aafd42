#include "base/child.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "base/bytes.h"
#include "base/error.h"
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
  /// All that is printed until no process has the pipe open.
  std::string printed() { return read_to_end(output.from.number(), most); }

  Pipe output;
  Child child;
};

}  // namespace

TEST_CASE("a program gets its arguments as they are, without a shell") {
  const ProcessResult result = run_process(
      {"/bin/sh", "-c", "printf '%s|' \"$@\"; printf '%s' \"$TMPDIR\"; exit 3", "sh", "a b", "$HOME;"}, "/t");
  CHECK(result.status == 3);
  CHECK(result.output == "a b|$HOME;|/t");
}

TEST_CASE("the status of a program that a signal ended is 128 and the signal, as in a shell") {
  CHECK(run_process({"sh", "-c", "kill -9 $$"}, "/").status == 137);
}

TEST_CASE("a program's output and errors come in the order of writing, with nothing on standard input") {
  CHECK(run_process({"sh", "-c", "echo one; cat; echo two >&2; echo three"}, "/").output ==
        "one\ntwo\nthree\n");
}

TEST_CASE("the output of a program that prints too much is cut, and the program ends") {
  const ProcessResult result = run_process({"sh", "-c", "head -c 3000000 /dev/zero; exit 7"}, "/");
  CHECK(result.status == 7);
  CHECK(result.output.size() == 1 << 20);
}

TEST_CASE("a program that is not there is a sentence") {
  CHECK_THROWS_WITH(run_process({"/no/such/program"}, "/"),
                    "/no/such/program cannot be started: No such file or directory");
}

TEST_CASE("a variable is replaced, and the others stay") {
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

TEST_CASE("a program reads the descriptor that is its input") {
  Pipe input, output;
  Child child({{"cat"}, {}, input.from.number(), output.to.number(), -1});
  input.from.reset(), output.to.reset();
  REQUIRE(write_all(input.to.number(), "abc", 3));
  input.to.reset();
  CHECK(read_to_end(output.from.number(), most) == "abc");
}

TEST_CASE("a program inherits no descriptor but its standard ones") {
  Pipe ours;
  const std::string there = fmt::format("test -e /proc/$$/fd/{}", ours.from.number());
  CHECK(run_process({"sh", "-c", there}, "/").status == 1);
}

TEST_CASE("waiting stops at the deadline, and the process goes on") {
  Shell shell("exec sleep 100");
  CHECK_FALSE(shell.child.wait(after(20ms)));
  CHECK(shell.child.is_running());
}

TEST_CASE("a process that ended has ended in the same way whenever it is asked") {
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

TEST_CASE("a process can catch a signal that is sent to it") {
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
  CHECK(read_to_end(output.from.number(), most).empty());  // at once: nobody has the pipe open
}

TEST_CASE("what a process with a group of its own started is killed with it") {
  Shell shell("sleep 100 & echo started; wait", ProcessGroup::own);
  char started = 0;
  REQUIRE(read_all(shell.output.from.number(), &started, 1));
  shell.child.kill();
  CHECK(shell.printed() == "tarted\n");  // at once, as above
}

TEST_CASE("a fork does its work and exits with status 0") {
  Pipe output;
  Child child([&] { write_all(output.to.number(), "abc", 3); }, ProcessGroup::parent);
  output.to.reset();
  CHECK(read_to_end(output.from.number(), most) == "abc");
  CHECK(child.wait().code == 0);
}

TEST_CASE("a fork with a group of its own leads it") {
  Child child([] { _exit(getpgrp() == getpid() ? 3 : 4); }, ProcessGroup::own);
  CHECK(child.wait().code == 3);
}

TEST_CASE("a fork may kill the process of its parent, which learns how it ended") {
  Shell shell("exec sleep 100");
  Child other([&] { _exit(shell.child.kill().is_known ? 1 : 0); }, ProcessGroup::parent);
  CHECK(other.wait().code == 0);
  CHECK(shell.child.wait(after(10s))->signal == SIGKILL);
}

TEST_CASE("how a process ended is part of a sentence") {
  CHECK(to_string(ExitStatus{7, 0}) == "ended with status 7");
  CHECK(to_string(ExitStatus{0, SIGSEGV}) == "was ended by signal 11 (Segmentation fault)");
  CHECK(to_string(ExitStatus{0, 0, false}) == "has ended");
}
