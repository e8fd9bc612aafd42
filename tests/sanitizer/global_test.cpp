// Races in global memory: between blocks, between launches, and reads followed by writes.
#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

std::string in_blocks(std::uint32_t blocks, const std::string& body, int launches = 1) {
  return verdict(body, {.buffers = {zeros(1024), zeros(1024)}, .grid = {blocks, 1, 1}}, launches);
}

TEST_CASE("blocks that write and read the same global memory race") {
  CHECK(in_blocks(2, "st.global.u32 [mine], tid;") == "none");
  CHECK(
      in_blocks(2, "mul.wide.u32 %rd1, tid, 4; add.u64 %rd1, buffer0, %rd1; st.global.u32 [%rd1], index;") ==
      "global-race");
  CHECK(in_blocks(2, "mul.wide.u32 %rd1, tid, 4; add.u64 %rd1, buffer0, %rd1; st.global.u32 [%rd1], 7;") ==
        "global-race (warning)");
  CHECK(in_blocks(2,
                  "mul.wide.u32 %rd1, tid, 4; add.u64 %rd1, buffer0, %rd1; ld.global.u32 %r1, [%rd1]; "
                  "add.u64 %rd2, mine, 256; st.global.u32 [%rd2], %r1;") == "none");
  CHECK(in_blocks(2,
                  "xor.b32 %r1, index, 32; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, buffer0, %rd1; "
                  "st.global.u32 [mine], 5; ld.global.u32 %r1, [%rd1];") == "global-race");
}

TEST_CASE("a block barrier orders global memory only within the block") {
  const auto exchange = [](std::uint32_t distance) {
    return verdict(
        fmt::format("st.global.u32 [mine], 5; bar.sync 0; xor.b32 %r1, index, {}; mul.wide.u32 %rd1, %r1, "
                    "4; add.u64 %rd1, buffer0, %rd1; ld.global.u32 %r1, [%rd1];",
                    distance),
        {.buffers = {zeros(1024)}, .grid = {2, 1, 1}, .block = {64, 1, 1}});
  };
  CHECK(exchange(32) == "none");
  CHECK(exchange(64) == "global-race");
}

TEST_CASE("an asynchronous copy reads only as many bytes as it specifies") {
  // Block 0 copies 4 of every 16 bytes; block 1 writes the word at `offset` of every 16.
  const auto while_another_writes = [](int offset) {
    return in_blocks(
        2, fmt::format(".shared .align 16 .b8 tile[512]; mul.lo.u32 %r1, lane, 16; cvt.u64.u32 %rd1, %r1; "
                       "add.u64 %rd1, buffer1, %rd1; mov.u32 %r2, tile; add.u32 %r2, %r2, %r1; "
                       "setp.ne.u32 %p1, cta, 0; @%p1 bra writer; "
                       "cp.async.ca.shared.global [%r2], [%rd1], 16, 4; cp.async.wait_all; exit; "
                       "writer: st.global.u32 [%rd1 + {}], 5;",
                       offset));
  };
  CHECK(while_another_writes(0) == "global-race");
  CHECK(while_another_writes(4) == "none");
}

TEST_CASE("atomics are atomic to each other only within their scopes") {
  CHECK(in_blocks(2, "red.global.add.u32 [buffer0], 1;") == "none");
  CHECK(in_blocks(2, "red.sys.global.add.u32 [buffer0], 1; atom.gpu.global.add.u32 %r1, [buffer0], 1;") ==
        "none");
  CHECK(in_blocks(2, "atom.cta.global.add.u32 %r1, [buffer0], 1;") == "global-race");
  CHECK(in_blocks(1, "atom.cta.global.add.u32 %r1, [buffer0], 1;") == "none");
  // Three blocks: the scope of the middle one is too narrow.
  CHECK(in_blocks(3,
                  "setp.eq.u32 %p1, cta, 1; @%p1 red.cta.global.add.u32 [buffer0], 1; "
                  "@!%p1 red.gpu.global.add.u32 [buffer0], 1;") == "global-race");
  // Equal device-scope atomics before and after a narrow one at another position.
  CHECK(
      in_blocks(2,
                "setp.eq.u32 %p1, cta, 0; @%p1 red.global.add.u32 [buffer0], 1; @%p1 red.cta.global.add.u32 "
                "[buffer0], 1; red.global.add.u32 [buffer0], 1;") == "global-race");
  // Atomics of different sizes are not atomic with respect to each other.
  CHECK(in_blocks(2,
                  "mov.b64 %rd1, 1; setp.eq.u32 %p1, cta, 1; @%p1 red.global.add.u32 [buffer0], 1; "
                  "@!%p1 red.global.add.u64 [buffer0], %rd1;") == "global-race");
}

TEST_CASE("a race between atomics is reported with the reason") {
  const auto ends_with = [](const std::string& body, const std::string& reason) {
    const auto found = findings_of(body, {.buffers = {zeros(512)}, .grid = {2, 1, 1}, .block = {1, 1, 1}});
    REQUIRE(found.size() == 1);
    return found[0].message.ends_with(reason);
  };
  CHECK(ends_with("atom.cta.global.add.u32 %r1, [buffer0], 1;",
                  "; the scope of one access does not include the other thread"));
  CHECK(
      ends_with("mov.b64 %rd1, 1; setp.eq.u32 %p1, cta, 1; @%p1 red.global.add.u32 [buffer0], 1; "
                "@!%p1 red.global.add.u64 [buffer0], %rd1;",
                "; accesses of different sizes are not atomic with respect to each other"));
  CHECK(ends_with("st.global.u32 [buffer0], cta;", "the accesses are unordered"));
}

TEST_CASE("a launch is ordered after the whole previous launch") {
  // Each block reads what its neighbour wrote in the previous launch, then writes its own element elsewhere.
  const std::string body =
      "ld.global.u32 %r5, [buffer1]; setp.eq.u32 %p1, %r5, 0; @%p1 bra first;"
      " xor.b32 %r1, index, 32; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, buffer0, %rd1;"
      " ld.global.u32 %r2, [%rd1]; exit;\n"
      " first: st.global.u32 [mine], 5; ";
  const std::string mark = "setp.eq.u32 %p2, index, 33; @%p2 st.global.u32 [buffer1+512], 1;";
  CHECK(in_blocks(2, body + mark, 2) == "none");
  CHECK(in_blocks(2, "st.global.u32 [mine], 5;", 2) == "none");
}

TEST_CASE("an in-place kernel that reads before other blocks write is found by running the job again") {
  // Thread t reads element t + 1 and writes element t.
  const std::string shift = "ld.global.u32 %r1, [mine+4]; add.u32 %r1, %r1, 1; st.global.u32 [mine], %r1;";
  CHECK(contains(in_blocks(4, shift), "global-race"));
  CHECK(in_blocks(4, "ld.global.u32 %r1, [mine]; add.u32 %r1, %r1, 1; st.global.u32 [mine], %r1;") == "none");
  // All reads come first in every schedule, after waiting for the other block with a relaxed counter.
  CHECK(in_blocks(2,
                  "xor.b32 %r1, index, 32; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, buffer0, %rd1; "
                  "ld.global.u32 %r1, [%rd1]; red.global.add.u32 [buffer1], 1;\n"
                  "spin: ld.volatile.global.u32 %r2, [buffer1]; setp.lt.u32 %p1, %r2, 64; @%p1 bra spin;\n"
                  "st.global.u32 [mine], 5;") == "global-race");
}

TEST_CASE("reads of an unwritten buffer do not cause a second run") {
  CHECK(in_blocks(4,
                  "add.u64 %rd1, mine, 0; ld.global.u32 %r1, [%rd1]; sub.u64 %rd2, %rd1, buffer0; "
                  "add.u64 %rd2, %rd2, buffer1; st.global.u32 [%rd2], %r1;") == "none");
}

TEST_CASE("a second write of the same value does not hide the first one, even in complete rows") {
  // Block 1 waits for block 0 with a flag that orders nothing.
  CHECK(verdict(R"(
    setp.ne.u32 %p1, cta, 0; @%p1 bra reader;
    st.global.u32 [mine], 5; st.global.u32 [mine], 5; red.global.add.u32 [buffer1], 1; exit;
    reader:
    ld.volatile.global.u32 %r2, [buffer1]; setp.lt.u32 %p2, %r2, 32; @%p2 bra reader;
    ld.global.u32 %r1, [mine+-128];)",
                {.buffers = {zeros(1024), zeros(4)}, .grid = {2, 1, 1}}) ==
        "global-race, global-race (warning)");
}

TEST_CASE("a finding names both threads, their accesses and positions, and the address") {
  const std::string body = R"(
    mov.u32 %r9, %tid.y; mad.lo.u32 %r9, %r9, 32, lane; setp.ne.u32 %p1, %r9, 37; @%p1 exit; setp.ne.u32 %p1, cta, 0; @%p1 bra reader;
    st.global.u32 [buffer0+20], 5;
    st.volatile.global.u32 [buffer1], 1; exit;
    reader:
    ld.volatile.global.u32 %r2, [buffer1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra reader;
    ld.global.u32 %r1, [buffer0+20];)";
  for (const Schedule& schedule : schedules()) {
    const auto findings = findings_of(
        body,
        {.buffers = {zeros(64), zeros(4)}, .grid = {2, 1, 1}, .block = {32, 2, 1}, .schedule = schedule});
    REQUIRE(findings.size() == 1);
    const Finding& finding = findings[0];
    CHECK(finding.kind == Kind::global_race);
    CHECK(finding.severity == Severity::error);
    CHECK(finding.at.line == 7);
    REQUIRE(finding.other.has_value());
    CHECK(finding.other->line == 3);
    REQUIRE(finding.threads.size() == 2);
    CHECK(finding.threads[0].block == Dim3{1, 0, 0});
    CHECK(finding.threads[1].block == Dim3{0, 0, 0});
    CHECK(finding.threads[0].thread == Dim3{5, 1, 0});
    CHECK(finding.threads[1].thread == Dim3{5, 1, 0});
    CHECK(contains(finding.message, "reads the buffer buffer0 and thread"));
    CHECK(contains(finding.message, "writes it; the accesses are unordered"));
  }
}

TEST_CASE("each pair of positions has one finding, however often it races") {
  CHECK(findings_of(R"(
    .shared .u32 box[64]; mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; mov.u32 %r9, 0;
    next: st.shared.u32 [%r2], %r9; xor.b32 %r3, %r2, 4; ld.shared.u32 %r4, [%r3]; bar.sync 0;
    add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 10; @%p1 bra next;)",
                    {.buffers = {}, .block = {64, 1, 1}})
            .size() == 1);
}

TEST_CASE("thousands of blocks race at one address, and the last one is still reported") {
  const auto found = findings_of(
      "atom.cta.global.add.u32 %r1, [buffer0], 1;\n"
      "setp.eq.u32 %p1, cta, 2079;\n"
      "@%p1 st.global.u32 [buffer0], 5;",
      {.buffers = {zeros(512)}, .grid = {2080, 1, 1}});
  const auto reported = [&](std::uint32_t line, std::uint32_t other) {
    return std::ranges::count_if(
        found, [&](const Finding& one) { return one.at.line == line && one.other->line == other; });
  };
  CHECK(reported(1, 1) == 1);
  CHECK(reported(3, 1) == 1);
}

TEST_CASE("a guess corrected by a compare-and-swap may be read by a weak load") {
  const auto added = [](const std::string& guess) {
    return verdict(guess + R"(
      again: mov.b32 %r2, %r1; add.u32 %r3, %r2, 1;
      atom.global.cas.b32 %r1, [buffer0], %r2, %r3; setp.ne.u32 %p1, %r1, %r2; @%p1 bra again;)",
                   {.buffers = {zeros(4)}, .grid = {3, 1, 1}, .block = {2, 1, 1}});
  };
  CHECK(added("ld.global.u32 %r1, [buffer0];") == "none");
  CHECK(added("ld.global.u32 %r4, [buffer0]; mov.u32 %r1, %r4;") == "none");
  CHECK(added("ld.global.u32 %r4, [buffer0]; cvt.u64.u32 %rd4, %r4; cvt.u32.u64 %r1, %rd4;") == "none");
  CHECK(added("ld.global.u32 %r4, [buffer0]; mov.u32 %r1, 0;") ==
        "global-race");  // also read for another purpose
  CHECK(added("ld.global.u32 %r1, [buffer0]; st.global.u32 [buffer0], 7;") != "none");
}

TEST_CASE("a compare-and-swap of another address, or one whose result is ignored, corrects no guess") {
  const auto read_with = [](const std::string& swap) {
    return verdict(
        "red.global.add.u32 [buffer0], 1; ld.global.u32 %r1, [buffer0]; add.u32 %r3, %r1, 1;" + swap,
        {.buffers = {zeros(8), zeros(8)}, .grid = {3, 1, 1}, .block = {2, 1, 1}});
  };
  const std::string use = "setp.ne.u32 %p1, %r2, %r1; @%p1 mov.u32 %r1, %r2;";
  CHECK(read_with("atom.global.cas.b32 %r2, [buffer0], %r1, %r3;" + use) == "none");
  CHECK(read_with("atom.global.cas.b32 %r2, [buffer0], %r1, %r3;") == "global-race");
  CHECK(read_with("atom.global.cas.b32 %r2, [buffer1], %r1, %r3;" + use) == "global-race");
  CHECK(read_with("atom.global.cas.b32 %r2, [buffer0+4], %r1, %r3;" + use) == "global-race");
}

TEST_CASE("a guess may be passed through function parameters, as in code without optimization") {
  const std::string swap = R"(.func (.param .b32 old) swap(.param .b32 expected, .param .b64 at) {
    .reg .b32 %r<3>; .reg .b64 %rd<2>;
    ld.param.u32 %r1, [expected]; ld.param.u64 %rd1, [at]; add.u32 %r2, %r1, 1;
    atom.global.cas.b32 %r1, [%rd1], %r1, %r2; st.param.b32 [old], %r1; ret; })";
  const auto added = [&](const std::string& expected) {
    Setting setting{.buffers = {zeros(4)}, .grid = {3, 1, 1}, .block = {2, 1, 1}};
    setting.module = swap;
    return verdict("ld.global.u32 %r1, [buffer0]; again: mov.b32 %r2, " + expected + R"(;
      { .param .b32 p0; st.param.b32 [p0], %r2; .param .b64 p1; st.param.b64 [p1], buffer0; .param .b32 q;
        call (q), swap, (p0, p1); ld.param.b32 %r3, [q]; })",
                   setting);
  };
  CHECK(added("%r1") == "none");
  CHECK(added("7") == "global-race");
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
