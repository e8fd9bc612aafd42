// Waiting between threads: locks, look-back chains and flags make progress; what cannot end is reported and
// does not hang.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

using Words = std::vector<std::uint32_t>;

// Every thread acquires the lock once: buffer1 = {lock, counter}.
const std::string locked_count = R"(
    try: atom.global.acquire.gpu.cas.b32 %r1, [buffer1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra try;
    ld.volatile.global.u32 %r2, [buffer1+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [buffer1+4], %r2;
    fence.acq_rel.gpu; atom.global.exch.b32 %r3, [buffer1], 0; st.global.u32 [mine], %r2;)";

TEST_CASE("a spin lock passes between lanes, warps and blocks") {
  for (const Schedule& schedule : every_schedule()) {
    INFO(to_string(schedule));
    Setting setting{.buffers = {zeros(3 * 64 * 4), words({0, 0})},
                    .grid = {3, 1, 1},
                    .block = {64, 1, 1},
                    .schedule = schedule};
    const auto out = run_kernel(locked_count, setting);
    CHECK(out.words(1) == Words{0, 192});
    auto numbers = out.words(0);
    std::sort(numbers.begin(), numbers.end());
    CHECK(numbers == each(192, [](auto k) { return k + 1; }));
  }
}

TEST_CASE("a lane waits for a flag that another lane of its warp sets after the loop") {
  const std::string body = R"(
    setp.eq.u32 %p1, tid, 0; @%p1 bra set;
    wait: ld.volatile.global.u32 %r1, [buffer1]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait; bra done;
    set: st.volatile.global.u32 [buffer1], 1;
    done: st.global.u32 [mine], 1;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {zeros(4)}, .schedule = schedule}) == all(32, 1));
}

TEST_CASE("a lane that left a loop early can set the flag for which the others spin inside it") {
  // Lane 0 leaves immediately; its code after the loop must not wait for the others.
  const std::string body = R"(
    wait: setp.eq.u32 %p1, tid, 0; @%p1 bra out;
    ld.volatile.global.u32 %r1, [buffer1]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait;
    out: st.volatile.global.u32 [buffer1], 1; st.global.u32 [mine], 1;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {zeros(4)}, .schedule = schedule}) == all(32, 1));
}

TEST_CASE("a long sleep between polls does not stop the other threads") {
  const std::string body = R"(
    setp.eq.u32 %p1, tid, 63; @%p1 bra set;
    wait: nanosleep.u32 1000; ld.relaxed.gpu.global.u32 %r1, [buffer1]; setp.eq.u32 %p2, %r1, 0; @%p2 bra wait;
    bra done;
    set: st.relaxed.gpu.global.u32 [buffer1], 1;
    done: st.global.u32 [mine], 1;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {zeros(4)}, .block = {64, 1, 1}, .schedule = schedule}) == all(64, 1));
}

TEST_CASE("polling with atomics that change nothing lets the other threads run") {
  const std::string body = R"(
    setp.ne.u32 %p1, tid, 0; @%p1 ret;
    mul.wide.u32 %rd1, cta, 4; add.u64 %rd1, buffer1, %rd1;
    setp.eq.u32 %p2, cta, 0; @%p2 bra raise;
    wait: atom.global.add.u32 %r1, [%rd1+-4], 0; setp.eq.u32 %p3, %r1, 0; @%p3 bra wait;
    raise: atom.global.exch.b32 %r2, [%rd1], 1; st.global.u32 [mine], 1;)";
  Setting setting{.buffers = {zeros(16 * 32 * 4), zeros(16 * 4)}, .grid = {16, 1, 1}, .limits = {1'000'000}};
  for (const Schedule& schedule : every_schedule()) {
    INFO(to_string(schedule));
    setting.schedule = schedule;
    CHECK(run_kernel(body, setting).words(1) == all(16, 1));
  }
}

// Block b waits for the flag of block b + offset (if that block exists), then sets its own.
std::string chain(const char* next) {
  return std::string(R"(
    setp.ne.u32 %p1, tid, 0; @%p1 ret;
    mov.u32 %r9, %nctaid.x; add.u32 %r1, cta, )") +
         next + R"(; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, buffer1, %rd1;
    setp.ge.u32 %p2, %r1, %r9; mov.u32 %r2, 0; @%p2 bra first;
    wait: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p3, %r2, 0; @%p3 bra wait;
    first: add.u32 %r2, %r2, 1; mul.wide.u32 %rd2, cta, 4; add.u64 %rd2, buffer1, %rd2;
    st.release.gpu.global.u32 [%rd2], %r2;)";
}

TEST_CASE("a look-back chain over many more blocks than are resident completes") {
  for (const Schedule& schedule : every_schedule()) {
    INFO(to_string(schedule));
    const auto out = run_kernel(
        chain("-1"), {.buffers = {zeros(4), zeros(500 * 4)}, .grid = {500, 1, 1}, .schedule = schedule});
    CHECK(out.words(1) == each(500, [](auto k) { return k + 1; }));
  }
}

TEST_CASE("blocks may wait for later ones if those are resident") {
  const auto out = run_kernel(chain("1"), {.buffers = {zeros(4), zeros(20 * 4)}, .grid = {20, 1, 1}});
  CHECK(out.words(1) == each(20, [](auto k) { return 20 - k; }));
}

TEST_CASE("waiting for a block that never becomes resident is a deadlock in every schedule") {
  for (const Schedule& schedule : every_schedule()) {
    INFO(to_string(schedule));
    const Finding finding = finding_of(
        chain("1"), {.buffers = {zeros(4), zeros(500 * 4)}, .grid = {500, 1, 1}, .schedule = schedule});
    CHECK(finding.kind == Kind::deadlock);
    CHECK(contains(finding.message, "all threads wait for changes to memory that no thread can make"));
    CHECK(contains(finding.message, "in a loop that never ends"));
  }
}

TEST_CASE("polling with growing sleeps for a value that is never written is a deadlock") {
  const Finding finding = finding_of(R"(
    mov.u32 %r2, 8;
    wait: nanosleep.u32 %r2; shl.b32 %r2, %r2, 1; min.u32 %r2, %r2, 1024;
    ld.acquire.gpu.global.u32 %r1, [buffer0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra wait;)",
                                     {.buffers = {zeros(4)}, .grid = {3, 1, 1}});
  CHECK(finding.kind == Kind::deadlock);
}

TEST_CASE("a polling loop with a limit is not a deadlock") {
  const auto out = run_kernel(R"(
    mov.u32 %r2, 0;
    wait: add.u32 %r2, %r2, 1; setp.eq.u32 %p2, %r2, 50000; @%p2 bra done;
    ld.acquire.gpu.global.u32 %r1, [buffer0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra wait;
    done: mov.u32 %r1, %r2;)",
                              {.buffers = {zeros(4)}});
  CHECK(out.report.findings.empty());
}

TEST_CASE("a barrier that some threads never reach is a deadlock, reported with what each warp waits for") {
  const Finding finding = finding_of(R"(
    setp.ge.u32 %p1, tid, 32; @%p1 bra other;
    bar.sync 3;
    ret;
    other: bar.sync 4;)",
                                     {.buffers = {}, .block = {64, 1, 1}});
  CHECK(finding.kind == Kind::deadlock);
  CHECK(contains(finding.message, "lanes 0xffffffff of warp 0 of block 0 wait at barrier 3 at test.ptx:3"));
  CHECK(contains(finding.message, "lanes 0xffffffff of warp 1 of block 0 wait at barrier 4 at test.ptx:5"));
  REQUIRE(finding.threads.size() == 2);
  CHECK(finding.threads[0].thread == Dim3{0, 0, 0});
  CHECK(finding.threads[1].thread == Dim3{32, 0, 0});
}

TEST_CASE("the message of a deadlock counts groups that wait at the same place, and names the others first") {
  const Finding finding = finding_of(R"(
    setp.lt.u32 %p1, tid, 96; @%p1 bra other;
    bar.sync 4;
    other: bar.sync 3;)",
                                     {.buffers = {}, .block = {128, 1, 1}});
  CHECK(contains(finding.message,
                 "lanes 0xffffffff of warp 3 of block 0 wait at barrier 4 at test.ptx:3; lanes "
                 "0xffffffff of warp 0 of block 0 and 2 other groups of lanes wait at barrier 3 at "
                 "test.ptx:4"));
}

TEST_CASE("the message of a deadlock names files without their folders") {
  const Finding finding =
      finding_of(".loc 1 7 3\n bar.sync 3, 64;", {.buffers = {}, .module = ".file 1 \"/project/sum.cu\""});
  CHECK(finding.kind == Kind::deadlock);
  CHECK(finding.at.file == "/project/sum.cu");
  CHECK(finding.message.ends_with("wait at barrier 3 at sum.cu:7:3"));
}

TEST_CASE("a shuffle whose mask names a lane that waits elsewhere is a deadlock") {
  for (const Schedule& schedule : every_schedule()) {
    const Finding finding = finding_of(R"(
      setp.lt.u32 %p1, tid, 16; @%p1 bra low;
      bar.warp.sync -1; ret;
      low: shfl.sync.bfly.b32 %r1, tid, 1, 31, -1;)",
                                       {.buffers = {}, .schedule = schedule});
    CHECK(finding.kind == Kind::deadlock);
    CHECK(contains(finding.message, "for the lanes of mask 0xffffffff"));
  }
}

TEST_CASE("lanes that all wait are a deadlock, whatever order they arrived in") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    INFO("seed " << seed);
    const Finding finding = finding_of(R"(
      setp.lt.u32 %p1, tid, 3; @!%p1 bra join;
      shfl.sync.bfly.b32 %r1, tid, 1, 31, -1;
      join: bar.sync 0;)",
                                       {.buffers = {}, .schedule = {Schedule::Order::random, seed}});
    REQUIRE(finding.kind == Kind::deadlock);
    CHECK(contains(finding.message, "no thread can run"));
  }
}

TEST_CASE("a barrier for more threads than the block has is a deadlock") {
  CHECK(finding_of("bar.sync 0, 96;", {.buffers = {}, .block = {64, 1, 1}}).kind == Kind::deadlock);
}

TEST_CASE("a deadlock of one block is reported even if other blocks have finished") {
  const Finding finding = finding_of("setp.ne.u32 %p1, cta, 150; @%p1 ret; bar.sync 0, 64;",
                                     {.buffers = {}, .grid = {200, 1, 1}});
  CHECK(finding.kind == Kind::deadlock);
  CHECK(contains(finding.message, "of block 150 "));
}

TEST_CASE("an endless loop ends by the budget and is reported at its position") {
  for (const Schedule& schedule : every_schedule()) {
    const Finding finding = finding_of("add.u32 %r1, %r1, 1;\nagain: add.u32 %r1, %r1, 1;\nbra again;",
                                       {.buffers = {}, .schedule = schedule, .limits = {10'000}});
    CHECK(finding.kind == Kind::timeout);
    CHECK(contains(finding.message, "within 10000 warp instructions"));
    CHECK((finding.at.line == 2 || finding.at.line == 3));
  }
}

TEST_CASE("the shortest possible loop ends by the budget") {
  CHECK(finding_of("again: bra again;", {.buffers = {}, .limits = {10'000}}).kind == Kind::timeout);
  CHECK(finding_of("setp.lt.u32 %p1, tid, 4; again: @%p1 bra again;", {.buffers = {}, .limits = {10'000}})
            .kind == Kind::timeout);
}

TEST_CASE("a launch within its budget has no finding") {
  const Outcome run =
      run_kernel("mov.u32 %r1, 0; again: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3000; @%p1 bra again;",
                 {.buffers = {}, .limits = {9'100}});
  CHECK(run.report.warp_instructions > 9'000);
  CHECK(run.report.warp_instructions < 9'100);
}

TEST_CASE("A block that the random schedule has not run yet does not make its waiters a deadlock") {
  // Each block waits for the flag of the previous block and sets its own.
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    INFO("seed " << seed);
    run_kernel(R"(
    setp.ne.u32 %p1, tid, 0; @%p1 bra end; setp.eq.u32 %p2, cta, 0; @%p2 bra mine_now;
    mul.wide.u32 %rd1, cta, 4; add.u64 %rd1, buffer0, %rd1;
    wait: ld.volatile.global.u32 %r1, [%rd1+-4]; setp.eq.u32 %p3, %r1, 0; @%p3 bra wait;
    mine_now: mul.wide.u32 %rd2, cta, 4; add.u64 %rd2, buffer0, %rd2; st.volatile.global.u32 [%rd2], 1;
    end:)",
               {.buffers = {zeros(5 * 4)},
                .grid = {5, 1, 1},
                .block = {1, 1, 1},
                .schedule = {Schedule::Order::random, seed}});
  }
}

TEST_CASE("Calling a function from several places with the same values is not reported as an endless loop") {
  // Every call adds 0 to 0; only the return address and a count in the caller's registers differ.
  const std::string call =
      "{ .param .b32 a; .param .b32 c; st.param.f32 [a], %f1; call (c), same, (a); ld.param.f32 %f1, [c]; } ";
  std::string calls;
  for (int k = 0; k < 4; ++k) calls += call;
  for (const Schedule& schedule : every_schedule())
    run_kernel(
        "mov.f32 %f1, 0f00000000; mov.u32 %r1, 0; next: " + calls +
            "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 20000; @%p1 bra next; st.global.f32 [mine], %f1;",
        {.buffers = {zeros(4)},
         .module = ".func (.param .b32 c) same(.param .b32 a) { .reg .f32 %x<3>; ld.param.f32 %x1, [a]; "
                   "add.f32 %x2, %x1, %x1; st.param.f32 [c], %x2; ret; }",
         .block = {1, 1, 1},
         .schedule = schedule});
}

}  // namespace
}  // namespace foldproof::machine_tests
