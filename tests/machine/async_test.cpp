// Asynchronous copies and mbarrier objects.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

using Words = std::vector<std::uint32_t>;

TEST_CASE("cp.async copies 4, 8 or 16 bytes to shared memory") {
  covers("cp_async");
  covers("cp_async_commit");
  covers("cp_async_wait");

  const auto out = run_kernel(R"(
    .shared .align 16 .b8 box[48]; mov.u32 %r1, box;
    cp.async.ca.shared.global [%r1], [buffer1], 4;
    cp.async.ca.shared::cta.global [%r1+8], [buffer1+8], 8;
    cp.async.cg.shared.global.L2::128B [box+16], [buffer1+16], 16;
    cp.async.commit_group; cp.async.wait_group 0;
    ld.shared.u32 %r2, [box]; ld.shared.v2.u32 {%r3, %r4}, [box+8]; ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [box+16];
    st.global.v4.u32 [buffer0], {%r2, %r3, %r4, %r5}; st.global.v4.u32 [buffer0+16], {%r6, %r7, %r8, 0};)",
                              {.buffers = {zeros(32), words({1, 2, 3, 4, 5, 6, 7, 8})}, .block = {1, 1, 1}});
  CHECK(out.words() == Words{1, 3, 4, 5, 6, 7, 8, 0});
}

TEST_CASE("a source size below the copy size fills the rest with zeros") {
  covers("cp_async_wait_all");

  const auto out = results(R"(
    .shared .align 16 .b8 box[512]; mov.u32 %r1, box; mad.lo.u32 %r1, tid, 16, %r1; and.b32 %r2, tid, 3;
    mul.lo.u32 %r2, %r2, 4; cp.async.cg.shared.global [%r1], [buffer1], 16, %r2; cp.async.wait_all;
    ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1];
    add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r6; st.global.u32 [mine], %r3;)",
                           {.buffers = {words({1, 10, 100, 1000})}});
  const std::uint32_t sums[] = {0, 1, 11, 111};
  CHECK(out == each(32, [&](auto k) { return sums[k % 4]; }));
}

TEST_CASE("a copy with the ignore-src predicate fills with zeros and reads nothing") {
  const auto out = results(R"(
    .shared .align 4 .b8 box[128]; mov.u32 %r1, box; mad.lo.u32 %r1, tid, 4, %r1; setp.ge.u32 %p1, tid, 20;
    mul.wide.u32 %rd1, tid, 4; add.u64 %rd1, buffer1, %rd1; st.shared.u32 [%r1], 7;
    cp.async.ca.shared.global [%r1], [%rd1], 4, %p1; cp.async.wait_all;
    ld.shared.u32 %r2, [%r1]; cp.async.ca.shared.global [%r1], [buffer1], 4, !%p1; cp.async.wait_all;
    ld.shared.u32 %r3, [%r1]; mad.lo.u32 %r2, %r2, 100, %r3; st.global.u32 [mine], %r2;)",
                           {.buffers = {words(std::vector<std::uint32_t>(20, 5))}});
  CHECK(out == each(32, [](auto k) { return k < 20 ? 500 : 5; }));
}

TEST_CASE("bytes that a short copy does not read need not exist") {
  CHECK(results(R"(
    .shared .align 16 .b8 box[16]; mov.u32 %r2, 4;
    cp.async.cg.shared.global [box], [buffer1], 16, %r2; mov.u32 %r2, 0;
    cp.async.ca.shared.global [box+4], [buffer1+4096], 4, %r2; cp.async.wait_all;
    ld.shared.v2.u32 {%r3, %r4}, [box]; add.u32 %r3, %r3, %r4; st.global.u32 [mine], %r3;)",
                {.buffers = {words({7})}, .block = {1, 1, 1}})[0] == 7);
}

TEST_CASE("an asynchronous copy out of bounds is reported for source and destination") {
  const Setting setting{.buffers = {words({7})}, .block = {1, 1, 1}};
  const std::string box = ".shared .align 16 .b8 box[16]; ";
  const Finding source = finding_of(box + "cp.async.cg.shared.global [box], [buffer0], 16;", setting);
  CHECK(source.kind == Kind::out_of_bounds);
  CHECK(contains(source.message, "read of 16 bytes"));
  const Finding target = finding_of(box + "cp.async.ca.shared.global [box+16], [buffer0], 4;", setting);
  CHECK(target.kind == Kind::out_of_bounds);
  CHECK(contains(target.message, "write of 4 bytes"));
  const Finding odd = finding_of(box + "cp.async.ca.shared.global [box+2], [buffer0], 4;", setting);
  CHECK(odd.kind == Kind::misaligned);
}

TEST_CASE("an mbarrier completes a phase after the expected number of arrivals") {
  covers("mbarrier_init");
  covers("mbarrier_arrive");
  covers("mbarrier_wait");

  const std::string body = R"(
    .shared .b64 bar; setp.ne.u32 %p1, tid, 0; @%p1 bra ready; mbarrier.init.shared.b64 [bar], 64;
    ready: bar.sync 0;
    mbarrier.arrive.shared.b64 %rd1, [bar];
    wait: mbarrier.try_wait.shared.b64 %p2, [bar], %rd1; @!%p2 bra wait;
    st.global.u32 [mine], 1;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .block = {64, 1, 1}, .schedule = schedule}) == all(64, 1));
}

TEST_CASE("test_wait is false before the phase is complete and true afterwards") {
  CHECK(results(R"(
    .shared .b64 bar; mov.u32 %r9, bar; mbarrier.init.shared::cta.b64 [%r9], 2;
    mbarrier.arrive.shared.b64 %rd1, [%r9]; mbarrier.test_wait.shared.b64 %p1, [%r9], %rd1;
    mbarrier.arrive.shared.b64 %rd2, [%r9]; mbarrier.test_wait.shared.b64 %p2, [%r9], %rd1;
    selp.u32 %r1, 10, 0, %p1; selp.u32 %r2, 1, 0, %p2; add.u32 %r1, %r1, %r2; st.global.u32 [mine], %r1;)",
                {.buffers = {}, .block = {1, 1, 1}})[0] == 1);
}

TEST_CASE("the parity of phases alternates, starting with 0") {
  covers("mbarrier_wait_parity");

  // Arrivals of one thread; after each, which parities count as complete.
  CHECK(results(R"(
    .shared .b64 bar; mbarrier.init.shared.b64 [bar], 1; mov.u32 %r1, 0; mov.u32 %r4, 0;
    next: mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1, 20;
    selp.u32 %r2, 2, 0, %p1; selp.u32 %r3, 1, 0, %p2; add.u32 %r2, %r2, %r3; mad.lo.u32 %r4, %r4, 10, %r2;
    mbarrier.arrive.shared.b64 _, [bar];
    add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 4; @%p3 bra next;
    st.global.u32 [mine], %r4;)",
                {.buffers = {}, .block = {1, 1, 1}})[0] == 1212);
}

TEST_CASE("an arrival may count more than once, and the state gives the number of pending arrivals") {
  covers("mbarrier_arrive_no_complete");
  covers("mbarrier_pending_count");

  CHECK(results(R"(
    .shared .b64 bar; mbarrier.init.shared.b64 [bar], 10;
    mbarrier.arrive.shared.b64 %rd1, [bar], 4; mbarrier.arrive.noComplete.shared.b64 %rd2, [bar], 2;
    mbarrier.pending_count.b64 %r1, %rd1; mbarrier.pending_count.b64 %r2, %rd2;
    mad.lo.u32 %r1, %r1, 100, %r2; st.global.u32 [mine], %r1;)",
                {.buffers = {}, .block = {1, 1, 1}})[0] == 1006);
}

TEST_CASE("arrive_drop reduces the arrivals expected in later phases") {
  CHECK(results(R"(
    .shared .b64 bar; mbarrier.init.shared.b64 [bar], 2;
    mbarrier.arrive_drop.shared.b64 %rd1, [bar]; mbarrier.arrive.shared.b64 %rd2, [bar];
    mbarrier.arrive.shared.b64 %rd3, [bar]; mbarrier.test_wait.shared.b64 %p1, [bar], %rd3;
    selp.u32 %r1, 1, 0, %p1; st.global.u32 [mine], %r1;)",
                {.buffers = {}, .block = {1, 1, 1}})[0] == 1);
}

TEST_CASE("a phase does not complete before its expected transactions") {
  covers("mbarrier_arrive_expect");
  covers("mbarrier_tx");

  CHECK(results(R"(
    .shared .b64 bar; mbarrier.init.shared.b64 [bar], 1;
    mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 64; mbarrier.test_wait.shared.b64 %p1, [bar], %rd1;
    mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 48; mbarrier.test_wait.shared.b64 %p2, [bar], %rd1;
    mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 16; mbarrier.test_wait.shared.b64 %p3, [bar], %rd1;
    selp.u32 %r1, 100, 0, %p1; selp.u32 %r2, 10, 0, %p2; selp.u32 %r3, 1, 0, %p3;
    add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [mine], %r1;)",
                {.buffers = {}, .block = {1, 1, 1}})[0] == 1);
}

TEST_CASE("expect_tx and arrive may be two instructions") {
  covers("mbarrier_inval");

  CHECK(results(R"(
    .shared .b64 bar; mbarrier.init.shared.b64 [bar], 1; mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 8;
    mbarrier.arrive.release.cta.shared.b64 %rd1, [bar]; mbarrier.test_wait.acquire.cta.shared.b64 %p1, [bar], %rd1;
    mbarrier.complete_tx.shared.b64 [bar], 8; mbarrier.test_wait.shared.b64 %p2, [bar], %rd1;
    mbarrier.inval.shared.b64 [bar];
    selp.u32 %r1, 10, 0, %p1; selp.u32 %r2, 1, 0, %p2; add.u32 %r1, %r1, %r2; st.global.u32 [mine], %r1;)",
                {.buffers = {}, .block = {1, 1, 1}})[0] == 1);
}

TEST_CASE("cp.async.mbarrier.arrive without .noinc increments the pending count before it arrives") {
  covers("cp_async_mbarrier_arrive");

  auto complete_after = [](const std::string& arrive) {
    return results(R"(
      .shared .b64 bar; .shared .u32 box; mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;
      cp.async.ca.shared.global [box], [buffer1], 4; )" +
                       arrive + R"( mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;
      selp.u32 %r1, 1, 0, %p1; st.global.u32 [mine], %r1;)",
                   {.buffers = {words({7})}, .block = {1, 1, 1}})[0];
  };
  CHECK(complete_after("cp.async.mbarrier.arrive.noinc.shared.b64 [bar];") == 1);
  CHECK(complete_after("cp.async.mbarrier.arrive.shared::cta.b64 [bar];") == 0);
  CHECK(complete_after("cp.async.mbarrier.arrive.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];") == 1);
}

TEST_CASE("a block arrives at an mbarrier of another block of its cluster") {
  const std::string body = R"(
    .shared .b64 bar; setp.eq.u32 %p1, tid, 0; @%p1 mbarrier.init.shared.b64 [bar], 64;
    barrier.cluster.arrive; barrier.cluster.wait;
    mov.u32 %r1, bar; mapa.shared::cluster.u32 %r2, %r1, 0;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];
    setp.ne.u32 %p2, cta, 0; @%p2 bra done;
    wait: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p3, [bar], 0; @!%p3 bra wait;
    st.global.u32 [mine], 3;
    done: barrier.cluster.arrive; barrier.cluster.wait;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .grid = {2, 1, 1}, .cluster = {2, 1, 1}, .schedule = schedule}) ==
          each(64, [](auto k) { return k < 32 ? 3 : 0; }));
}

TEST_CASE("one arrival more than expected is reported") {
  const Finding finding = finding_of(
      ".shared .b64 bar; mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 _, [bar], 3;",
      {.buffers = {}, .block = {1, 1, 1}});
  CHECK(contains(finding.message, "more threads arrive at an mbarrier than it expects"));
}

TEST_CASE("an mbarrier outside shared memory, or with an invalid number of arrivals, is reported") {
  const Finding global =
      finding_of("mbarrier.init.b64 [buffer0], 1;", {.buffers = {words({0, 0})}, .block = {1, 1, 1}});
  CHECK(contains(global.message, "the mbarrier object is not in shared memory"));
  const Finding none =
      finding_of(".shared .b64 bar; mbarrier.init.shared.b64 [bar], 0;", {.buffers = {}, .block = {1, 1, 1}});
  CHECK(contains(none.message, "an mbarrier cannot expect 0 arrivals, only 1 to 1048575"));
}

TEST_CASE("waiting for an mbarrier that never completes ends with the budget") {
  const Finding finding = finding_of(R"(
    .shared .b64 bar; mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 %rd1, [bar];
    wait: mbarrier.try_wait.shared.b64 %p1, [bar], %rd1; @!%p1 bra wait;)",
                                     {.buffers = {}, .block = {1, 1, 1}, .limits = {100'000}});
  CHECK(finding.kind == Kind::timeout);
}

}  // namespace
}  // namespace foldproof::machine_tests
