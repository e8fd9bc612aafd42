// The memory of a batch: positions and contents of buffers, and how stray writes are detected.
#include "devices/cuda/arena.h"

#include "catch.h"
#include "devices/undefined_fill.h"

using namespace foldproof;
using cuda::Arena;

namespace {

/// Two buffers of six bytes; the second is misaligned by two and has initial bytes.
Job arena_job() {
  Job job;
  job.buffers = {{"first", 6, {}, 0, true},
                 {"second", 6, std::vector<std::byte>(5, std::byte{9}), 2, true},
                 {"scratch", 8, {}, 0, false}};
  job.steps = {JobReset{1}, JobLaunch{"sum", {}, {}, {"sum.toml", 3}}, JobReset{1}};
  return job;
}

struct Filled {
  explicit Filled(std::vector<Job> all) : jobs(std::move(all)), arena(jobs), memory(arena.bytes()) {
    arena.fill(memory);
  }
  std::vector<Job> jobs;
  Arena arena;
  std::vector<std::byte> memory;
};

}  // namespace

TEST_CASE("Buffers start at their offset from an aligned address", "[arena]") {
  const Filled filled({arena_job(), arena_job()});
  for (std::size_t j = 0; j < 2; ++j) {
    CHECK(filled.arena.start(j, 0) % 512 == 0);
    CHECK(filled.arena.start(j, 1) % 512 == 2);
  }
  CHECK(filled.arena.start(1, 0) > filled.arena.start(0, 2));
}

TEST_CASE("Buffers hold their initial bytes, followed by poison", "[arena]") {
  const Filled filled({arena_job()});
  const JobResult result = filled.arena.result(0, filled.memory);
  REQUIRE(result.completed);
  for (std::size_t i = 0; i < 6; ++i) CHECK(result.contents[0][i] == UndefinedFill{}.byte(i));
  for (std::size_t i = 0; i < 5; ++i) CHECK(result.contents[1][i] == std::byte{9});
  CHECK(result.contents[1][5] == UndefinedFill{}.byte(5));
  CHECK(result.contents[2].empty());  // this buffer is not read back
}

TEST_CASE("The initial contents of a buffer that is reset are stored once, after the buffers", "[arena]") {
  const Filled filled({arena_job()});
  const std::uint64_t initial = filled.arena.initial(0, 1);
  CHECK(initial >= filled.arena.bytes_of_buffers());
  CHECK(filled.arena.bytes() - filled.arena.bytes_of_buffers() == 512);
  for (std::size_t i = 0; i < 5; ++i) CHECK(filled.memory[initial + i] == std::byte{9});
  CHECK(filled.memory[initial + 5] == UndefinedFill{}.byte(5));
}

TEST_CASE("A changed byte after a buffer is reported as a write out of bounds", "[arena]") {
  Filled filled({arena_job()});
  filled.memory[filled.arena.start(0, 1) + 6] = std::byte{0};
  const JobResult result = filled.arena.result(0, filled.memory);
  CHECK_FALSE(result.completed);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].kind == Kind::out_of_bounds);
  CHECK(result.findings[0].message ==
        "out-of-bounds write near the buffer \"second\" (6 bytes): the byte at offset 6 changed");
  CHECK(result.findings[0].at == Position{"sum.toml", 3});
}

TEST_CASE("A changed byte before a buffer is reported as well", "[arena]") {
  Filled filled({arena_job()});
  filled.memory[filled.arena.start(0, 1) - 1] = std::byte{0};
  const JobResult result = filled.arena.result(0, filled.memory);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].message.find("the byte at offset -1 changed") != std::string::npos);
}

TEST_CASE("A stray write is attributed to the job whose canary it changes", "[arena]") {
  Filled filled({arena_job(), arena_job()});
  filled.memory[filled.arena.start(1, 0) - 1] = std::byte{0};
  CHECK(filled.arena.result(0, filled.memory).completed);
  CHECK_FALSE(filled.arena.result(1, filled.memory).completed);
}
