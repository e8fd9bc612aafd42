// Volatile accesses within one warp: formally not a data race, but unordered.
#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

const std::string unordered_boxes = R"(
  .shared .u32 box[128];
  mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1;
  )";

std::string unordered_block(std::uint32_t threads, const std::string& body) {
  return verdict(unordered_boxes + body, {.buffers = {zeros(64)}, .block = {threads, 1, 1}});
}

// The tail of older reductions: the last warp adds up without barriers.
std::string tail(const std::string& between) {
  std::string body = "st.volatile.shared.u32 [%r2], tid; " + between;
  for (const int step : {16, 8, 4})
    body += fmt::format(
        "ld.volatile.shared.u32 %r5, [%r2+{}]; {}ld.volatile.shared.u32 %r6, [%r2]; add.u32 %r6, %r6, "
        "%r5; st.volatile.shared.u32 [%r2], %r6; {}",
        4 * step, between, between);
  return unordered_block(32, body);
}

TEST_CASE("a volatile warp tail is reported as unordered") {
  CHECK(tail("") == "unordered-access (warning)");
  CHECK(tail("bar.warp.sync -1; ") == "none");
  CHECK(tail("membar.cta; ") == "unordered-access (warning)");
}

TEST_CASE("a warp tail without volatile is a race") {
  CHECK(unordered_block(32,
                        "st.shared.u32 [%r2], tid; ld.shared.u32 %r5, [%r2+64]; st.shared.u32 [%r2], %r5;") ==
        "shared-race");
}

TEST_CASE("polling a flag within a warp is not reported") {
  CHECK(unordered_block(32, R"(
    setp.ne.u32 %p1, lane, 0; @%p1 bra others;
    st.volatile.shared.u32 [%r1], 1; exit;
    others: setp.ne.u32 %p2, lane, 1; @%p2 exit;
    spin: ld.volatile.shared.u32 %r5, [%r1]; setp.ne.u32 %p3, %r5, 1; @%p3 bra spin;)") == "none");
}

TEST_CASE("volatile accesses of different warps are atomic to each other") {
  const std::string other = "xor.b32 %r3, tid, 32; mad.lo.u32 %r3, %r3, 4, %r1; ";
  CHECK(unordered_block(
            64, other + "st.volatile.shared.u32 [%r2], tid; ld.volatile.shared.u32 %r5, [%r3];") == "none");
  CHECK(unordered_block(
            64, other +
                    "st.volatile.shared.u32 [%r2], tid; membar.cta; bar.sync 0; ld.volatile.shared.u32 %r5, "
                    "[%r3];") == "none");
  CHECK(unordered_block(64, other + "st.volatile.shared.u32 [%r2], tid; ld.shared.u32 %r5, [%r3];") ==
        "shared-race");
}

TEST_CASE("volatile accesses ordered by a barrier or an atomic are not reported") {
  CHECK(unordered_block(
            32,
            "st.volatile.shared.u32 [%r2], tid; bar.sync 0; xor.b32 %r3, tid, 1; mad.lo.u32 %r3, %r3, 4, "
            "%r1; ld.volatile.shared.u32 %r5, [%r3];") == "none");
  CHECK(unordered_block(32, "atom.shared.add.u32 %r5, [%r1], 1; ld.volatile.shared.u32 %r6, [%r1];") ==
        "none");
}

TEST_CASE("an atomic in between does not hide two unordered volatile accesses") {
  // Lane 0 stores, then adds; lane 1 stores to the word that lane 0 stored to first.
  CHECK(unordered_block(
            32,
            "setp.eq.u32 %p1, lane, 0; setp.eq.u32 %p2, lane, 1; @%p1 st.volatile.shared.u32 [%r1], 1; "
            "@%p1 atom.sys.shared.add.u32 %r5, [%r1], 1; @%p2 st.volatile.shared.u32 [%r1], 3;") ==
        "unordered-access (warning)");
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
