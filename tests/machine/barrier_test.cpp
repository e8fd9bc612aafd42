// Barriers of a block: bar and barrier, with and without a thread count; sync, arrive and red.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

// Thread t writes its own value to shared memory and reads that of thread 127 - t after the barrier.
std::string exchange(const std::string& barrier) {
  return R"(
    .shared .u32 box[128];
    mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; mul.lo.u32 %r3, tid, 3; st.shared.u32 [%r2], %r3;
    )" + barrier +
         R"(
    sub.u32 %r4, 127, tid; mad.lo.u32 %r4, %r4, 4, %r1; ld.shared.u32 %r5, [%r4]; st.global.u32 [mine], %r5;)";
}

void check_exchange(const std::string& barrier) {
  INFO(barrier);
  for (const Schedule& schedule : every_schedule()) {
    INFO(to_string(schedule));
    CHECK(results(exchange(barrier),
                  {.buffers = {}, .grid = {2, 1, 1}, .block = {128, 1, 1}, .schedule = schedule}) ==
          each(256, [](auto k) { return 3 * (127 - k % 128); }));
  }
}

TEST_CASE("no thread passes a block barrier, in any spelling, before all have arrived") {
  covers("bar_sync");
  covers("barrier_sync");

  check_exchange("bar.sync 0;");
  check_exchange("bar.cta.sync 15;");
  check_exchange("bar.sync 3, 128;");
  check_exchange("mov.u32 %r9, 7; bar.sync %r9;");
  check_exchange("barrier.sync 0;");
  check_exchange("barrier.cta.sync 1, 128;");
  check_exchange("barrier.sync.aligned 2;");
}

TEST_CASE("a barrier in a loop works in every iteration") {
  // A tree sum over 64 threads, with alternating halves of shared memory.
  const std::string body = R"(
    .shared .u32 box[64];
    mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; add.u32 %r3, tid, 1; st.shared.u32 [%r2], %r3;
    mov.u32 %r4, 32;
    next: bar.sync 0;
    setp.ge.u32 %p1, tid, %r4; @%p1 bra skip;
    mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5]; ld.shared.u32 %r7, [%r2]; add.u32 %r7, %r7, %r6;
    st.shared.u32 [%r2], %r7;
    skip: shr.u32 %r4, %r4, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra next;
    bar.sync 0; ld.shared.u32 %r8, [box]; st.global.u32 [mine], %r8;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .block = {64, 1, 1}, .schedule = schedule}) == all(64, 64 * 65 / 2));
}

TEST_CASE("exited threads count as arrived") {
  const std::string body = R"(
    setp.ge.u32 %p1, tid, 40; @%p1 ret;
    bar.sync 0; st.global.u32 [mine], 1;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .block = {128, 1, 1}, .schedule = schedule}) ==
          each(128, [](auto k) { return k < 40; }));
}

TEST_CASE("a warp that exits while others wait releases them") {
  // Warp 1 exits only after warp 0 has reached the barrier.
  const std::string body = R"(
    setp.ge.u32 %p1, tid, 32; @%p1 bra wait;
    st.volatile.global.u32 [buffer1], 1; bar.sync 0; st.global.u32 [mine], 5; ret;
    wait: ld.volatile.global.u32 %r1, [buffer1]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait;
    ret;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {zeros(4)}, .block = {64, 1, 1}, .schedule = schedule}) ==
          each(64, [](auto k) { return k < 32 ? 5 : 0; }));
}

TEST_CASE("counted barriers synchronize groups of warps independently") {
  // Warps 0 and 1 use barrier 1 three times; warps 2 and 3 use barrier 2 once.
  const std::string body = R"(
    .shared .u32 box[128];
    mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; shr.u32 %r3, tid, 6; add.u32 %r3, %r3, 1;
    st.shared.u32 [%r2], tid; bar.sync %r3, 64;
    xor.b32 %r4, tid, 32; mad.lo.u32 %r4, %r4, 4, %r1; ld.shared.u32 %r5, [%r4];
    setp.ge.u32 %p1, tid, 64; @%p1 bra done;
    bar.sync 1, 64; bar.sync 1, 64;
    done: st.global.u32 [mine], %r5;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .block = {128, 1, 1}, .schedule = schedule}) ==
          each(128, [](auto k) { return k ^ 32; }));
}

TEST_CASE("a producer arrives and continues; a consumer waits") {
  covers("bar_arrive");
  covers("barrier_arrive");

  // Warp 0 produces four values, one per iteration; warp 1 consumes them. Barrier 1: full, barrier 2: empty.
  const std::string body = R"(
    .shared .u32 box[32];
    mov.u32 %r1, box; and.b32 %r9, tid, 31; mad.lo.u32 %r2, %r9, 4, %r1; mov.u32 %r3, 0; mov.u32 %r8, 0;
    setp.ge.u32 %p1, tid, 32; @%p1 bra consume;
    produce: bar.sync 2, 64; mad.lo.u32 %r4, %r3, 100, tid; st.shared.u32 [%r2], %r4; bar.arrive 1, 64;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 4; @%p2 bra produce;
    ret;
    consume: bar.arrive 2, 64; bar.sync 1, 64; ld.shared.u32 %r4, [%r2]; add.u32 %r8, %r8, %r4;
    add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 4; @%p2 bra consume;
    st.global.u32 [mine], %r8;)";
  for (const std::string prefix : {"bar.", "barrier."}) {
    std::string text = body;
    for (std::size_t at = 0; (at = text.find("bar.", at)) != std::string::npos; at += prefix.size())
      text.replace(at, 4, prefix);
    for (const Schedule& schedule : every_schedule())
      CHECK(results(text, {.buffers = {}, .block = {64, 1, 1}, .schedule = schedule}) ==
            each(64, [](auto k) { return k < 32 ? 0 : 600 + 4 * (k - 32); }));
  }
}

std::vector<std::uint32_t> reduce(const std::string& text, std::uint32_t below,
                                  const Schedule& schedule = {}) {
  return results("setp.lt.u32 %p1, tid, scalar0; " + text + " st.global.u32 [mine], %r1;",
                 {.buffers = {}, .scalars = {below}, .block = {96, 1, 1}, .schedule = schedule});
}

TEST_CASE("a warp that arrives twice counts twice") {
  const std::string body = R"(
    setp.ge.u32 %p1, tid, 32; @%p1 bra wait;
    bar.arrive 1, 96; bar.arrive 1, 96; bra done;
    wait: bar.sync 1, 96;
    done: st.global.u32 [mine], 6;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .block = {64, 1, 1}, .schedule = schedule}) == all(64, 6));
}

TEST_CASE("a warp whose lanes arrive from different instructions counts once") {
  const std::string body = R"(
    setp.ge.u32 %p1, tid, 32; @%p1 bra wait; setp.lt.u32 %p2, tid, 10; @%p2 bra low;
    barrier.arrive 1, 96; bra done;
    low: barrier.arrive 1, 96; bra done;
    wait: barrier.sync 1, 96;
    done: ret;)";
  for (const Schedule& schedule : every_schedule()) {
    const Finding finding = finding_of(body, {.buffers = {}, .block = {64, 1, 1}, .schedule = schedule});
    CHECK(finding.kind == Kind::deadlock);
  }
}

TEST_CASE("barrier reductions count, and, or or the predicates of all threads") {
  for (const std::string barrier : {"bar.red", "barrier.red", "barrier.cta.red"}) {
    INFO(barrier);
    CHECK(reduce(barrier + ".popc.u32 %r1, 0, %p1;", 41) == all(96, 41));
    CHECK(reduce(barrier + ".popc.u32 %r1, 2, 96, !%p1;", 41) == all(96, 55));
    const std::string to_word = " selp.u32 %r1, 1, 0, %p2;";
    CHECK(reduce(barrier + ".and.pred %p2, 0, %p1;" + to_word, 96) == all(96, 1));
    CHECK(reduce(barrier + ".and.pred %p2, 0, %p1;" + to_word, 95) == all(96, 0));
    CHECK(reduce(barrier + ".or.pred %p2, 0, %p1;" + to_word, 0) == all(96, 0));
    CHECK(reduce(barrier + ".or.pred %p2, 1, 96, %p1;" + to_word, 1) == all(96, 1));
  }
}

TEST_CASE("barrier reductions give the same result in every schedule and start anew each time") {
  for (const Schedule& schedule : every_schedule())
    CHECK(
        reduce("bar.red.popc.u32 %r1, 0, %p1; bar.red.popc.u32 %r2, 0, %p1; mad.lo.u32 %r1, %r1, 1000, %r2;",
               33, schedule) == all(96, 33033));
}

TEST_CASE("a barrier reduction does not count exited threads") {
  CHECK(results(R"(
    setp.ge.u32 %p1, tid, 50; @%p1 exit; setp.ge.u32 %p2, tid, 0;
    bar.red.popc.u32 %r1, 0, %p2; st.global.u32 [mine], %r1;)",
                {.buffers = {}, .block = {96, 1, 1}}) == each(96, [](auto k) { return k < 50 ? 50 : 0; }));
}

TEST_CASE("lanes of a warp may reach an unaligned barrier from different instructions") {
  const std::string body = R"(
    setp.lt.u32 %p1, tid, 16; @%p1 bra low;
    barrier.sync 0; bra done;
    low: barrier.sync 0;
    done: st.global.u32 [mine], 4;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .block = {64, 1, 1}, .schedule = schedule}) == all(64, 4));
}

TEST_CASE("a barrier number above 15 is reported") {
  const Finding finding = finding_of("mov.u32 %r1, 16; bar.sync %r1;", {.buffers = {}});
  CHECK(finding.kind == Kind::crash);
  CHECK(contains(finding.message, "barrier 16 does not exist"));
}

TEST_CASE("a thread count that is not a multiple of 32 is reported") {
  const Finding finding = finding_of("bar.sync 0, 40;", {.buffers = {}, .block = {64, 1, 1}});
  CHECK(finding.kind == Kind::crash);
  CHECK(contains(finding.message, "multiple of 32"));
}

TEST_CASE("lanes of a warp that wait at different barriers are a deadlock") {
  const Finding finding = finding_of("and.b32 %r1, tid, 1; barrier.sync %r1, 32;", {.buffers = {}});
  CHECK(finding.kind == Kind::deadlock);
  CHECK(contains(finding.message, "barrier 0"));
  CHECK(contains(finding.message, "barrier 1"));
}

}  // namespace
}  // namespace foldproof::machine_tests
