// Clusters: their barrier, and access to the shared memory of other blocks.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

using Words = std::vector<std::uint32_t>;

const std::string cluster_sync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";

// Block b writes 100 b + tid to its own shared memory and reads that of its neighbour in the cluster.
std::string neighbour(const std::string& read) {
  return R"(
    .shared .u32 box[32];
    mov.u32 %r10, box; mad.lo.u32 %r11, tid, 4, %r10; mad.lo.u32 %r1, cta, 100, tid; st.shared.u32 [%r11], %r1;
    mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank; add.u32 %r2, %r2, 1; rem.u32 %r2, %r2, %r3;
    )" + cluster_sync +
         read + cluster_sync + "st.global.u32 [mine], %r5;";
}

void check_neighbour(const std::string& read) {
  for (const Schedule& schedule : every_schedule())
    CHECK(results(neighbour(read),
                  {.buffers = {}, .grid = {8, 1, 1}, .cluster = {4, 1, 1}, .schedule = schedule}) ==
          each(256, [](auto k) {
            const auto block = k / 32;
            return (block / 4 * 4 + (block + 1) % 4) * 100 + k % 32;
          }));
}

TEST_CASE("mapa gives the address of another block's shared memory") {
  check_neighbour("mapa.shared::cluster.u32 %r4, %r11, %r2; ld.shared::cluster.u32 %r5, [%r4];");
}

TEST_CASE("mapa of a generic address gives a generic address") {
  check_neighbour(R"(cvt.u64.u32 %rd1, %r11; cvta.shared.u64 %rd1, %rd1; mapa.u64 %rd2, %rd1, %r2;
                     ld.u32 %r5, [%rd2];)");
}

TEST_CASE("isspacep.shared accepts the block's own memory also by its cluster address") {
  // Bits: the block's own address, the same from mapa, the other block's address.
  auto inside = [](const std::string& space) {
    return results(fmt::format(R"(
      .shared .u32 box; mov.u64 %rd1, box; cvta.shared.u64 %rd1, %rd1; mov.u32 %r1, %cluster_ctarank;
      mapa.u64 %rd2, %rd1, %r1; xor.b32 %r2, %r1, 1; mapa.u64 %rd3, %rd1, %r2;
      isspacep.{0} %p1, %rd1; isspacep.{0} %p2, %rd2; isspacep.{0} %p3, %rd3;
      selp.u32 %r3, 1, 0, %p1; selp.u32 %r4, 2, 0, %p2; selp.u32 %r5, 4, 0, %p3;
      or.b32 %r3, %r3, %r4; or.b32 %r3, %r3, %r5; st.global.u32 [mine], %r3;)",
                               space),
                   {.buffers = {}, .grid = {2, 1, 1}, .block = {1, 1, 1}, .cluster = {2, 1, 1}});
  };
  CHECK(inside("shared") == all(2, 3));
  CHECK(inside("shared::cta") == all(2, 3));
  CHECK(inside("shared::cluster") == all(2, 7));
}

TEST_CASE("a block writes and adds to the shared memory of another one") {
  const std::string body = R"(
    .shared .u32 box[2];
    mov.u32 %r10, box; setp.eq.u32 %p1, tid, 0; @%p1 st.shared.v2.u32 [%r10], {0, 0};
    )" + cluster_sync + R"(
    mapa.shared::cluster.u32 %r4, %r10, 0; red.shared::cluster.add.u32 [%r4], 1;
    mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1; mapa.shared::cluster.u32 %r5, %r10, %r3;
    @%p1 st.shared::cluster.u32 [%r5+4], %r2;
    )" + cluster_sync + R"(
    mapa.shared::cluster.u32 %r4, %r10, 0; ld.shared::cluster.u32 %r6, [%r4]; ld.shared.u32 %r7, [%r10+4];
    mad.lo.u32 %r6, %r6, 10, %r7; st.global.u32 [mine], %r6;
    )" + cluster_sync;
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .grid = {2, 1, 1}, .cluster = {2, 1, 1}, .schedule = schedule}) ==
          each(64, [](auto k) { return 640 + (k < 32 ? 1 : 0); }));
}

TEST_CASE("an atomic on another block's memory returns a different old value to each thread") {
  const std::string body = R"(
    .shared .u32 box; setp.eq.u32 %p1, tid, 0; @%p1 st.shared.u32 [box], 0;
    )" + cluster_sync + R"(
    mov.u32 %r10, box; cvt.u64.u32 %rd1, %r10; cvta.shared.u64 %rd1, %rd1; mapa.u64 %rd1, %rd1, 1;
    atom.add.u32 %r1, [%rd1], 1; st.global.u32 [mine], %r1;
    )" + cluster_sync;
  auto out = results(body, {.buffers = {}, .grid = {2, 1, 1}, .cluster = {2, 1, 1}});
  std::sort(out.begin(), out.end());
  CHECK(out == each(64, [](auto k) { return k; }));
}

TEST_CASE("getctarank returns the rank of the block that an address belongs to") {
  covers("getctarank");

  const std::string body = R"(
    .shared .u32 box; mov.u32 %r10, box;
    mapa.shared::cluster.u32 %r1, %r10, 2; getctarank.shared::cluster.u32 %r2, %r1;
    getctarank.shared::cluster.u32 %r3, %r10;
    cvt.u64.u32 %rd1, %r10; cvta.shared.u64 %rd1, %rd1; mapa.u64 %rd2, %rd1, 1; getctarank.u64 %r4, %rd2;
    mad.lo.u32 %r2, %r2, 10, %r3; mad.lo.u32 %r2, %r2, 10, %r4; st.global.u32 [mine], %r2;)";
  CHECK(results(body, {.buffers = {}, .grid = {3, 1, 1}, .block = {1, 1, 1}, .cluster = {3, 1, 1}}) ==
        Words{201, 211, 221});
}

TEST_CASE("isspacep distinguishes the windows") {
  const std::string body = R"(
    .shared .u32 box; mov.u64 %rd1, box; cvta.shared.u64 %rd1, %rd1;
    isspacep.shared %p1, %rd1; isspacep.global %p2, %rd1; isspacep.global %p3, buffer0; isspacep.shared %p4, buffer0;
    selp.u32 %r1, 1000, 0, %p1; selp.u32 %r2, 100, 0, %p2; selp.u32 %r3, 10, 0, %p3; selp.u32 %r4, 1, 0, %p4;
    add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; st.global.u32 [mine], %r1;)";
  CHECK(results(body)[0] == 1010);
}

TEST_CASE("work between arrive and wait is unordered, and all blocks have arrived after the wait") {
  covers("cluster_arrive");
  covers("cluster_wait");

  // Block 1 arrives immediately and works before it waits; block 0 sees its mark only because both waited.
  const std::string body = R"(
    barrier.cluster.arrive.release; st.global.u32 [mine], 1; barrier.cluster.wait.acquire;
    barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;
    xor.b32 %r1, cta, 1; mad.lo.u32 %r1, %r1, 32, tid; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, buffer0, %rd1;
    ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 5; )" +
                           cluster_sync + "st.global.u32 [mine], %r2;";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {}, .grid = {2, 1, 1}, .cluster = {2, 1, 1}, .schedule = schedule}) ==
          all(64, 6));
}

TEST_CASE("a cluster barrier in a loop works in every iteration") {
  // Block r adds r + 1 to a counter in block 0 in iteration r.
  const std::string body = R"(
    .shared .u32 box; st.shared.u32 [box], 0;
    mov.u32 %r10, box; mapa.shared::cluster.u32 %r11, %r10, 0; mov.u32 %r1, 0; mov.u32 %r2, %cluster_ctarank;
    )" + cluster_sync + R"(
    next: setp.ne.u32 %p1, %r1, %r2; @%p1 bra skip;
    ld.shared::cluster.u32 %r3, [%r11]; mad.lo.u32 %r3, %r3, 10, %r2; add.u32 %r3, %r3, 1;
    st.shared::cluster.u32 [%r11], %r3;
    skip: )" + cluster_sync +
                           R"(
    add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 4; @%p2 bra next;
    ld.shared::cluster.u32 %r4, [%r11]; )" +
                           cluster_sync + "st.global.u32 [mine], %r4;";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {},
                         .grid = {4, 1, 1},
                         .block = {1, 1, 1},
                         .cluster = {4, 1, 1},
                         .schedule = schedule}) == all(4, 1234));
}

TEST_CASE("exited threads count as arrived at the cluster barrier") {
  const std::string body = "setp.ge.u32 %p1, tid, 3; @%p1 exit; setp.eq.u32 %p2, cta, 1; @%p2 exit;" +
                           cluster_sync + "st.global.u32 [mine], 1;";
  CHECK(results(body, {.buffers = {}, .grid = {2, 1, 1}, .cluster = {2, 1, 1}}) ==
        each(64, [](auto k) { return k < 3; }));
}

TEST_CASE("in a launch without clusters, a cluster barrier covers a single block") {
  CHECK(results(cluster_sync + "st.global.u32 [mine], 1;", {.buffers = {}, .grid = {2, 1, 1}}) == all(64, 1));
}

TEST_CASE("a cluster size fixed at compile time is used without being given at launch") {
  CHECK(results("mov.u32 %r1, %cluster_nctarank; st.global.u32 [mine], %r1;",
                {.buffers = {},
                 .directives = ".explicitcluster .reqnctapercluster 2",
                 .grid = {4, 1, 1},
                 .block = {1, 1, 1}}) == all(4, 2));
}

TEST_CASE("an address of a block beyond the cluster is out of bounds") {
  const Finding finding =
      finding_of(R"(
    .shared .u32 box; mov.u32 %r1, box; mapa.shared::cluster.u32 %r2, %r1, 5; ld.shared::cluster.u32 %r3, [%r2];)",
                 {.buffers = {}, .grid = {2, 1, 1}, .block = {1, 1, 1}, .cluster = {2, 1, 1}});
  CHECK(finding.kind == Kind::out_of_bounds);
}

TEST_CASE("a block that never arrives at a cluster barrier ends the launch by the budget") {
  const Finding finding =
      finding_of("setp.eq.u32 %p1, cta, 0; @%p1 bra on; wait: bra wait; on: " + cluster_sync,
                 {.buffers = {}, .grid = {2, 1, 1}, .cluster = {2, 1, 1}, .limits = {200'000}});
  CHECK(finding.kind == Kind::timeout);
}

}  // namespace
}  // namespace foldproof::machine_tests
