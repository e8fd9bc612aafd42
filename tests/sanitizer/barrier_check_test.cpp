// Which threads may arrive together at a barrier of a block (PTX ISA 9.7.13.1; CUDA C++ Programming Guide,
// __syncthreads). Instructions on one line of a body are copies that the compiler made of one source line.
#include "sanitizer/barrier_check.h"
#include "sanitizer/cluster_barrier_check.h"

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

/// Threads whose `predicate` is true execute `one`, the others `other`; both continue afterwards.
std::string either(const std::string& predicate, const std::string& one, const std::string& other,
                   const std::string& between = " ") {
  return " @" + predicate + " bra one; " + other + " bra met;" + between + "one: " + one + between + "met: ";
}

const std::string next_line = "\n ";

TEST_CASE("lanes of one warp must execute an aligned barrier at one instruction") {
  CHECK(in_block(64, " bar.sync 0;") == "none");
  CHECK(in_block(64, either("%p5", "bar.sync 0;", "bar.sync 0;")) == "barrier-divergence");
  CHECK(in_block(64, either("%p5", "bar.sync 1;", "bar.sync 1;")) == "barrier-divergence");
  CHECK(in_block(64, either("%p5", "bar.sync 1, 64;", "bar.sync 1, 64;")) == "barrier-divergence");
  CHECK(in_block(64, either("%p5", "barrier.sync 1;", "barrier.sync.aligned 1;")) == "barrier-divergence");
  CHECK(in_block(64, either("%p5", "barrier.sync 1;", "barrier.sync 1;")) == "none");
}

TEST_CASE("lanes of one warp must not disagree about the guard of an aligned barrier") {
  const std::string later = " st.global.u32 [mine], tid;";
  // Schedules that run lanes one by one do not show it.
  CHECK(in_block(64, " @%p5 bar.sync 0;" + later).starts_with("barrier-divergence in converging "));
  CHECK(in_block(64, " @%p5 barrier.sync 0;" + later) == "none");
  CHECK(in_block(64, " @%p5 bar.arrive 1, 64;" + later) == "none");
  CHECK(in_block(64, " @%p1 bar.sync 1, 32; bar.sync 0;" + later) == "none");
}

TEST_CASE("lanes of one warp must execute an aligned cluster barrier at one instruction") {
  const auto in_cluster = [](const std::string& body) {
    Setting setting = block_of(32);
    setting.grid = setting.cluster = {2, 1, 1};
    return verdict<ClusterBarrierCheck>(groups + body + " st.global.u32 [mine], tid;", setting);
  };
  const std::string arrive = " barrier.cluster.arrive;", wait = " barrier.cluster.wait;";
  const std::string arrive_aligned = " barrier.cluster.arrive.aligned;",
                    wait_aligned = " barrier.cluster.wait.aligned;";
  const std::string whole = arrive_aligned + wait_aligned;
  CHECK(in_cluster(whole + whole) == "none");
  CHECK(in_cluster(" setp.gt.u32 %p1, lane, 20; @%p1 exit;" + whole) == "none");
  CHECK(in_cluster(" mov.u32 %r1, 0; turn:" + whole +
                   " add.u32 %r1, %r1, 1; setp.lt.u32 %p7, %r1, 3; @%p7 bra turn;") == "none");
  CHECK(in_cluster(either("%p5", arrive, arrive) + wait) == "none");
  CHECK(in_cluster(either("%p5", arrive_aligned, arrive) + wait) == "barrier-divergence");
  CHECK(in_cluster(arrive + either("%p5", wait_aligned, wait_aligned)) == "barrier-divergence");
  CHECK(in_cluster(" @%p5" + arrive_aligned + " @!%p5" + arrive + wait) == "barrier-divergence");
  CHECK(in_cluster(" mov.u32 %r1, 0; turn: setp.eq.u32 %p6, %r1, 0; xor.pred %p6, %p6, %p5; @%p6" +
                   arrive_aligned + " add.u32 %r1, %r1, 1; setp.lt.u32 %p7, %r1, 2; @%p7 bra turn;" + wait)
            .starts_with("barrier-divergence in converging "));
  CHECK(in_cluster(arrive + " @%p5" + wait_aligned + whole).starts_with("barrier-divergence in converging "));
}

TEST_CASE("warps must execute __syncthreads at one source line, possibly in compiler-made copies") {
  CHECK(in_block(64, either("%p1", "bar.sync 0;", "bar.sync 0;")) == "none");
  CHECK(in_block(64, either("%p1", "bar.sync 0;", "bar.sync 0;", next_line)) == "barrier-divergence");
}

TEST_CASE("warps may arrive at a named barrier from different lines") {
  CHECK(in_block(64, either("%p1", "bar.sync 1;", "bar.sync 1;", next_line)) == "none");
  CHECK(in_block(64, either("%p1", "bar.sync 1, 64;", "bar.sync 1, 64;", next_line)) == "none");
  // Two pairs of warps, each at its own barrier.
  CHECK(in_block(128, " shr.u32 %r1, tid, 6; add.u32 %r1, %r1, 1; bar.sync %r1, 64; bar.sync %r1, 64;") ==
        "none");
}

// Two iterations with two copies of a barrier. In the first, warp 0 takes one copy and warp 1 the other; in
// the second, `second` sets the predicate.
std::string two_turns(const std::string& barrier, const std::string& second) {
  return " mov.u32 %r1, 0; mov.pred %p6, %p1; turn:" + either("%p6", barrier, barrier) + second +
         " add.u32 %r1, %r1, 1; setp.lt.u32 %p7, %r1, 2; @%p7 bra turn;";
}

TEST_CASE("divergent lanes are reported even if warps used the two copies of a barrier before") {
  for (const char* barrier : {"bar.sync 0;", "bar.sync 1;", "bar.sync 1, 64;"}) {
    INFO(barrier);
    CHECK(in_block(64, two_turns(barrier, "")) == "none");
    CHECK(in_block(64, two_turns(barrier, "mov.pred %p6, %p2;")) == "none");
    CHECK(in_block(64, two_turns(barrier, "mov.pred %p6, %p5;")) == "barrier-divergence");
    CHECK(in_block(64, two_turns(barrier, "not.pred %p6, %p5;")) == "barrier-divergence");
  }
}

TEST_CASE("exited threads count as arrived at a later barrier") {
  CHECK(in_block(128, " @!%p1 exit; bar.sync 0; bar.sync 0;") == "none");
  CHECK(in_block(128, " @!%p5 exit; bar.sync 0; bar.sync 0;") == "none");
  CHECK(in_block(128, " setp.ge.u32 %p6, tid, 40; @%p6 exit; bar.sync 0; bar.sync 0;") == "none");
  CHECK(in_block(64, " @!%p5 exit; bar.sync 1, 64;") == "none");
}

TEST_CASE("an exited warp does not count as arrived at a counted barrier") {
  CHECK(in_block(64, " @!%p1 exit; bar.sync 1;") == "none");
  CHECK(in_block(64, " @!%p1 exit; bar.sync 1, 32;") == "none");
  CHECK(in_block(64, " @!%p1 exit; bar.sync 1, 64;") == "deadlock");
}

TEST_CASE("lanes must not pass a barrier at which others of their warp wait") {
  // Lanes that exit right after the branch are like those that returned before it.
  const std::string some = "\n @!%p5 bra past;\n bar.sync 0;\n past: ";
  CHECK(kinds(found_in_block(64, some + "exit;")) == "none");
  const std::vector<Finding> found = found_in_block(64, some + "st.global.u32 [mine], 1;");
  REQUIRE(kinds(found) == "barrier-divergence");
  CHECK(found[0].message ==
        "some threads of the warp wait at this barrier, but others have already passed it");
  CHECK(found[0].at.line == 3);
  CHECK(found[0].other->line == 4);
  // A complete warp that passes the barrier is waited for until it exits.
  CHECK(in_block(64, "\n @!%p1 bra past;\n bar.sync 1, 32;\n past: st.global.u32 [mine], 1;") == "none");
}

TEST_CASE("all threads at a barrier must give the same thread count") {
  CHECK(in_block(96, " bar.sync 1, 96;") == "none");
  CHECK(in_block(128, " @!%p1 bra past; bar.sync 1, 32; past: st.global.u32 [mine], 1;") == "none");
  CHECK(in_block(96, " selp.u32 %r1, 64, 96, %p1; bar.sync 1, %r1;") == "barrier-divergence");
  // How many continue, and whether the last ones wait for ever, is unspecified.
  CHECK(contains(in_block(96, either("%p1", "bar.sync 1, 64;", "bar.sync 1;")), "barrier-divergence"));
}

TEST_CASE("barrier divergence is reported even if the launch ends there") {
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

TEST_CASE("a barrier counted with every thread of the block is equivalent to one for the whole block") {
  CHECK(in_block(96, either("%p1", "bar.sync 1, 96;", "bar.sync 1;")) == "none");
  CHECK(in_block(70, either("%p1", "bar.sync 1, 96;", "bar.sync 1;")) == "none");  // warps arrive as a whole
  CHECK(in_block(96, either("%p5", "bar.sync 1, 96;", "bar.sync 1;")) == "barrier-divergence");
}

TEST_CASE("a finding gives the thread counts of both arrivals") {
  // Warp 1 exits; warp 0 arrives first.
  const std::vector<Finding> found =
      found_in_block(96, "\n @%p2 exit; @%p1 bra first;\n bar.sync 1; exit;\n first: bar.sync 1, 64;");
  REQUIRE(found.size() == 1);
  CHECK(found[0].message ==
        "barrier 1 expects the whole block at this arrival, but 64 threads at another one in the same phase");
  CHECK(found[0].at.line == 3);
  CHECK(found[0].other->line == 4);
  CHECK(found[0].threads[0].thread == Dim3{64, 0, 0});
  CHECK(found[0].threads[1].thread == Dim3{0, 0, 0});
}

TEST_CASE("all arrivals at a reducing barrier must be reductions") {
  const std::string vote = "bar.red.popc.u32 %r2, 1, %p1;";
  CHECK(in_block(64, vote) == "none");
  CHECK(in_block(64, either("%p1", vote, vote)) == "none");
  CHECK(in_block(64, either("%p1", vote, "bar.sync 1;")) == "barrier-divergence");
  CHECK(in_block(64, either("%p1", "bar.red.popc.u32 %r2, 1, 64, %p1;", "bar.arrive 1, 64;")) ==
        "barrier-divergence");
  CHECK(in_block(64, vote + " bar.sync 1;") == "none");  // one after the other
}

TEST_CASE("producers arrive and consumers wait with the same thread count") {
  const auto pipe = [](const std::string& produce, const std::string& consume) {
    return in_block(96, either("%p1", consume, produce, next_line));
  };
  CHECK(pipe("bar.arrive 1, 96;", "bar.sync 1, 96;") == "none");
  CHECK(pipe("bar.arrive 1, 96;", "bar.sync 1;") == "none");
  CHECK(pipe("bar.arrive 1, 96;", "bar.sync 1, 64;") == "barrier-divergence");
  // Full and empty alternate.
  CHECK(pipe("bar.sync 2, 96; bar.arrive 1, 96; bar.sync 2, 96; bar.arrive 1, 96;",
             "bar.arrive 2, 96; bar.sync 1, 96; bar.arrive 2, 96; bar.sync 1, 96;") == "none");
}

TEST_CASE("divergence in every iteration is reported once") {
  const std::string loop = " mov.u32 %r1, 0; turn:" + either("%p5", "bar.sync 0;", "bar.sync 0;") +
                           "add.u32 %r1, %r1, 1; setp.lt.u32 %p7, %r1, 9; @%p7 bra turn;";
  CHECK(found_in_block(32, loop).size() == 1);
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
