// Definedness: undefined bits are reported where they decide something: an address, a branch, an output.
// Reading and discarding them is not reported.
#include "sanitizer/definedness.h"

namespace foldproof::sanitizer_tests {
namespace {

TEST_CASE("unwritten shared memory that reaches the output is reported with the position of the read") {
  const auto found = undefined(tile + R"(
    ld.shared.u32 %r1, [tile];
    add.u32 %r2, %r1, 1;
    st.global.u32 [mine], %r2;)");
  REQUIRE(kinds(found) == "uninitialized-read");
  CHECK(contains(found[0].message, "4 bytes of the shared variable tile that were never written"));
  CHECK(found[0].at.line == 4);
  CHECK(found[0].other->line == 2);
}

TEST_CASE(
    "unwritten memory that decides a branch or an address is reported, but not if it is read and discarded") {
  const std::string read = tile + "ld.shared.u32 %r1, [tile];";
  CHECK(undefined_kinds(read + "st.global.u32 [mine], tid;") == "none");
  CHECK(undefined_kinds(read + "and.b32 %r1, %r1, 0; st.global.u32 [mine], %r1;") == "none");
  CHECK(undefined_kinds(read + "setp.eq.u32 %p1, %r1, 0; @%p1 bra on; st.global.u32 [mine], tid; on:") ==
        "uninitialized-read");
  CHECK(undefined_kinds(read + R"(and.b32 %r1, %r1, 4; mov.u32 %r2, tile; add.u32 %r2, %r2, %r1;
    st.shared.u32 [%r2], tid;)") == "uninitialized-read");
}

TEST_CASE("an uninitialized variable is reported where it decides something") {
  const auto found = undefined("\nadd.u32 %r1, %r1, 1;\nst.global.u32 [mine], %r1;");
  REQUIRE(kinds(found) == "uninitialized-read");
  CHECK(contains(found[0].message, "depends on an uninitialized variable"));
  CHECK(found[0].other->line == 2);
  CHECK(undefined_kinds("add.u32 %r1, %r1, 1; st.global.u32 [mine], tid;") == "none");
  CHECK(undefined_kinds("@%p1 bra on; st.global.u32 [mine], tid; on:") == "uninitialized-read");
}

TEST_CASE("an uninitialized variable does not hide memory that was never written") {
  const std::string guarded = tile + "setp.lt.u32 %p1, tid, 16; mov.u32 %r5, tile; ";
  // The load is the first use of %r6 and also reads unwritten memory.
  const auto found = undefined(guarded +
                               "@%p1 mov.u32 %r6, tile; @%p1 ld.shared.u32 %r1, [%r6]; "
                               "@%p1 st.global.u32 [mine], %r1;");
  REQUIRE(kinds(found) == "uninitialized-read");
  CHECK(contains(found[0].message, "never written"));
  CHECK(undefined_kinds(tile + "ld.shared.u32 %r1, [tile]; add.u32 %r2, %r1, %r6; sub.u32 %r2, %r2, %r6; "
                               "st.global.u32 [mine], %r2;") == "uninitialized-read");
  CHECK(undefined_kinds("and.b32 %r2, %r1, 2; setp.eq.u32 %p1, %r2, 0; selp.u32 %r2, 1, 7, %p1; "
                        "st.global.u32 [mine], %r2;") == "uninitialized-read");
}

TEST_CASE("an uninitialized variable whose value is discarded or cancels is not reported") {
  CHECK(undefined_kinds("add.u32 %r2, %r1, tid; sub.u32 %r2, %r2, %r1; st.global.u32 [mine], %r2;") ==
        "none");
  CHECK(undefined_kinds("@%p1 bra on; mov.u32 %r1, 5; on: st.global.u32 [mine], tid;") == "none");
  CHECK(undefined_kinds("shfl.sync.idx.b32 %r2, tid, %r1, 31, 0xffffffff; st.global.u32 [mine], tid;") ==
        "none");
  CHECK(undefined_kinds("shfl.sync.idx.b32 %r2, tid, %r1, 31, 0xffffffff; st.global.u32 [mine], %r2;") ==
        "uninitialized-read");
  CHECK(undefined_kinds("sub.u32 %r3, %r1, %r2; st.global.u32 [mine], %r3;") == "uninitialized-read");
  CHECK(undefined_kinds("shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffffffff; sub.u32 %r2, %r2, %r1; "
                        "st.global.u32 [mine], %r2;") == "uninitialized-read");
  CHECK(undefined_kinds("max.s32 %r2, %r1, tid; st.global.u32 [mine], %r2;") == "uninitialized-read");
  CHECK(undefined_kinds("min.s32 %r2, %r1, tid; st.global.u32 [mine], %r2;") == "uninitialized-read");
  CHECK(
      undefined_kinds("mov.u32 %r2, 0; turn: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra turn; "
                      "st.global.u32 [mine], tid;") == "uninitialized-read");
}

TEST_CASE("undefined memory is reported only if other contents change the result") {
  const std::string read = tile + "ld.shared.u32 %r1, [tile]; ";
  const std::string store = "st.global.u32 [mine], %r2;";
  CHECK(undefined_kinds(read + "add.u32 %r2, %r1, tid; sub.u32 %r2, %r2, %r1; " + store) == "none");
  CHECK(undefined_kinds(read + "max.u32 %r2, %r1, 0x10000; shr.u32 %r2, %r2, 31; " + store) ==
        "uninitialized-read");
  // A guess corrected by the compare-and-swap, next to a half that was never written.
  CHECK(undefined_kinds(tile + R"(mov.u16 %h1, 0; st.shared.u16 [tile], %h1; ld.shared.u32 %r1, [tile];
    again: mov.u32 %r2, %r1; add.u32 %r3, %r2, 1; and.b32 %r3, %r3, 0xffff; and.b32 %r4, %r2, 0xffff0000;
    or.b32 %r3, %r3, %r4; atom.shared.cas.b32 %r1, [tile], %r2, %r3; setp.ne.u32 %p1, %r1, %r2; @%p1 bra again;
    and.b32 %r2, %r1, 0; st.global.u32 [mine], %r2;)",
                        {.buffers = {}, .block = {1, 1, 1}}) == "none");
  CHECK(undefined_kinds(tile + R"(mov.u16 %h1, 0; st.shared.u16 [tile], %h1; ld.shared.u32 %r1, [tile];
    atom.shared.or.b32 %r2, [tile], 4; ld.shared.u32 %r3, [tile]; and.b32 %r2, %r3, 0xffff; )" +
                            store,
                        {.buffers = {}, .block = {1, 1, 1}}) == "none");
  CHECK(undefined_kinds(".local .align 4 .b8 own[8]; mov.u32 %r3, own; ld.local.u32 %r1, [own]; "
                        "add.u32 %r2, %r1, 5; sub.u32 %r2, %r2, %r1; " +
                        store) == "none");
}

TEST_CASE("a value that matters only if it equals a constant is tried with that constant") {
  const std::string store = "selp.u32 %r2, 1, 2, %p1; st.global.u32 [mine], %r2;";
  CHECK(undefined_kinds("setp.eq.u32 %p1, %r1, 42; " + store) == "uninitialized-read");
  CHECK(undefined_kinds("setp.eq.u64 %p1, %rd1, 0x500000001; " + store) == "uninitialized-read");
  CHECK(undefined_kinds("setp.gt.f32 %p2, %f1, 0f3f000000; setp.lt.and.f32 %p1, %f1, 0f3f000004, %p2; " +
                        store) == "uninitialized-read");
  CHECK(undefined_kinds(tile + "ld.shared.u8 %r1, [tile + 3]; setp.eq.u32 %p1, %r1, 7; " + store) ==
        "uninitialized-read");
}

TEST_CASE("undefined values from different addresses do not cancel") {
  const std::string at = ".shared .align 16 .b8 wide[8192]; mov.u32 %r9, wide; mad.lo.u32 %r9, tid, 4, %r9; ",
                    store = "st.global.u32 [mine], %r2;";
  CHECK(undefined_kinds(at +
                        "ld.shared.u32 %r1, [%r9]; ld.shared.u32 %r2, [%r9 + 1024]; "
                        "xor.b32 %r2, %r1, %r2; " +
                        store) == "uninitialized-read");
  CHECK(undefined_kinds(at +
                        "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [wide]; xor.b32 %r1, %r1, %r2; "
                        "xor.b32 %r3, %r3, %r4; xor.b32 %r2, %r1, %r3; " +
                        store) == "uninitialized-read");
  CHECK(undefined_kinds(at +
                        "ld.shared.u16 %r1, [%r9]; ld.shared.u16 %r2, [%r9 + 2]; "
                        "setp.gt.u32 %p1, %r1, %r2; selp.u32 %r2, 1, 2, %p1; " +
                        store) == "uninitialized-read");
  CHECK(undefined_kinds(at +
                        "ld.shared.f64 %d1, [wide]; ld.shared.f64 %d2, [wide + 1024]; "
                        "setp.gt.f64 %p1, %d1, %d2; selp.u32 %r2, 1, 2, %p1; " +
                        store) == "uninitialized-read");
}

TEST_CASE("undefined values of all usual magnitudes are tried") {
  const auto found = [](const std::string& test) {
    return undefined_kinds(tile +
                           "mov.u32 %r9, tile; mad.lo.u32 %r9, tid, 4, %r9; ld.shared.u32 %r1, [%r9]; "
                           "mov.b32 %f1, %r1; " +
                           test + "selp.u32 %r2, 1, 2, %p1; st.global.u32 [mine], %r2;");
  };
  CHECK(found("mov.u32 %r5, 4242; setp.eq.u32 %p1, %r1, %r5; ") == "uninitialized-read");
  CHECK(found("cvt.rzi.s32.f32 %r3, %f1; setp.eq.s32 %p1, %r3, 7; ") == "uninitialized-read");
  CHECK(found("shl.b32 %r3, %r1, 1; setp.eq.s32 %p1, %r3, 42; ") == "uninitialized-read");
  CHECK(found("sub.f32 %f2, %f1, 0f3f800000; mul.f32 %f2, %f2, %f2; setp.lt.f32 %p1, %f2, 0f358637bd; ") ==
        "uninitialized-read");
  CHECK(found("mul.f32 %f2, %f1, 0f41200000; cvt.rzi.s32.f32 %r3, %f2; setp.gt.s32 %p2, %r3, 5; "
              "setp.lt.and.s32 %p1, %r3, 9, %p2; ") == "uninitialized-read");
}

TEST_CASE("undefined values that change memory other than the outputs are reported, too") {
  Setting setting{.buffers = {}, .block = {1, 1, 1}};
  setting.module = ".global .align 4 .u32 flag; ";
  const std::string read = tile + "ld.shared.u32 %r1, [tile]; setp.gt.s32 %p1, %r1, 0; ";
  CHECK(undefined_kinds(read + "@%p1 st.global.u32 [flag], 1;", setting) == "uninitialized-read");
  CHECK(undefined_kinds(read + "selp.u32 %r2, 1, 2, %p1; and.b32 %r2, %r2, 0; st.global.u32 [flag], %r2;",
                        setting) == "none");
}

TEST_CASE("buffers keep their addresses when other values are tried") {
  CHECK(undefined_kinds(tile +
                            "ld.shared.u32 %r1, [tile]; cvt.u64.u32 %rd1, %r1; add.u64 %rd2, buffer1, %rd1; "
                            "sub.u64 %rd2, %rd2, %rd1; ld.global.u32 %r2, [%rd2]; st.global.u32 [mine], %r2;",
                        {.buffers = {words({7})}}) == "none");
}

TEST_CASE("an aborted job keeps its findings about undefined values") {
  CHECK(undefined_kinds(tile + "ld.shared.u32 %r1, [tile]; setp.eq.u32 %p1, %r1, 0; @%p1 bra on; on: "
                               "ld.global.u32 %r2, [16]; st.global.u32 [mine], tid;") ==
        "out-of-bounds, uninitialized-read");
}

TEST_CASE("an address that does not depend on undefined values is not reported in any schedule") {
  Setting setting{.buffers = {}, .block = {128, 1, 1}};
  const std::string body = tile + R"(ld.shared.u32 %r1, [tile]; mov.u32 %r3, tile; setp.gt.s32 %p1, %r1, 0;
    @%p1 bra on; add.u32 %r4, tid, 1; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1; add.u32 %r4, %r4, 1;
    on: add.u32 %r5, %r3, %r1; sub.u32 %r5, %r5, %r1; ld.shared.u32 %r6, [%r5]; st.global.u32 [mine], tid;)";
  for (const Schedule& schedule : schedules()) {
    setting.schedule = schedule;
    CHECK(undefined_kinds(body, setting) == "none");
  }
}

TEST_CASE("an address that depends on undefined values is reported even if it has no effect") {
  const std::string read = tile + "ld.shared.u32 %r1, [tile]; mov.u32 %r2, tile; ";
  CHECK(undefined_kinds(read + "and.b32 %r1, %r1, 4; add.u32 %r2, %r2, %r1; st.shared.u32 [%r2], tid;") ==
        "uninitialized-read");
  CHECK(undefined_kinds(read + "add.u32 %r3, %r1, 4; sub.u32 %r3, %r3, %r1; add.u32 %r2, %r2, %r3; "
                               "st.shared.u32 [%r2], tid;") == "none");
}

TEST_CASE("printed values are outputs") {
  Setting setting{.buffers = {}, .block = {1, 1, 1}};
  setting.module =
      ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values); "
      ".global .align 1 .b8 format[3] = {37, 117, 0};";
  const auto printed = [&](const std::string& value) {
    return undefined_kinds(
        ".local .align 8 .b8 own[8]; .reg .b64 at, text; cvta.local.u64 at, own; "
        "cvta.global.u64 text, format; mov.u32 %r1, tid; st.local.u32 [own], " +
            value + R"(;
      { .param .b64 a, b; .param .b32 r; st.param.b64 [a], text; st.param.b64 [b], at;
        call (r), vprintf, (a, b); })",
        setting);
  };
  CHECK(printed("%r1") == "none");
  CHECK(printed("%r2") == "uninitialized-read");
}

TEST_CASE("copied padding of structures is reported only if the buffer's layout excludes it") {
  // A float, a byte and three unwritten bytes, copied unchanged to the output.
  const auto copied = [](const std::string& how, std::initializer_list<std::uint32_t> elements = {0, 1}) {
    Job job;
    job.image = std::make_shared<Image>(Image{"test.ptx", machine_tests::text_of(tile + R"(
      mov.u32 %r1, 1; st.shared.u32 [tile], %r1; mov.u16 %h1, 1; st.shared.u8 [tile + 4], %h1; )" +
                                                                                     how,
                                                                                 {.buffers = {zeros(16)}})});
    job.buffers.push_back({"out", 16, zeros(16), 0, true});
    job.steps.emplace_back(JobLaunch{"k", {{1, 1, 1}, {1, 1, 1}}, {{ArgumentBytes(8), {{0, 0, 0}}}}});
    std::string verdicts;
    for (const std::uint32_t element : elements) {
      job.buffers[0].loose_element = element;
      const auto runner = emulated::make_runner({}, true);
      verdicts += (verdicts.empty() ? "" : " / ") + kinds(runner->run({job}).front().findings);
    }
    return verdicts;
  };
  const std::string error = "uninitialized-read";
  CHECK(copied("ld.shared.v2.u32 {%r1, %r2}, [tile]; st.global.v2.u32 [buffer0], {%r1, %r2};",
               {0, 1, 2, 4}) == error + " / none / " + error + " / none");
  CHECK(copied("ld.shared.u8 %r1, [tile + 5]; st.global.u8 [buffer0 + 5], %r1;") == error + " / none");
  // Not after a member, or not up to the next one; or used in a computation.
  CHECK(copied("ld.shared.u8 %r1, [tile + 5]; st.global.u8 [buffer0 + 4], %r1;") == error + " / " + error);
  CHECK(copied("ld.shared.u8 %r1, [tile + 5]; st.global.u8 [buffer0 + 6], %r1;") == error + " / " + error);
  CHECK(copied("ld.shared.u8 %r1, [tile + 5]; add.u32 %r1, %r1, 1; st.global.u8 [buffer0 + 5], %r1;") ==
        error + " / " + error);
  // May be 4 bytes of padding after a double and an int, or a missing number.
  CHECK(copied("ld.shared.u32 %r1, [tile + 8]; st.global.u32 [buffer0 + 12], %r1;", {0, 1, 4}) ==
        error + " / " + error + " (warning) / " + error);
}

TEST_CASE("a barrier number, its predicate and an mbarrier's address are decisions") {
  const std::string read = tile + "mov.u32 %r3, tile; ld.shared.u32 %r1, [tile]; ";
  CHECK(undefined_kinds(read + "and.b32 %r1, %r1, 1; bar.sync %r1, 32;") == "uninitialized-read");
  CHECK(undefined_kinds(read + "setp.eq.u32 %p1, %r1, 0; bar.red.popc.u32 %r2, 0, %p1;") ==
        "uninitialized-read");
  CHECK(undefined_kinds(read + "and.b32 %r1, %r1, 8; add.u32 %r3, %r3, %r1; "
                               "mbarrier.init.shared.b64 [%r3], 1;") == "uninitialized-read");
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
