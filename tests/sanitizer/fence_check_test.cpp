// Data and flags that are both volatile or relaxed: there is no data race, but only a fence provides the
// order that the program waits for (PTX ISA, causality order).
#include "sanitizer/race/fence_check.h"

#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

// Block 0 writes buffer0 and sets buffer1; block 1 waits for that and reads. One thread each.
std::string between(const std::string& writer, const std::string& reader) {
  return verdict<FenceCheck>(
      "setp.eq.u32 %p2, cta, 1; @%p2 bra reader;\n" + writer + " exit;\nreader: " + reader,
      {.buffers = {zeros(4), zeros(4)}, .grid = {2, 1, 1}, .block = {1, 1, 1}});
}
const std::string volatile_write = "st.volatile.global.u32 [buffer0], 5; ",
                  volatile_read = "ld.volatile.global.u32 %r2, [buffer0]; ";
const std::string raise_flag = "st.volatile.global.u32 [buffer1], 1; ", gpu_fence = "fence.acq_rel.gpu; ";
const std::string await_flag =
    "spin: ld.volatile.global.u32 %r1, [buffer1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra spin; ";

TEST_CASE("volatile data needs a fence before its flag; after the flag a branch suffices") {
  CHECK(between(volatile_write + gpu_fence + raise_flag, await_flag + gpu_fence + volatile_read) == "none");
  CHECK(between(volatile_write + raise_flag, await_flag + volatile_read) == "unordered-access");
  CHECK(between(volatile_write + gpu_fence + raise_flag, await_flag + volatile_read) == "none");
  CHECK(between(volatile_write + raise_flag, await_flag + gpu_fence + volatile_read) == "unordered-access");
}

TEST_CASE("a release and an acquire are as good as fences") {
  const std::string release = "st.release.gpu.global.u32 [buffer1], 1; ";
  const std::string acquire =
      "spin: ld.acquire.gpu.global.u32 %r1, [buffer1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra spin; ";
  CHECK(between(volatile_write + release, acquire + volatile_read) == "none");
  CHECK(between(volatile_write + release, await_flag + volatile_read) == "none");
  CHECK(between(volatile_write + raise_flag, acquire + volatile_read) == "unordered-access");
}

TEST_CASE("overwriting data that was read before the flag needs fences as well") {
  CHECK(between(volatile_read + raise_flag, await_flag + volatile_write) == "unordered-access");
  CHECK(between(volatile_read + gpu_fence + raise_flag, await_flag + gpu_fence + volatile_write) == "none");
}

TEST_CASE("an atomic counter as a flag does not replace a fence") {
  const std::string count = "red.global.add.u32 [buffer1], 1; ";
  CHECK(between(volatile_write + count, await_flag + volatile_read) == "unordered-access");
  CHECK(between(volatile_write + gpu_fence + count, await_flag + gpu_fence + volatile_read) == "none");
}

TEST_CASE("a hint that is polled but not waited for needs no fence") {
  CHECK(between(volatile_write, volatile_read) == "none");
  CHECK(between(volatile_write, volatile_read + volatile_read) == "none");
  CHECK(between(volatile_write + raise_flag, volatile_read + "ld.volatile.global.u32 %r1, [buffer1]; ") ==
        "none");
}

TEST_CASE("reading a value again after observing it is not reported") {
  const std::string poll =
      "first: ld.volatile.global.u32 %r2, [buffer0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra first; ";
  CHECK(between(volatile_write + raise_flag, poll + await_flag + volatile_read) == "none");
}

TEST_CASE("warps of a block are ordered by its barrier and not by a flag alone") {
  const auto in_block = [](const std::string& order) {
    return verdict<FenceCheck>(
        ".shared .u32 box[2]; st.shared.u32 [box+4], 0; bar.sync 0; shr.u32 %r5, tid, 5; setp.ne.u32 %p3, "
        "%r5, 0; @!%p3 st.volatile.shared.u32 "
        "[box], 5; " +
            order + "@%p3 ld.volatile.shared.u32 %r2, [box];",
        {.buffers = {}, .block = {64, 1, 1}});
  };
  CHECK(in_block("bar.sync 0; ") == "none");
  CHECK(in_block("@!%p3 st.volatile.shared.u32 [box+4], 1; @!%p3 bra on; "
                 "spin: ld.volatile.shared.u32 %r1, [box+4]; setp.eq.u32 %p1, %r1, 0; @%p1 bra spin; on: ") ==
        "unordered-access (warning)");
}

TEST_CASE("a lock without fences does not order the accesses that it protects") {
  const auto locked = [](const std::string& after, const std::string& before) {
    return verdict<FenceCheck>(
        "try: atom.global.cas.b32 %r1, [buffer1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra try; " + after +
            "ld.volatile.global.u32 %r2, [buffer0]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [buffer0], "
            "%r2; " +
            before + "atom.global.exch.b32 %r3, [buffer1], 0;",
        {.buffers = {zeros(4), words({0})}, .grid = {3, 1, 1}, .block = {1, 1, 1}});
  };
  CHECK(locked(gpu_fence, gpu_fence) == "none");
  CHECK(locked("", "") == "unordered-access");
  CHECK(locked("", gpu_fence) == "none");
  CHECK(locked(gpu_fence, "") == "unordered-access");
}

// Lane 0 of block 1 waits for the flag; then both lanes execute `lock`, and lane 1 reads the data.
TEST_CASE("lanes of an atomic execute one after another, including those whose cas fails") {
  const auto after = [](const std::string& lock) {
    return kinds(
        findings_of("setp.eq.u32 %p1, cta, 1; setp.eq.u32 %p3, tid, 0; @%p1 bra reader; @!%p3 bra done; " +
                        volatile_write + raise_flag + "done: exit; reader: @!%p3 bra join; " + await_flag +
                        "join: " + lock + "@!%p3 " + volatile_read,
                    {.buffers = {zeros(4), zeros(4), zeros(4)}, .grid = {2, 1, 1}, .block = {2, 1, 1}},
                    only<FenceCheck>()));
  };
  CHECK(after("atom.global.cas.b32 %r6, [buffer2], 0, 1; ") == "unordered-access");
  CHECK(after("") == "none");
}

TEST_CASE("an atomic that does not change the flag is not a signal, but a store of the same value is") {
  const auto raised_again = [](const std::string& flag) {
    return kinds(findings_of("setp.eq.u32 %p2, cta, 1; @%p2 bra reader;\n" + volatile_write + flag +
                                 " exit;\nreader: " + await_flag + volatile_read,
                             {.buffers = {zeros(4), words({1})}, .grid = {2, 1, 1}, .block = {1, 1, 1}},
                             only<FenceCheck>()));
  };
  CHECK(raised_again("atom.global.exch.b32 %r3, [buffer1], 1; ") == "none");
  CHECK(raised_again("atom.global.exch.b32 %r3, [buffer1], 2; ") == "unordered-access");
  CHECK(raised_again(raise_flag) == "unordered-access");
}

TEST_CASE("a finding names both threads, both positions and the missing fence") {
  const auto found = findings_of("setp.eq.u32 %p2, cta, 1; @%p2 bra reader;\n" + volatile_write + raise_flag +
                                     " exit;\nreader: " + await_flag + volatile_read,
                                 {.buffers = {zeros(4), zeros(4)}, .grid = {2, 1, 1}, .block = {1, 1, 1}},
                                 only<FenceCheck>());
  REQUIRE(found.size() == 1);
  CHECK(found[0].message ==
        "thread 0 of block 1 reads the buffer buffer0, which thread 0 of block 0 "
        "wrote before it set a flag; the two accesses are unordered because there is no fence before the "
        "flag");
  CHECK(found[0].at.line == 3);
  CHECK(found[0].other->line == 2);
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
