// shfl.sync, compared with a second implementation of the ISA's pseudo-code.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

struct Shuffled {
  std::uint32_t value;
  bool in_range;
};

// ISA 9.7.9.6, the pseudo-code of shfl.sync, for a lane whose value is 1000 + lane.
Shuffled expected(const std::string& mode, std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t bval = b & 0x1f, cval = c & 0x1f, mask = c >> 8 & 0x1f;
  const std::uint32_t max_lane = (lane & mask) | (cval & ~mask & 0x1f);
  const std::uint32_t min_lane = lane & mask;
  int j = 0;
  bool p = false;
  const int l = static_cast<int>(lane);
  if (mode == "up") j = l - static_cast<int>(bval), p = j >= static_cast<int>(max_lane);
  if (mode == "down") j = l + static_cast<int>(bval), p = j <= static_cast<int>(max_lane);
  if (mode == "bfly") j = l ^ static_cast<int>(bval), p = j <= static_cast<int>(max_lane);
  if (mode == "idx")
    j = static_cast<int>(min_lane | (bval & ~mask & 0x1f)), p = j <= static_cast<int>(max_lane);
  if (!p) j = l;
  return {1000 + static_cast<std::uint32_t>(j), p};
}

// One launch shuffles with every b from 0 to 39 for one c: the result, and the predicate in bit 16.
std::vector<std::uint32_t> shuffled(const std::string& mode, std::uint32_t c, const Schedule& schedule = {}) {
  const auto out = run_kernel(R"(
    mov.u32 %r2, 0;
    next:
    add.u32 %r1, lane, 1000;
    shfl.sync.)" + mode + R"(.b32 %r3|%p1, %r1, %r2, scalar0, 0xffffffff;
    selp.u32 %r4, 0x10000, 0, %p1; or.b32 %r3, %r3, %r4;
    mad.lo.u32 %r5, %r2, 32, tid; mul.wide.u32 %rd1, %r5, 4; add.u64 %rd1, buffer0, %rd1;
    st.global.u32 [%rd1], %r3;
    add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 40; @%p2 bra next;)",
                              {.buffers = {zeros(40 * 32 * 4)}, .scalars = {c}, .schedule = schedule});
  return out.words();
}

void check_mode(const std::string& mode) {
  for (std::uint32_t segment = 0; segment < 32; segment += segment < 16 ? 4 : 5)
    for (const std::uint32_t clamp : {0u, 1u, 3u, 7u, 15u, 16u, 21u, 31u}) {
      const std::uint32_t c = segment << 8 | clamp | 0xffffe0e0 * (clamp & 1);  // other bits are ignored
      const auto out = shuffled(mode, c);
      for (std::uint32_t b = 0; b < 40; ++b)
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          const Shuffled want = expected(mode, lane, b, c);
          const std::uint32_t bits = want.value | (want.in_range ? 0x10000u : 0u);
          if (out[b * 32 + lane] == bits) continue;
          INFO("mode " << mode << " lane " << lane << " b " << b << " c " << c);
          REQUIRE(out[b * 32 + lane] == bits);
        }
    }
}

TEST_CASE("shfl up reads a lower lane within its segment") { check_mode("up"); }
TEST_CASE("shfl down reads a higher lane within its segment") { check_mode("down"); }
TEST_CASE("shfl bfly reads the lane with some bits flipped") { check_mode("bfly"); }
TEST_CASE("shfl idx reads the given lane within its segment") {
  covers("shfl_sync");
  check_mode("idx");
}

TEST_CASE("shuffles give the same result when lanes run one by one") {
  for (const Schedule& schedule : every_schedule())
    CHECK(shuffled("bfly", 0x1f, schedule) == shuffled("bfly", 0x1f));
}

TEST_CASE("CUDA's segment widths of 2, 4, 8 and 16 work") {
  for (const std::uint32_t width : {2u, 4u, 8u, 16u}) {
    const std::uint32_t c = (32 - width) << 8 | 0x1f;
    const auto out = results("shfl.sync.down.b32 %r1, tid, 1, scalar0, -1; st.global.u32 [mine], %r1;",
                             {.buffers = {}, .scalars = {c}});
    CHECK(out == each(32, [&](auto k) { return k % width == width - 1 ? k : k + 1; }));
  }
}

TEST_CASE("each lane may name a different source") {
  const auto out = results(R"(
    mul.lo.u32 %r1, tid, 7; mul.lo.u32 %r2, tid, tid;
    shfl.sync.idx.b32 %r3, %r2, %r1, 31, -1; st.global.u32 [mine], %r3;)");
  CHECK(out == each(32, [](auto k) { return (k * 7 % 32) * (k * 7 % 32); }));
}

TEST_CASE("a source may also be the destination") {
  const auto out =
      results("mov.u32 %r1, tid; shfl.sync.up.b32 %r1, %r1, 1, 0, -1; st.global.u32 [mine], %r1;");
  CHECK(out == each(32, [](auto k) { return k == 0 ? 0 : k - 1; }));
}

TEST_CASE("lanes of a partial mask shuffle among themselves") {
  const auto out = results(R"(
    mov.u32 %r2, 555; setp.lt.u32 %p1, tid, 8;
    @%p1 shfl.sync.bfly.b32 %r2, tid, 4, 31, 0xff;
    st.global.u32 [mine], %r2;)");
  CHECK(out == each(32, [](auto k) { return k < 8 ? k ^ 4 : 555; }));
}

TEST_CASE("two halves of a warp may execute the same shuffle with different masks") {
  const auto out = results(R"(
    setp.lt.u32 %p1, tid, 16; selp.b32 %r1, 0x0000ffff, 0xffff0000, %p1;
    shfl.sync.bfly.b32 %r2, tid, 15, 31, %r1; st.global.u32 [mine], %r2;)");
  CHECK(out == each(32, [](auto k) { return k ^ 15; }));
}

TEST_CASE("lanes on both sides of a branch shuffle with each other if they use the same mask") {
  for (const Schedule& schedule : every_schedule()) {
    const auto out = results(R"(
      setp.lt.u32 %p1, tid, 16; @%p1 bra low;
      add.u32 %r1, tid, 100; shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; add.u32 %r2, %r2, 1000;
      bra done;
      low: add.u32 %r1, tid, 200; shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1; add.u32 %r2, %r2, 2000;
      done: st.global.u32 [mine], %r2;)",
                             {.buffers = {}, .schedule = schedule});
    CHECK(out == each(32, [](auto k) { return k < 16 ? k + 16 + 100 + 2000 : k - 16 + 200 + 1000; }));
  }
}

TEST_CASE("a shuffle does not wait for lanes that have returned") {
  for (const Schedule& schedule : every_schedule()) {
    const auto out = results(R"(
      setp.ge.u32 %p1, tid, 20; @%p1 ret;
      shfl.sync.up.b32 %r1, tid, 3, 0, -1; add.u32 %r1, %r1, 50; st.global.u32 [mine], %r1;)",
                             {.buffers = {}, .schedule = schedule});
    CHECK(out == each(32, [](auto k) { return k >= 20 ? 0 : (k < 3 ? k : k - 3) + 50; }));
  }
}

TEST_CASE("the last warp of a block shuffles with the lanes that exist") {
  const auto out = results("shfl.sync.idx.b32 %r1, tid, 2, 31, -1; st.global.u32 [mine], %r1;",
                           {.buffers = {}, .block = {37, 1, 1}});
  CHECK(out == each(37, [](auto k) { return k < 32 ? 2 : 34; }));
}

TEST_CASE("a shuffle from an inactive lane returns poison and not that lane's register") {
  const auto out = results(R"(
    setp.lt.u32 %p1, tid, 4; mov.u32 %r2, 0;
    @%p1 shfl.sync.idx.b32 %r2, tid, 9, 31, 0xf; st.global.u32 [mine], %r2;)");
  CHECK(out[0] != 9);
  CHECK(out[0] > 0x7f800000);  // a NaN as f32, a huge integer
}

TEST_CASE("a butterfly reduction gives every lane the sum") {
  for (const Schedule& schedule : every_schedule()) {
    const auto out = results(R"(
      mov.u32 %r1, tid; mov.u32 %r2, 16;
      next: shfl.sync.bfly.b32 %r3, %r1, %r2, 31, -1; add.u32 %r1, %r1, %r3;
      shr.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra next;
      st.global.u32 [mine], %r1;)",
                             {.buffers = {}, .schedule = schedule});
    CHECK(out == all(32, 496));
  }
}

}  // namespace
}  // namespace foldproof::machine_tests
