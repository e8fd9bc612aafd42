// Instructions, lanes, branches, barriers and rounds, compared with values derived by hand. The frame around
// a body without buffers has 4 instructions that read special registers (class move).
#include "counters/fixture.h"

namespace foldproof::counter_tests {
namespace {

using Class = InstructionClass;
constexpr std::uint64_t frame = 4;

}  // namespace

TEST_CASE("straight code keeps all lanes active") {
  const Counters c = count("add.u32 %r1, tid, 5; exit;");
  CHECK(c.warp_instructions == frame + 2);
  CHECK(c.live_lanes == 32 * (frame + 2));
  CHECK(c.warp_efficiency() == 1);
  CHECK(c.divergent_branches == 0);
}

TEST_CASE("a divergent branch costs the lanes that are inactive") {
  // 8 lanes jump over three additions: setp and bra run in 32 lanes, 3 additions in 24, exit in 32.
  const Counters c = count(R"(
      setp.lt.u32 %p1, lane, 8;
      @%p1 bra over;
      add.u32 %r1, tid, 1;
      add.u32 %r1, %r1, 1;
      add.u32 %r1, %r1, 1;
    over:
      exit;
  )");
  CHECK(c.warp_instructions == frame + 6);
  CHECK(c.active_lanes == 32 * (frame + 3) + 24 * 3);
  CHECK(c.live_lanes == 32 * (frame + 6));
  CHECK(c.divergent_branches == 1);
  CHECK(c.of(Class::branch) == 1);
}

TEST_CASE("a branch taken by all lanes or by none does not diverge") {
  const Counters c = count("setp.lt.u32 %p1, lane, 32; @%p1 bra a; a: @!%p1 bra b; b: exit;");
  CHECK(c.of(Class::branch) == 2);
  CHECK(c.divergent_branches == 0);
  CHECK(c.warp_efficiency() == 1);
}

TEST_CASE("an indexed branch to three targets diverges once") {
  const Counters c = count(R"(
      rem.u32 %r1, lane, 3;
      ways: .branchtargets a, b, c;
      brx.idx %r1, ways;
    a: bra done;
    b: bra done;
    c: bra done;
    done: exit;
  )");
  CHECK(c.divergent_branches == 1);
}

TEST_CASE("a guard makes lanes inactive") {
  const Counters c = count("setp.lt.u32 %p1, lane, 4; @%p1 add.u32 %r1, tid, 1; exit;");
  CHECK(c.active_lanes == 32 * (frame + 2) + 4);
  CHECK(c.divergent_branches == 0);
}

TEST_CASE("lanes that never existed or have exited are not live") {
  CHECK(count("exit;", {.block = {20, 1, 1}}).live_lanes == 20 * (frame + 1));
  // 8 lanes exit; the remaining addition and exit have 24 live lanes, all of them active.
  const Counters c = count("setp.lt.u32 %p1, lane, 8; @%p1 exit; add.u32 %r1, tid, 1; exit;");
  CHECK(c.live_lanes == 32 * (frame + 2) + 24 * 2);
  CHECK(c.active_lanes == 32 * (frame + 1) + 8 + 24 * 2);
}

TEST_CASE("instructions are counted by class") {
  const Counters c = count(R"(
      .shared .u32 box[32];
      add.u32 %r1, tid, 1; and.b32 %r1, %r1, 3; setp.eq.u32 %p1, %r1, 1;
      cvt.rn.f32.u32 %f1, %r1;
      add.f32 %f2, %f1, %f1; setp.lt.f32 %p2, %f1, %f2;
      selp.b32 %r2, 1, 2, %p1;
      st.shared.u32 [box], %r2; ld.shared.u32 %r3, [box];
      red.shared.add.u32 [box], 1;
      shfl.sync.down.b32 %r4, %r1, 1, 31, -1;
      vote.sync.ballot.b32 %r5, %p1, -1;
      bar.warp.sync -1; bar.sync 0; membar.cta;
      exit;
  )");
  CHECK(c.of(Class::integer) == 3);
  CHECK(c.of(Class::conversion) == 1);
  CHECK(c.of(Class::floating_point) == 2);
  CHECK(c.of(Class::move) == frame + 1);
  CHECK(c.of(Class::memory) == 2);
  CHECK(c.of(Class::atomic) == 1);
  CHECK(c.of(Class::shuffle) == 1);
  CHECK(c.of(Class::vote) == 1);
  CHECK(c.of(Class::synchronization) == 3);
  CHECK(c.of(Class::control) == 1);
}

TEST_CASE("barriers are counted once per block, warp barriers once per warp") {
  const Counters c =
      count("bar.sync 0; bar.warp.sync -1; bar.sync 0; exit;", {.grid = {3, 1, 1}, .block = {64, 1, 1}});
  CHECK(c.blocks == 3);
  CHECK(c.threads == 3 * 64);
  CHECK(c.block_barriers == 3 * 2);
  CHECK(c.warp_barriers == 3 * 2);
}

TEST_CASE("barriers separate rounds") {
  const Counters c = count(R"(
      .shared .u32 box[64];
      mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1;
      st.shared.u32 [%r2], tid;
      bar.sync 0;
      setp.lt.u32 %p1, tid, 8;
      @%p1 ld.shared.u32 %r3, [%r2];
      exit;
  )",
                           {.block = {64, 1, 1}});
  REQUIRE(c.rounds.size() == 2);
  CHECK(c.rounds[0] == Round{0, 0, 2, 64});
  CHECK(c.rounds[1] == Round{1, 8, 0, 0});
  CHECK(c.shared_requests_of_busiest_warp == 2);
}

}  // namespace foldproof::counter_tests
