#include "base/bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "catch.h"

using namespace foldproof;

TEST_CASE("a descriptor is closed by its last owner, once") {
  int number = -1;
  {
    Pipe pipe;
    number = pipe.from.number();
    const Descriptor owner = std::move(pipe.from);
    CHECK(pipe.from.number() == -1);
    CHECK(fcntl(number, F_GETFD) == FD_CLOEXEC);
  }
  CHECK(fcntl(number, F_GETFD) == -1);
}

TEST_CASE("all bytes are written and read, however the system divides them") {
  Pipe pipe;
  const std::string sent(1 << 15, 'x');
  std::string received(sent.size(), ' ');
  REQUIRE(write_all(pipe.to.number(), sent.data(), sent.size()));
  REQUIRE(read_all(pipe.from.number(), received.data(), received.size()));
  CHECK(received == sent);
}

TEST_CASE("reading says where the bytes end too early") {
  Pipe pipe;
  REQUIRE(write_all(pipe.to.number(), "abc", 3));
  pipe.to.reset();
  std::array<char, 4> four{};
  CHECK_FALSE(read_all(pipe.from.number(), four.data(), four.size()));
}

TEST_CASE("what is read to the end is cut at the limit") {
  Pipe pipe;
  REQUIRE(write_all(pipe.to.number(), "abcdef", 6));
  pipe.to.reset();
  CHECK(read_to_end(pipe.from.number(), 4) == "abcd");
}
