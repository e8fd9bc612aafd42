// Distributed shared memory lives from its block's start to its end, and whoever uses it must know that it
// does (CUDA C++ Programming Guide, distributed shared memory).
#include "sanitizer/race/dsmem_lifetime_check.h"

#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

// %r1: the box; %r2: this thread's word; %r3: the same in the other block, as shared::cluster; %p1: the block
// of rank 0; %p5: the lower half of the warp.
const std::string boxes = R"(
  .shared .u32 box[64];
  mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; mov.u32 %r9, %cluster_ctarank; setp.eq.u32 %p1, %r9, 0;
  xor.b32 %r9, %r9, 1; mapa.shared::cluster.u32 %r3, %r2, %r9; setp.lt.u32 %p5, lane, 16;
  )";
const std::string meet = "barrier.cluster.arrive; barrier.cluster.wait; ";
const std::string use = "st.shared::cluster.u32 [%r3], tid; ";
// One thread raises a flag in global memory; all wait until they see it.
const std::string raise = "setp.eq.u32 %p2, tid, 0; @%p2 st.release.cluster.global.u32 [buffer0], 1; ";
const std::string see =
    "spin: ld.acquire.cluster.global.u32 %r5, [buffer0]; setp.eq.u32 %p3, %r5, 0; "
    "@%p3 bra spin; ";

std::string in_clusters(const std::string& body) {
  return verdict<DsmemLifetimeCheck>(boxes + body, {.buffers = {}, .grid = {4, 1, 1}, .cluster = {2, 1, 1}});
}

/// In one cluster, of two blocks; rank 0 and rank 1 go ways of their own.
Setting one_cluster() { return {.buffers = {zeros(4)}, .grid = {2, 1, 1}, .cluster = {2, 1, 1}}; }
std::string two_ways(const std::string& rank_0, const std::string& rank_1) {
  return boxes + "@!%p1 bra user; " + rank_0 + "exit;\n user: " + rank_1;
}
std::string in_cluster(const std::string& rank_0, const std::string& rank_1) {
  return verdict<DsmemLifetimeCheck>(two_ways(rank_0, rank_1), one_cluster());
}

TEST_CASE("a peer's memory is used between two barriers of the cluster") {
  for (const std::string one : {"ld.shared::cluster.u32 %r5, [%r3]; ", "st.shared::cluster.u32 [%r3], 7; ",
                                "atom.cluster.shared::cluster.add.u32 %r5, [%r3], 1; ",
                                "red.cluster.shared::cluster.add.u32 [%r3], 1; "}) {
    INFO(one);
    CHECK(in_clusters(meet + one + meet) == "none");
    CHECK(in_clusters(one + meet) == "dsmem-lifetime");  // before the peer is known to have started
    CHECK(in_clusters(meet + one) == "dsmem-lifetime");  // nothing keeps the peer from ending
    CHECK(in_clusters(one) == "dsmem-lifetime");
  }
}

TEST_CASE("a relaxed arrival tells that a peer has begun, and with a fence that it is done with the memory") {
  const std::string relaxed = "barrier.cluster.arrive.relaxed; barrier.cluster.wait; ";
  CHECK(in_clusters(relaxed + use + meet) == "none");
  CHECK(in_clusters(relaxed + use + "fence.acq_rel.cluster; " + relaxed) == "none");
  CHECK(in_clusters(relaxed + use + relaxed) == "dsmem-lifetime");
}

TEST_CASE("a block's own memory needs no barrier, not even by way of its rank") {
  CHECK(in_clusters("mov.u32 %r9, %cluster_ctarank; mapa.shared::cluster.u32 %r3, %r2, %r9; " + use) ==
        "none");
}

TEST_CASE("the barrier of a block says nothing about its peers") {
  CHECK(in_clusters("bar.sync 0; " + use + meet) == "dsmem-lifetime");
  CHECK(in_clusters(meet + use + "bar.sync 0; ") == "dsmem-lifetime");
}

TEST_CASE("a peer must have come to the barrier, not only the user") {
  CHECK(in_clusters("barrier.cluster.arrive; " + use + "barrier.cluster.wait; " + meet) == "dsmem-lifetime");
  CHECK(in_clusters(meet + "barrier.cluster.arrive; " + use + "barrier.cluster.wait; ") == "dsmem-lifetime");
}

TEST_CASE("only the owner waits at the end") {
  CHECK(in_cluster(meet + meet, meet + use + "barrier.cluster.arrive; ") == "none");
  CHECK(in_cluster(meet + "barrier.cluster.arrive; ", meet + use + meet) == "dsmem-lifetime");
}

TEST_CASE("a flag does as well as a barrier") {
  CHECK(in_cluster(raise + meet, see + use + meet) == "none");
  CHECK(in_cluster(meet + see, meet + use + "bar.warp.sync -1; " + raise) == "none");
  // The flag is raised by one lane, that knows nothing of what the others did.
  CHECK(in_cluster(meet + see, meet + use + raise) == "dsmem-lifetime");
  CHECK(in_cluster(meet + see, meet + raise + use) == "dsmem-lifetime");
}

TEST_CASE("one thread of the owner that knows is enough: the block lives until its last thread ends") {
  CHECK(in_cluster(meet + "setp.ne.u32 %p4, tid, 31; @%p4 exit; " + see,
                   meet + use + "bar.warp.sync -1; " + raise) == "none");
}

TEST_CASE("what a lane used is kept when others of its warp use the same again, later") {
  // Two turns of the lower half of the warp; the upper half ends in the first.
  const auto turns = [](const std::string& before_the_end) {
    return in_cluster(meet + see, meet + "mov.u32 %r4, 0; turn: " + use + before_the_end +
                                      "@!%p5 exit; bar.warp.sync 0xffff; add.u32 %r4, %r4, 1; "
                                      "setp.lt.u32 %p6, %r4, 2; @%p6 bra turn; " +
                                      raise);
  };
  CHECK(turns("bar.warp.sync -1; ") == "none");
  CHECK(turns("") == "dsmem-lifetime");
}

TEST_CASE("a finding says who used the memory, where, and what was missing") {
  const auto message = [](const std::string& rank_0, const std::string& rank_1) {
    const std::vector<Finding> found =
        findings_of(two_ways(rank_0, rank_1), one_cluster(), only<DsmemLifetimeCheck>());
    REQUIRE(found.size() == 1);
    CHECK(found[0].at.line == 6);
    CHECK(found[0].threads[0] == ThreadId{{1, 0, 0}, {0, 0, 0}});
    return found[0].message;
  };
  const std::string who = "thread (0, 0, 0) of block (1, 0, 0) uses the shared memory of another block";
  CHECK(message(meet, use + meet) == who + " that may not have started");
  CHECK(message(meet + meet, meet + use) == who + " that may exit before the access");
  // Relaxed, so that nothing is known of it: the last that the owner does.
  const std::string last = "setp.eq.u32 %p2, tid, 0; @%p2 st.relaxed.cluster.global.u32 [buffer0], 1; ";
  const std::string wait =
      "spin: ld.relaxed.cluster.global.u32 %r5, [buffer0]; setp.eq.u32 %p3, %r5, 0; "
      "@%p3 bra spin; ";
  CHECK(message(meet + last, meet + wait + use) == who + " that has ended");
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
