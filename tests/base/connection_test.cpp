#include "base/connection.h"

#include <unistd.h>

#include "base/error.h"
#include "catch.h"

using namespace foldproof;
using namespace std::chrono_literals;

namespace {

/// A shell script whose standard input is the socket and whose output is collected as its last words.
std::vector<std::string> script(const std::string& text) { return {"/bin/sh", "-c", text}; }

const std::string echo = "cat >&0";

std::string received(Connection& connection, std::size_t bytes) {
  std::string text(bytes, '\0');
  connection.receive(text.data(), bytes);
  return text;
}

/// How the connection ends while it waits for an answer.
Ended end_of(const std::string& text) {
  Connection connection(script(text));
  connection.limit(10s);
  try {
    received(connection, 1);
  } catch (const Ended& ended) {
    return ended;
  }
  FAIL("there was an answer");
  return {};
}

}  // namespace

TEST_CASE("a message of 100000 bytes is sent and received completely") {
  Connection connection(script(echo));
  connection.limit(10s);
  const std::string sent(100000, 'x');
  connection.send(sent.data(), sent.size());
  CHECK(received(connection, sent.size()) == sent);
}

TEST_CASE("an answer that misses the time limit ends the connection") {
  Connection connection(script("exec sleep 100"));
  connection.limit(50ms);
  bool in_time = true;
  try {
    received(connection, 1);
  } catch (const Ended& ended) {
    in_time = ended.in_time;
  }
  CHECK_FALSE(in_time);
}

TEST_CASE("the error for a program that ended quotes the last line that it printed") {
  const Ended ended = end_of("echo first; echo 'out of memory' >&2; exit 3");
  CHECK(ended.in_time);
  CHECK(ended.by_itself);
  CHECK(ended.how == "exited with status 3; its last output: out of memory");
}

TEST_CASE("a program terminated by a signal is blamed for it, unless the signal is SIGKILL") {
  CHECK(end_of("kill -ABRT $$").by_itself);
  const Ended killed = end_of("kill -KILL $$");
  CHECK_FALSE(killed.by_itself);
  CHECK(killed.how == "was terminated by signal 9 (Killed)");
}

TEST_CASE("output that was forgotten is not quoted when the program ends later") {
  Connection connection(script("echo forgotten; head -c 1 >&0; exit 3"));
  connection.limit(10s);
  while (connection.last_words().empty()) usleep(1000);
  CHECK(connection.last_words() == "forgotten");
  connection.forget_words();
  CHECK(connection.last_words().empty());
  connection.send("x", 1);
  received(connection, 1);
  CHECK(connection.end().how == "exited with status 3");
}

TEST_CASE("a program that sees the end of its input may end by itself within the limit") {
  Connection connection(script("cat > /dev/null; sleep 0.6; exit 0"));
  connection.limit(10s);
  CHECK(connection.finish());
}

TEST_CASE("finishing kills a program that does not end within the limit") {
  Connection connection(script("exec sleep 100"));
  connection.limit(20ms);
  CHECK_FALSE(connection.finish());
  CHECK_FALSE(connection.is_alive());
}

TEST_CASE("a program is alive until it ends") {
  Connection connection(script("head -c 1 > /dev/null"));
  CHECK(connection.is_alive());
  connection.limit(10s);
  connection.send("x", 1);
  CHECK_THROWS_AS(received(connection, 1), Ended);
  CHECK_FALSE(connection.is_alive());
}

TEST_CASE("a fork can continue its parent's connection and end it for the parent") {
  Connection connection(script(echo));
  connection.limit(10s);
  Child fork(
      [&] {
        connection.send("abc", 3);
        const bool answered = received(connection, 3) == "abc";
        connection.end();
        _exit(answered ? 0 : 1);
      },
      ProcessGroup::parent);
  CHECK(fork.wait().code == 0);
  CHECK_FALSE(connection.is_alive());
}

TEST_CASE("a connection to a program that cannot be started gives an error that names it") {
  CHECK_THROWS_WITH(Connection({"/no/such/program"}),
                    "/no/such/program cannot be started: No such file or directory");
}
