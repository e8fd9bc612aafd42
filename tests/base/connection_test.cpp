#include "base/connection.h"

#include <unistd.h>

#include "base/error.h"
#include "catch.h"

using namespace foldproof;
using namespace std::chrono_literals;

namespace {

/// A shell script whose standard input is the socket; what it prints are its words.
std::vector<std::string> script(const std::string& text) { return {"/bin/sh", "-c", text}; }

const std::string echo = "cat >&0";

std::string received(Connection& connection, std::size_t bytes) {
  std::string text(bytes, '\0');
  connection.receive(text.data(), bytes);
  return text;
}

/// How the conversation ends while an answer is waited for.
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

TEST_CASE("what is sent is received, as long as it may be") {
  Connection connection(script(echo));
  connection.limit(10s);
  const std::string sent(100000, 'x');
  connection.send(sent.data(), sent.size());
  CHECK(received(connection, sent.size()) == sent);
}

TEST_CASE("an answer that does not come in time ends the conversation") {
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

TEST_CASE("the end of a program is told with the last line that it printed") {
  const Ended ended = end_of("echo first; echo 'out of memory' >&2; exit 3");
  CHECK(ended.in_time);
  CHECK(ended.by_itself);
  CHECK(ended.how == "ended with status 3; its last output: out of memory");
}

TEST_CASE("a signal ends a program by its own fault, unless it is SIGKILL") {
  CHECK(end_of("kill -ABRT $$").by_itself);
  const Ended killed = end_of("kill -KILL $$");
  CHECK_FALSE(killed.by_itself);
  CHECK(killed.how == "was ended by signal 9 (Killed)");
}

TEST_CASE("words that were forgotten do not explain a later end") {
  Connection connection(script("echo forgotten; head -c 1 >&0; exit 3"));
  connection.limit(10s);
  while (connection.last_words().empty()) usleep(1000);
  CHECK(connection.last_words() == "forgotten");
  connection.forget_words();
  CHECK(connection.last_words().empty());
  connection.send("x", 1);
  received(connection, 1);
  CHECK(connection.end().how == "ended with status 3");
}

TEST_CASE("a program that sees the end of its input has the limit to end by itself") {
  Connection connection(script("cat > /dev/null; sleep 0.6; exit 0"));
  connection.limit(10s);
  CHECK(connection.finish());
}

TEST_CASE("a program that does not end within the limit is killed") {
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

TEST_CASE("a fork goes on with the conversation, and ends it for its parent, too") {
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

TEST_CASE("a program that cannot be started is a sentence") {
  CHECK_THROWS_WITH(Connection({"/no/such/program"}),
                    "/no/such/program cannot be started: No such file or directory");
}
