#include "base/bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "catch.h"

using namespace foldproof;

TEST_CASE("a descriptor is closed once, by its last owner") {
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

TEST_CASE("a buffer is written and read completely, in as many system calls as needed") {
  Pipe pipe;
  const std::string sent(1 << 15, 'x');
  std::string received(sent.size(), ' ');
  REQUIRE(write_all(pipe.to.number(), sent.data(), sent.size()));
  REQUIRE(read_all(pipe.from.number(), received.data(), received.size()));
  CHECK(received == sent);
}

TEST_CASE("all bytes reach a slow reader of a pipe that another program has made non-blocking") {
  Pipe pipe;
  REQUIRE(fcntl(pipe.to.number(), F_SETFL, O_WRONLY | O_NONBLOCK) == 0);
  const std::string sent(1 << 20, 'x');
  std::string received(sent.size(), ' ');
  std::jthread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // The pipe is full before.
    read_all(pipe.from.number(), received.data(), received.size());
  });
  CHECK(write_all(pipe.to.number(), sent.data(), sent.size()));
  pipe.to.reset();
  reader.join();
  CHECK(received == sent);
}

TEST_CASE("reading fails when the bytes end too early") {
  Pipe pipe;
  REQUIRE(write_all(pipe.to.number(), "abc", 3));
  pipe.to.reset();
  std::array<char, 4> four{};
  CHECK_FALSE(read_all(pipe.from.number(), four.data(), four.size()));
}

TEST_CASE("reading to the end stops at the limit") {
  Pipe pipe;
  REQUIRE(write_all(pipe.to.number(), "abcdef", 6));
  pipe.to.reset();
  CHECK(read_to_end(pipe.from.number(), 4) == "abcd");
}

TEST_CASE("the fields of a message are read in the order in which they were written") {
  enum class Request { first, second };
  ByteWriter writer(Request::second);
  writer.text("");
  writer.text("abc");
  writer.bytes(std::vector<std::byte>{std::byte{0}, std::byte{255}});
  writer.number(~std::uint64_t{0});
  CHECK(writer.message().size() == 8 + 8 + (8 + 3) + (8 + 2) + 8);
  ByteReader reader(writer.message());
  CHECK(reader.number() == 1);
  CHECK(reader.text().empty());
  CHECK(reader.text() == "abc");
  CHECK(reader.bytes() == std::vector<std::byte>{std::byte{0}, std::byte{255}});
  CHECK(reader.number() == ~std::uint64_t{0});
  reader.expect_end();
}

TEST_CASE("a message that is too short is refused by every accessor") {
  ByteWriter writer;
  writer.number(1000);
  const std::span<const std::byte> message = writer.message();
  CHECK_THROWS_AS(ByteReader(message).text(), ProtocolError);
  CHECK_THROWS_AS(ByteReader(message).bytes(), ProtocolError);
  CHECK_THROWS_AS(ByteReader(message).length(), ProtocolError);
  CHECK_THROWS_AS(ByteReader(message.first(7)).number(), ProtocolError);
}

TEST_CASE("trailing bytes after a message are refused") {
  ByteWriter writer;
  writer.number(1);
  CHECK_THROWS_AS(ByteReader(writer.message()).expect_end(), ProtocolError);
}
