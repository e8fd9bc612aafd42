// Who may meet whom at a barrier of a block (PTX ISA 9.7.13.1; CUDA C++ Programming Guide, __syncthreads).
// Instructions on one line of a body are copies that the compiler made of one line of the source.
#include "sanitizer/barrier_check.h"

#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

// %p1: warp 0; %p2: warp 1; %p5: the lower half of each warp.
const std::string groups =
    "shr.u32 %r63, tid, 5; setp.eq.u32 %p1, %r63, 0; setp.eq.u32 %p2, %r63, 1; setp.lt.u32 %p5, lane, 16;";

Setting block_of(std::uint32_t threads) { return {.buffers = {zeros(512)}, .block = {threads, 1, 1}}; }

std::string in_block(std::uint32_t threads, const std::string& body) {
  return verdict<BarrierCheck>(groups + body, block_of(threads));
}

std::vector<Finding> found_in_block(std::uint32_t threads, const std::string& body) {
  return findings_of(groups + body, block_of(threads), only<BarrierCheck>());
}

/// Those of whom `predicate` holds come to `one`, the others to `other`; both go on behind.
std::string either(const std::string& predicate, const std::string& one, const std::string& other,
                   const std::string& between = " ") {
  return " @" + predicate + " bra one; " + other + " bra met;" + between + "one: " + one + between + "met: ";
}

const std::string next_line = "\n ";

TEST_CASE("lanes of one warp meet an aligned barrier at one instruction") {
  CHECK(in_block(64, " bar.sync 0;") == "none");
  CHECK(in_block(64, either("%p5", "bar.sync 0;", "bar.sync 0;")) == "barrier-divergence");
  CHECK(in_block(64, either("%p5", "bar.sync 1;", "bar.sync 1;")) == "barrier-divergence");
  CHECK(in_block(64, either("%p5", "bar.sync 1, 64;", "bar.sync 1, 64;")) == "barrier-divergence");
  CHECK(in_block(64, either("%p5", "barrier.sync 1;", "barrier.sync.aligned 1;")) == "barrier-divergence");
  CHECK(in_block(64, either("%p5", "barrier.sync 1;", "barrier.sync 1;")) == "none");
}

TEST_CASE("warps meet __syncthreads at one line of the source, be it copied") {
  CHECK(in_block(64, either("%p1", "bar.sync 0;", "bar.sync 0;")) == "none");
  CHECK(in_block(64, either("%p1", "bar.sync 0;", "bar.sync 0;", next_line)) == "barrier-divergence");
}

TEST_CASE("warps meet a named barrier wherever they are") {
  CHECK(in_block(64, either("%p1", "bar.sync 1;", "bar.sync 1;", next_line)) == "none");
  CHECK(in_block(64, either("%p1", "bar.sync 1, 64;", "bar.sync 1, 64;", next_line)) == "none");
  // Two pairs of warps, each at a barrier of its own.
  CHECK(in_block(128, " shr.u32 %r1, tid, 6; add.u32 %r1, %r1, 1; bar.sync %r1, 64; bar.sync %r1, 64;") ==
        "none");
}

// Two turns, with two copies of a barrier. In the first, warp 0 takes the one and warp 1 the other; in the
// second, `second` says who takes which.
std::string two_turns(const std::string& barrier, const std::string& second) {
  return " mov.u32 %r1, 0; mov.pred %p6, %p1; turn:" + either("%p6", barrier, barrier) + second +
         " add.u32 %r1, %r1, 1; setp.lt.u32 %p7, %r1, 2; @%p7 bra turn;";
}

TEST_CASE("that warps have met at two copies of a barrier excuses no lanes that divide between them") {
  for (const char* barrier : {"bar.sync 0;", "bar.sync 1;", "bar.sync 1, 64;"}) {
    INFO(barrier);
    CHECK(in_block(64, two_turns(barrier, "")) == "none");
    CHECK(in_block(64, two_turns(barrier, "mov.pred %p6, %p2;")) == "none");
    CHECK(in_block(64, two_turns(barrier, "mov.pred %p6, %p5;")) == "barrier-divergence");
    CHECK(in_block(64, two_turns(barrier, "not.pred %p6, %p5;")) == "barrier-divergence");
  }
}

TEST_CASE("threads that ended before a barrier have come to it") {
  CHECK(in_block(128, " @!%p1 exit; bar.sync 0; bar.sync 0;") == "none");
  CHECK(in_block(128, " @!%p5 exit; bar.sync 0; bar.sync 0;") == "none");
  CHECK(in_block(128, " setp.ge.u32 %p6, tid, 40; @%p6 exit; bar.sync 0; bar.sync 0;") == "none");
  CHECK(in_block(64, " @!%p5 exit; bar.sync 1, 64;") == "none");
}

TEST_CASE("a warp that ended has not come to a barrier that counts") {
  CHECK(in_block(64, " @!%p1 exit; bar.sync 1;") == "none");
  CHECK(in_block(64, " @!%p1 exit; bar.sync 1, 32;") == "none");
  CHECK(in_block(64, " @!%p1 exit; bar.sync 1, 64;") == "deadlock");
}

TEST_CASE("lanes do not go past a barrier where others of their warp wait") {
  // Lanes that only end behind the branch are like those that returned before it.
  const std::string some = "\n @!%p5 bra past;\n bar.sync 0;\n past: ";
  CHECK(kinds(found_in_block(64, some + "exit;")) == "none");
  const std::vector<Finding> found = found_in_block(64, some + "st.global.u32 [mine], 1;");
  REQUIRE(kinds(found) == "barrier-divergence");
  CHECK(found[0].message == "some threads of the warp wait at this barrier, and others have gone past it");
  CHECK(found[0].at.line == 3);
  CHECK(found[0].other->line == 4);
  // A warp that goes past as a whole is waited for, and ends.
  CHECK(in_block(64, "\n @!%p1 bra past;\n bar.sync 1, 32;\n past: st.global.u32 [mine], 1;") == "none");
}

TEST_CASE("all who meet count the same threads") {
  CHECK(in_block(96, " bar.sync 1, 96;") == "none");
  CHECK(in_block(128, " @!%p1 bra past; bar.sync 1, 32; past: st.global.u32 [mine], 1;") == "none");
  CHECK(in_block(96, " selp.u32 %r1, 64, 96, %p1; bar.sync 1, %r1;") == "barrier-divergence");
  // How many go on, and whether the last wait for ever, is left open.
  CHECK(contains(in_block(96, either("%p1", "bar.sync 1, 64;", "bar.sync 1;")), "barrier-divergence"));
}

TEST_CASE("who comes otherwise is told of, though the launch ends there") {
  CHECK(in_block(64, either("%p1", "bar.sync 0, 64;", "bar.sync 0, 96;")) == "barrier-divergence, deadlock");
  const std::string at_two_lines = " @%p1 bra one; @%p2 bra two;" + next_line +
                                   "%: bra rest; one: bar.sync 0;" + next_line + "two: bar.sync 0; rest: ";
  const auto while_rest = [&](const std::string& does) {
    std::string body = at_two_lines;
    return in_block(96, body.replace(body.find("%: bra rest;"), 12, does));
  };
  CHECK(while_rest("bar.sync 1;") == "barrier-divergence, deadlock");
  CHECK(while_rest("spin: bra spin;") == "barrier-divergence, timeout");
}

TEST_CASE("a barrier that counts every thread of the block waits for the whole block") {
  CHECK(in_block(96, either("%p1", "bar.sync 1, 96;", "bar.sync 1;")) == "none");
  CHECK(in_block(70, either("%p1", "bar.sync 1, 96;", "bar.sync 1;")) == "none");  // warps come as wholes
  CHECK(in_block(96, either("%p5", "bar.sync 1, 96;", "bar.sync 1;")) == "barrier-divergence");
}

TEST_CASE("a finding says for whom the barrier was met") {
  // Warp 1 ends; warp 0 comes first.
  const std::vector<Finding> found =
      found_in_block(96, "\n @%p2 exit; @%p1 bra first;\n bar.sync 1; exit;\n first: bar.sync 1, 64;");
  REQUIRE(found.size() == 1);
  CHECK(found[0].message == "barrier 1 expects the whole block here and 64 threads there in one phase");
  CHECK(found[0].at.line == 3);
  CHECK(found[0].other->line == 4);
  CHECK(found[0].threads[0].thread == Dim3{64, 0, 0});
  CHECK(found[0].threads[1].thread == Dim3{0, 0, 0});
}

TEST_CASE("votes meet votes") {
  const std::string vote = "bar.red.popc.u32 %r2, 1, %p1;";
  CHECK(in_block(64, vote) == "none");
  CHECK(in_block(64, either("%p1", vote, vote)) == "none");
  CHECK(in_block(64, either("%p1", vote, "bar.sync 1;")) == "barrier-divergence");
  CHECK(in_block(64, either("%p1", "bar.red.popc.u32 %r2, 1, 64, %p1;", "bar.arrive 1, 64;")) ==
        "barrier-divergence");
  CHECK(in_block(64, vote + " bar.sync 1;") == "none");  // one after the other
}

TEST_CASE("producers arrive and consumers wait, counting the same") {
  const auto pipe = [](const std::string& produce, const std::string& consume) {
    return in_block(96, either("%p1", consume, produce, next_line));
  };
  CHECK(pipe("bar.arrive 1, 96;", "bar.sync 1, 96;") == "none");
  CHECK(pipe("bar.arrive 1, 96;", "bar.sync 1;") == "none");
  CHECK(pipe("bar.arrive 1, 96;", "bar.sync 1, 64;") == "barrier-divergence");
  // Full and empty, in turns.
  CHECK(pipe("bar.sync 2, 96; bar.arrive 1, 96; bar.sync 2, 96; bar.arrive 1, 96;",
             "bar.arrive 2, 96; bar.sync 1, 96; bar.arrive 2, 96; bar.sync 1, 96;") == "none");
}

TEST_CASE("what goes wrong in every turn is told once") {
  const std::string loop = " mov.u32 %r1, 0; turn:" + either("%p5", "bar.sync 0;", "bar.sync 0;") +
                           "add.u32 %r1, %r1, 1; setp.lt.u32 %p7, %r1, 9; @%p7 bra turn;";
  CHECK(found_in_block(32, loop).size() == 1);
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
