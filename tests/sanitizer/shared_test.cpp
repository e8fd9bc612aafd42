// Races in shared memory within a block: missing barriers, and which accesses conflict.
#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

// %r1: the shared array; %r2: this thread's word; %r3: that of thread tid ^ 32, in the other warp; %r4: that
// of the next lane.
const std::string shared_boxes = R"(
  .shared .align 16 .u32 box[128];
  mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; xor.b32 %r3, tid, 32; mad.lo.u32 %r3, %r3, 4, %r1;
  xor.b32 %r4, tid, 1; mad.lo.u32 %r4, %r4, 4, %r1;
  )";

std::string in_two_warps(const std::string& body, std::uint32_t threads = 64) {
  return verdict(shared_boxes + body, {.buffers = {}, .block = {threads, 1, 1}});
}

TEST_CASE("shared memory written by one warp and read by another needs a barrier") {
  CHECK(in_two_warps("st.shared.u32 [%r2], tid; ld.shared.u32 %r5, [%r3];") == "shared-race");
  CHECK(in_two_warps("st.shared.u32 [%r2], tid; bar.sync 0; ld.shared.u32 %r5, [%r3];") == "none");
}

TEST_CASE("lanes of one warp need a barrier as well") {
  CHECK(in_two_warps("st.shared.u32 [%r2], tid; ld.shared.u32 %r5, [%r4];", 32) == "shared-race");
  CHECK(in_two_warps("st.shared.u32 [%r2], tid; bar.warp.sync -1; ld.shared.u32 %r5, [%r4];", 32) == "none");
  CHECK(in_two_warps("st.shared.u32 [%r2], tid; bar.sync 0; ld.shared.u32 %r5, [%r4];", 32) == "none");
}

TEST_CASE("a thread may read its own writes") {
  CHECK(in_two_warps("st.shared.u32 [%r2], tid; ld.shared.u32 %r5, [%r2]; st.shared.u32 [%r2], %r5;") ==
        "none");
}

TEST_CASE("a write must be ordered after another thread's read") {
  const std::string filled = "st.shared.u32 [%r2], tid; bar.sync 0; ld.shared.u32 %r5, [%r3]; ";
  CHECK(in_two_warps(filled + "st.shared.u32 [%r2], 7;") == "shared-race");
  CHECK(in_two_warps(filled + "bar.sync 0; st.shared.u32 [%r2], 7;") == "none");
}

TEST_CASE("reads do not race with reads") {
  CHECK(in_two_warps("ld.shared.u32 %r5, [%r1]; ld.shared.u32 %r6, [%r3]; ld.shared.u32 %r7, [%r4];") ==
        "none");
}

TEST_CASE("adjacent bytes do not conflict, but overlapping halves do") {
  // Each thread accesses its own byte.
  CHECK(in_two_warps("add.u32 %r6, %r1, tid; cvt.u16.u32 %h1, tid; st.shared.u8 [%r6], %h1; "
                     "ld.shared.u8 %h2, [%r6];") == "none");
  // Thread 0 writes bytes 0 and 1, thread 32 bytes 2 and 3.
  const auto pair = [&](const std::string& first, const std::string& second) {
    return in_two_warps(
        "mov.b16 %h1, 5; mov.b64 %rd1, 5; setp.eq.u32 %p1, tid, 0; setp.eq.u32 %p2, tid, 32; @%p1 " + first +
        " @%p2 " + second);
  };
  CHECK(pair("st.shared.u16 [%r1], %h1;", "st.shared.u16 [%r1+2], %h1;") == "none");
  CHECK(pair("st.shared.u16 [%r1], %h1;", "st.shared.u8 [%r1+1], %h1;") == "shared-race");
  CHECK(pair("st.shared.u16 [%r1], %h1;", "st.shared.u8 [%r1+2], %h1;") == "none");
  CHECK(pair("st.shared.u32 [%r1], 5;", "ld.shared.u8 %h2, [%r1+3];") == "shared-race");
  CHECK(pair("st.shared.u32 [%r1], 5;", "ld.shared.u8 %h2, [%r1+4];") == "none");
  CHECK(pair("ld.shared.u16 %h2, [%r1+2];", "st.shared.u64 [%r1], %rd1;") == "shared-race");
  CHECK(pair("st.shared.v4.u32 [%r1], {1, 2, 3, 4};", "ld.shared.u32 %r5, [%r1+12];") == "shared-race");
  CHECK(pair("st.shared.v4.u32 [%r1], {1, 2, 3, 4};", "ld.shared.u32 %r5, [%r1+16];") == "none");
  CHECK(pair("st.shared.v2.u32 [%r1+8], {1, 2};", "st.shared.u8 [%r1+15], %h1;") == "shared-race");
}

TEST_CASE("lanes that store to one address in one instruction race; equal values make it a warning") {
  CHECK(in_two_warps("st.shared.u32 [%r1], tid;", 32) == "shared-race");
  CHECK(in_two_warps("st.shared.u32 [%r1], 7;", 32) == "shared-race (warning)");
  // Pairs of lanes, with the same value in each pair.
  CHECK(in_two_warps("shr.u32 %r5, tid, 1; mad.lo.u32 %r6, %r5, 4, %r1; st.shared.u32 [%r6], %r5;", 32) ==
        "shared-race (warning)");
  CHECK(in_two_warps("shr.u32 %r5, tid, 1; mad.lo.u32 %r6, %r5, 4, %r1; st.shared.u32 [%r6], tid;", 32) ==
        "shared-race");
  CHECK(in_two_warps("st.shared.v2.u32 [%r1], {7, 8};", 32) == "shared-race (warning)");
  CHECK(in_two_warps("st.shared.v2.u32 [%r1], {7, tid};", 32) == "shared-race");
}

TEST_CASE("a racing write that does not change the value is a warning") {
  CHECK(in_two_warps("st.shared.u32 [%r1], 7;") == "shared-race (warning)");
  // Read by all, then written with the same value.
  CHECK(
      in_two_warps("st.shared.u32 [%r2], 0; bar.sync 0; ld.shared.u32 %r5, [%r3]; st.shared.u32 [%r2], 0;") ==
      "shared-race (warning)");
}

TEST_CASE("a second write of the same value does not hide the race of the first one") {
  CHECK(in_two_warps("st.shared.u32 [%r2], 0; bar.sync 0; st.shared.u32 [%r2], 5; st.shared.u32 [%r2], 5; "
                     "ld.shared.u32 %r5, [%r3];") == "shared-race, shared-race (warning)");
  CHECK(in_two_warps(
            "setp.eq.u32 %p1, tid, 0; setp.eq.u32 %p2, tid, 32; @%p1 st.shared.u32 [%r1], 0; bar.sync 0; "
            "@%p1 st.shared.u32 [%r1], 5; @%p1 st.shared.u32 [%r1], 5; @%p2 ld.shared.u32 %r5, [%r1];") ==
        "shared-race, shared-race (warning)");
}

TEST_CASE("atomics race with weak accesses but not with each other") {
  const std::string add = "atom.shared.add.u32 %r5, [%r1], 1; ";
  const std::string zeroed =
      "setp.eq.u32 %p1, tid, 0; setp.eq.u32 %p2, tid, 33; @%p1 st.shared.u32 [%r1], 0; "
      "bar.sync 0; ";
  CHECK(in_two_warps(zeroed + add) == "none");
  CHECK(in_two_warps(zeroed + "red.shared.add.u32 [%r1], 1; " + add) == "none");
  CHECK(in_two_warps(zeroed + add + "bar.sync 0; ld.shared.u32 %r5, [%r1];") == "none");
  CHECK(in_two_warps(zeroed + add + "ld.shared.u32 %r5, [%r1];") == "shared-race");
  CHECK(in_two_warps(zeroed + "@%p2 st.shared.u32 [%r1], 77; " + add) == "shared-race");
  CHECK(in_two_warps(zeroed + "@%p2 ld.shared.u32 %r5, [%r1]; @!%p2 " + add) == "shared-race");
  // Strong reads do not race with them, unless they read half of the word.
  CHECK(in_two_warps(zeroed + "@%p2 ld.relaxed.cta.shared.u32 %r5, [%r1]; " + add) == "none");
  CHECK(in_two_warps(zeroed + "@%p2 ld.relaxed.cta.shared.u16 %h2, [%r1]; " + add) == "shared-race");
}

TEST_CASE("a thread may access a word weakly after observing all other atomics on it") {
  // The last of all threads to arrive: PTX ISA, causality order: the others' updates are ordered before an
  // observer.
  CHECK(in_two_warps(
            "setp.eq.u32 %p1, tid, 0; @%p1 st.shared.u32 [%r1], 0; bar.sync 0; "
            "atom.shared.add.u32 %r5, [%r1], 1; setp.eq.u32 %p2, %r5, 63; @%p2 st.shared.u32 [%r1], 0;") ==
        "none");
  // red returns nothing, so that no thread knows that it was the last; here thread 40 resets the word.
  CHECK(in_two_warps(
            "setp.eq.u32 %p1, tid, 0; @%p1 st.shared.u32 [%r1], 0; bar.sync 0; setp.eq.u32 %p2, tid, 40; "
            "red.shared.add.u32 [%r1], 1; @%p2 st.shared.u32 [%r1], 99;") == "shared-race");
}

TEST_CASE("each block has its own shared memory") {
  CHECK(verdict(shared_boxes +
                    "setp.eq.u32 %p1, tid, 0; @%p1 st.shared.u32 [%r1], cta; @%p1 ld.shared.u32 %r5, [%r1];",
                {.buffers = {}, .grid = {4, 1, 1}, .block = {64, 1, 1}}) == "none");
}

TEST_CASE("a shared-memory tree needs its barrier in every step") {
  const auto tree = [](const std::string& barrier) {
    return in_two_warps(
        "st.shared.u32 [%r2], tid; mov.u32 %r10, 64;\n next: " + barrier +
            " setp.ge.u32 %p1, tid, %r10; @%p1 bra skip; mad.lo.u32 %r11, %r10, 4, %r2;"
            " ld.shared.u32 %r12, [%r11]; ld.shared.u32 %r13, [%r2]; add.u32 %r13, %r13, %r12;"
            " st.shared.u32 [%r2], %r13;\n"
            " skip: shr.u32 %r10, %r10, 1; setp.ne.u32 %p2, %r10, 0; @%p2 bra next;",
        128);
  };
  CHECK(tree("bar.sync 0;") == "none");
  CHECK(tree("") == "shared-race");
  CHECK(tree("setp.eq.u32 %p3, %r10, 64; @%p3 bar.sync 0;") == "shared-race");
}

TEST_CASE("threads that do not exist are neither waited for nor race") {
  // 40 threads: the second warp has 8.
  CHECK(
      in_two_warps("st.shared.u32 [%r2], tid; bar.sync 0; xor.b32 %r5, tid, 39; mad.lo.u32 %r5, %r5, 4, %r1; "
                   "ld.shared.u32 %r6, [%r5];",
                   40) == "none");
  CHECK(in_two_warps("st.shared.u32 [%r2], tid; bar.warp.sync -1; ld.shared.u32 %r6, [%r4];", 40) == "none");
  CHECK(in_two_warps("st.shared.u32 [%r2], tid; sub.u32 %r5, 39, tid; mad.lo.u32 %r5, %r5, 4, %r1; "
                     "ld.shared.u32 %r6, [%r5];",
                     40) == "shared-race");
}

TEST_CASE("an asynchronous copy may write at any time between its issue and the wait") {
  // Each of two warps copies to its own 32 words and reads those of the other.
  const std::string words = R"(
    .shared .align 16 .b8 tile[256]; .reg .b32 own, other; mov.u32 own, tile; mov.u32 other, tile;
    mad.lo.u32 own, tid, 4, own; xor.b32 %r1, tid, 32; mad.lo.u32 other, %r1, 4, other; )";
  const std::string copy = "cp.async.ca.shared.global [own], [buffer0], 4; ", wait = "cp.async.wait_all; ",
                    barrier = "bar.sync 0; ", read = "ld.shared.u32 %r2, [other]; ";
  const Setting setting{.buffers = {zeros(4)}, .block = {64, 1, 1}};
  CHECK(verdict(words + copy + wait + barrier + read, setting) == "none");
  CHECK(verdict(words + copy + barrier + read + wait, setting) == "shared-race");
  CHECK(verdict(words + read + copy + wait, setting) == "shared-race");
  CHECK(verdict(words + read + barrier + copy + wait, setting) == "none");
}

TEST_CASE("an atomic of another size ends the chain of atomics to the same word") {
  // Warps 2, 1, 0, one after another. The last one observes warp 1's write, but warp 1 did not observe all of
  // warp 2's value.
  const auto found =
      findings_of(R"(.shared .align 8 .b8 box[8]; shr.u32 %r1, tid, 5; setp.ne.u32 %p1, lane, 0;
    @%p1 bra end; setp.eq.u32 %p1, %r1, 1; setp.eq.u32 %p2, %r1, 0;
    @%p1 atom.relaxed.cta.shared.add.u32 %r2, [box], 1;
    atom.acq_rel.cta.shared.add.u64 %rd1, [box], 1;
    @%p2 ld.shared.b8 %h1, [box+4];
  end:)",
                  {.buffers = {}, .block = {96, 1, 1}, .schedule = schedule_named("warps-backward")});
  const bool reported = std::ranges::any_of(
      found, [](const Finding& f) { return f.at.line == 5 && f.other && f.other->line == 4; });
  CHECK(reported);
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
