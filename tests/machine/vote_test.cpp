// Warp-synchronous operations: vote, match, redux, elect, activemask, bar.warp.sync.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

using Words = std::vector<std::uint32_t>;

const std::string to_word = "selp.u32 %r9, 1, 0, %p9; st.global.u32 [mine], %r9;";

std::uint32_t vote(const std::string& mode, std::uint32_t voters) {
  const auto out = results(R"(
    shr.u32 %r1, scalar0, tid; and.b32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0;
    vote.sync.)" + mode + ".pred %p9, %p1, -1; " +
                               to_word,
                           {.buffers = {}, .scalars = {voters}});
  CHECK(out == all(32, out[0]));
  return out[0];
}

TEST_CASE("vote all, any and uni evaluate the predicates of the warp") {
  covers("vote_sync");

  CHECK(vote("all", 0xffffffff) == 1);
  CHECK(vote("all", 0xffff7fff) == 0);
  CHECK(vote("any", 0) == 0);
  CHECK(vote("any", 0x00000100) == 1);
  CHECK(vote("uni", 0) == 1);
  CHECK(vote("uni", 0xffffffff) == 1);
  CHECK(vote("uni", 1) == 0);
}

TEST_CASE("a vote accepts a negated predicate") {
  CHECK(results("setp.lt.u32 %p1, tid, 5; vote.sync.ballot.b32 %r1, !%p1, -1; st.global.u32 [mine], %r1;") ==
        all(32, 0xffffffe0));
}

TEST_CASE("ballot has one bit per lane whose predicate is true") {
  covers("vote_ballot");

  CHECK(results(R"(and.b32 %r1, tid, 3; setp.eq.u32 %p1, %r1, 1;
                   vote.sync.ballot.b32 %r2, %p1, -1; st.global.u32 [mine], %r2;)") == all(32, 0x22222222));
}

TEST_CASE("a ballot has bits only of members that have not exited") {
  CHECK(results(R"(setp.lt.u32 %p1, tid, 8; mov.u32 %r2, 7; setp.ge.u32 %p2, tid, 0;
                   @%p1 vote.sync.ballot.b32 %r2, %p2, 0xff; st.global.u32 [mine], %r2;)") ==
        each(32, [](auto k) { return k < 8 ? 0xff : 7; }));
  CHECK(results(R"(setp.ge.u32 %p1, tid, 6; @%p1 exit; setp.ge.u32 %p2, tid, 0;
                   vote.sync.ballot.b32 %r2, %p2, -1; st.global.u32 [mine], %r2;)") ==
        each(32, [](auto k) { return k < 6 ? 0x3f : 0; }));
}

TEST_CASE("vote all ignores exited lanes") {
  CHECK(results(
            "setp.ge.u32 %p1, tid, 6; @%p1 exit; setp.lt.u32 %p2, tid, 6; vote.sync.all.pred %p9, %p2, -1;" +
            to_word) == each(32, [](auto k) { return k < 6; }));
}

TEST_CASE("match any returns the lanes with the same value") {
  covers("match_any");

  CHECK(results("rem.u32 %r1, tid, 3; match.any.sync.b32 %r2, %r1, -1; st.global.u32 [mine], %r2;") ==
        each(32, [](auto k) { return k % 3 == 0   ? 0x49249249
                                     : k % 3 == 1 ? 0x92492492
                                                  : 0x24924924; }));
}

TEST_CASE("match any compares all 64 bits") {
  CHECK(results(R"(and.b32 %r1, tid, 1; mov.b64 %rd1, {tid, %r1}; and.b64 %rd1, %rd1, 0xffffffff00000000;
                   match.any.sync.b64 %r2, %rd1, -1; st.global.u32 [mine], %r2;)") ==
        each(32, [](auto k) { return k % 2 == 0 ? 0x55555555 : 0xaaaaaaaa; }));
}

TEST_CASE("match any considers only members") {
  CHECK(results(R"(setp.lt.u32 %p1, tid, 4; mov.u32 %r2, 0; mov.u32 %r1, 5;
                   @%p1 match.any.sync.b32 %r2, %r1, 0xf; st.global.u32 [mine], %r2;)") ==
        each(32, [](auto k) { return k < 4 ? 0xf : 0; }));
}

TEST_CASE("match all returns the mask if all members agree, and 0 otherwise") {
  covers("match_all");

  auto match_all = [](const std::string& value) {
    return results(value + R"( match.all.sync.b32 %r2|%p9, %r1, -1;
                   selp.u32 %r3, 0, 0x5, %p9; xor.b32 %r2, %r2, %r3; st.global.u32 [mine], %r2;)");
  };
  CHECK(match_all("mov.u32 %r1, 9;") == all(32, 0xffffffff));
  CHECK(match_all("mov.u32 %r1, tid;") == all(32, 5));
  CHECK(results("mov.u64 %rd1, 3; match.all.sync.b64 %r2, %rd1, -1; st.global.u32 [mine], %r2;") ==
        all(32, 0xffffffff));
}

// The values 3 * lane - 40; only lanes 2, 5, 8 … take part.
std::uint32_t reduced(const std::string& suffix, std::uint32_t mask = 0xffffffff) {
  const auto out = results(R"(
    mad.lo.u32 %r1, tid, 3, -40; shr.u32 %r2, scalar0, tid; and.b32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0;
    @%p1 redux.sync.)" + suffix +
                               " %r3, %r1, scalar0; @%p1 st.global.u32 [mine], %r3;",
                           {.buffers = {}, .scalars = {mask}});
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1) {
      CHECK(out[lane] == out[std::countr_zero(mask)]);
    }
  return out[std::countr_zero(mask)];
}

TEST_CASE("redux adds, modulo 2^32") {
  CHECK(reduced("add.s32") == 3 * 496 - 32 * 40);
  CHECK(reduced("add.u32") == 3 * 496 - 32 * 40);
  CHECK(reduced("add.s32", 0x3) == static_cast<std::uint32_t>(-77));
}

TEST_CASE("redux min and max compare as signed or unsigned according to the type") {
  CHECK(reduced("min.s32") == static_cast<std::uint32_t>(-40));
  CHECK(reduced("max.s32") == 53);
  CHECK(reduced("min.u32") == 2);
  CHECK(reduced("max.u32") == static_cast<std::uint32_t>(-1));
  CHECK(reduced("max.s32", 0x7) == static_cast<std::uint32_t>(-34));
}

TEST_CASE("redux computes and, or and xor") {
  std::uint32_t conjunction = ~0u, disjunction = 0, parity = 0;
  for (int k = 2; k < 32; k += 3) {
    const auto value = static_cast<std::uint32_t>(3 * k - 40);
    conjunction &= value, disjunction |= value, parity ^= value;
  }
  CHECK(reduced("and.b32", 0x24924924) == conjunction);
  CHECK(reduced("or.b32", 0x24924924) == disjunction);
  CHECK(reduced("xor.b32", 0x24924924) == parity);
}

TEST_CASE("redux of f32 applies .abs and makes NaN canonical even for a single member") {
  auto alone = [](const std::string& suffix, const char* value) {
    return results(fmt::format("redux.sync.{}.f32 %f1, 0f{}, 1; mov.b32 %r1, %f1; st.global.u32 [mine], %r1;",
                               suffix, value),
                   {.buffers = {}, .block = {1, 1, 1}})[0];
  };
  CHECK(alone("max", "C0000000") == 0xC0000000);
  CHECK(alone("max.abs", "C0000000") == 0x40000000);
  CHECK(alone("min", "FFC00001") == 0x7FFFFFFF);
  CHECK(alone("min.NaN", "FFC00001") == 0x7FFFFFFF);
}

TEST_CASE("redux of f32 ignores NaN, or propagates it with .NaN") {
  auto f32_of = [](const std::string& suffix) {
    return results(R"(
      cvt.rn.f32.u32 %f1, tid; sub.f32 %f1, %f1, 0f41200000; setp.eq.u32 %p1, tid, 5;
      selp.f32 %f1, 0f7FC00000, %f1, %p1;
      redux.sync.)" +
                   suffix + ".f32 %f2, %f1, -1; mov.b32 %r1, %f2; st.global.u32 [mine], %r1;");
  };
  CHECK(f32_of("min") == all(32, 0xc1200000));      // -10
  CHECK(f32_of("max") == all(32, 0x41a80000));      // 21
  CHECK(f32_of("min.abs") == all(32, 0x00000000));  // |10 - 10|
  CHECK(f32_of("max.NaN") == all(32, 0x7fffffff));
}

TEST_CASE("exactly one member is elected, and all members receive its number") {
  covers("elect_sync");

  for (const Schedule& schedule : every_schedule()) {
    const auto out = results(R"(
      setp.ge.u32 %p1, tid, 4; setp.lt.u32 %p2, tid, 9; and.pred %p1, %p1, %p2; mov.u32 %r1, 0; mov.u32 %r2, 0;
      @%p1 elect.sync %r1|%p3, 0x1f0; @%p1 selp.u32 %r2, 0x100, 0, %p3;
      or.b32 %r1, %r1, %r2; st.global.u32 [mine], %r1;)",
                             {.buffers = {}, .schedule = schedule});
    const std::uint32_t leader = out[4] & 0xff;
    CHECK((leader >= 4 && leader < 9));
    CHECK(out == each(32, [&](auto k) {
            return k < 4 || k > 8 ? 0 : k == leader ? leader | 0x100 : leader;
          }));
  }
}

TEST_CASE("elect may discard the number") { CHECK(results("elect.sync _|%p9, -1;" + to_word)[0] <= 1); }

TEST_CASE("a different seed elects a different lane") {
  Words leaders;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    leaders.push_back(results("elect.sync %r1|%p1, -1; st.global.u32 [mine], %r1;",
                              {.buffers = {}, .schedule = {Schedule::Order::random, seed}})[0]);
  CHECK(leaders != all(20, leaders[0]));
}

TEST_CASE("activemask returns the lanes that run together") {
  covers("activemask");

  CHECK(results("activemask.b32 %r1; st.global.u32 [mine], %r1;") == all(32, 0xffffffff));
  CHECK(results(
            "setp.lt.u32 %p1, tid, 4; mov.u32 %r1, 0; @%p1 activemask.b32 %r1; st.global.u32 [mine], %r1;") ==
        each(32, [](auto k) { return k < 4 ? 0xf : 0; }));
  CHECK(results("activemask.b32 %r1; st.global.u32 [mine], %r1;",
                {.buffers = {}, .schedule = schedule_named("lanes-forward")}) ==
        each(32, [](auto k) { return 1u << k; }));
}

TEST_CASE("bar.warp.sync waits for the lanes of its mask") {
  covers("bar_warp_sync");

  const std::string body = R"(
    .shared .u32 box[32];
    mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; st.shared.u32 [%r2], tid;
    bar.warp.sync -1;
    xor.b32 %r3, tid, 31; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r4, [%r3]; st.global.u32 [mine], %r4;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .schedule = schedule}) == each(32, [](auto k) { return 31 - k; }));
}

TEST_CASE("bar.warp.sync with a partial mask does not affect the other lanes") {
  const std::string body = R"(
    .shared .u32 box[32];
    mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; setp.lt.u32 %p1, tid, 8; mov.u32 %r4, 99;
    @!%p1 bra done;
    st.shared.u32 [%r2], tid; bar.warp.sync 0xff;
    xor.b32 %r3, tid, 7; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r4, [%r3];
    done: st.global.u32 [mine], %r4;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .schedule = schedule}) ==
          each(32, [](auto k) { return k < 8 ? 7 - k : 99; }));
}

TEST_CASE("bar.warp.sync synchronizes lanes at different instructions with the same mask") {
  const std::string body = R"(
    .shared .u32 box[32];
    mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; setp.lt.u32 %p1, tid, 16; st.shared.u32 [%r2], tid;
    @%p1 bra low;
    bar.warp.sync -1; bra done;
    low: bar.warp.sync -1;
    done: xor.b32 %r3, tid, 16; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 %r4, [%r3]; st.global.u32 [mine], %r4;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .schedule = schedule}) == each(32, [](auto k) { return k ^ 16; }));
}

}  // namespace
}  // namespace foldproof::machine_tests
