// Bank conflicts, with 32 banks of 4 bytes, compared with values derived by hand.
#include "counters/fixture.h"

namespace foldproof::counter_tests {
namespace {

/// Lane l accesses `bytes`-wide words of the array at byte l * stride.
SharedTraffic traffic(const std::string& access, unsigned stride,
                      SharedTraffic ByAccess<SharedTraffic>::*which) {
  const Counters c = count(
      fmt::format(".shared .align 16 .b8 box[8192]; mov.u32 %r1, box; mad.lo.u32 %r2, lane, {}, %r1; {}",
                  stride, access));
  return c.shared.*which;
}

SharedTraffic loads(const std::string& access, unsigned stride) {
  return traffic(access, stride, &ByAccess<SharedTraffic>::loads);
}

}  // namespace

TEST_CASE("a load of neighbouring words takes one pass") {
  CHECK(loads("ld.shared.u32 %r3, [%r2];", 4) == SharedTraffic{1, 32, 1, 0});
}

TEST_CASE("a stride of two words puts two words into each even bank") {
  CHECK(loads("ld.shared.u32 %r3, [%r2];", 2 * 4) == SharedTraffic{1, 32, 2, 1});
}

TEST_CASE("an odd stride accesses every bank once") {
  CHECK(loads("ld.shared.u32 %r3, [%r2];", 3 * 4) == SharedTraffic{1, 32, 1, 0});
  CHECK(loads("ld.shared.u32 %r3, [%r2];", 33 * 4) == SharedTraffic{1, 32, 1, 0});
}

TEST_CASE("a stride of 32 words puts all words into one bank") {
  CHECK(loads("ld.shared.u32 %r3, [%r2];", 32 * 4) == SharedTraffic{1, 32, 32, 31});
}

TEST_CASE("lanes that read the same word are served together") {
  CHECK(loads("ld.shared.u32 %r3, [%r2];", 0) == SharedTraffic{1, 32, 1, 0});
  // Four lanes per word.
  CHECK(loads("ld.shared.u8 %r3, [%r2];", 1) == SharedTraffic{1, 32, 1, 0});
}

TEST_CASE("stores to the same word are served together, atomics one after another") {
  const auto stores = &ByAccess<SharedTraffic>::stores;
  const auto atomics = &ByAccess<SharedTraffic>::atomics;
  CHECK(traffic("st.shared.u32 [%r2], 7;", 0, stores) == SharedTraffic{1, 32, 1, 0});
  CHECK(traffic("red.shared.add.u32 [%r2], 7;", 0, atomics) == SharedTraffic{1, 32, 32, 31});
  CHECK(traffic("red.shared.add.u32 [%r2], 7;", 4, atomics) == SharedTraffic{1, 32, 1, 0});
}

TEST_CASE("8-byte accesses are served one half of the warp at a time") {
  // 16 lanes cover 32 words: no conflict.
  CHECK(loads("ld.shared.u64 %rd1, [%r2];", 8) == SharedTraffic{1, 32, 2, 0});
  // 16 bytes apart, lanes l and l + 8 of a half use the same banks: two passes per half.
  CHECK(loads("ld.shared.u64 %rd1, [%r2];", 16) == SharedTraffic{1, 32, 4, 2});
}

TEST_CASE("16-byte accesses are served one quarter of the warp at a time") {
  // 8 lanes cover 32 words: no conflict.
  CHECK(loads("ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];", 16) == SharedTraffic{1, 32, 4, 0});
  // 32 bytes apart, lanes l and l + 4 of a quarter use the same banks: two passes per quarter.
  CHECK(loads("ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];", 32) == SharedTraffic{1, 32, 8, 4});
}

TEST_CASE("inactive lanes cost nothing") {
  // Lanes 0 to 7, 128 bytes apart: one bank, eight words.
  CHECK(loads("setp.lt.u32 %p1, lane, 8; @%p1 ld.shared.u32 %r3, [%r2];", 128) == SharedTraffic{1, 8, 8, 7});
  // Halves of a wide access without an active lane take no pass.
  CHECK(loads("setp.lt.u32 %p1, lane, 8; @%p1 ld.shared.u64 %rd1, [%r2];", 8) == SharedTraffic{1, 8, 1, 0});
}

}  // namespace foldproof::counter_tests
