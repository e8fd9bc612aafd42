// Distributed shared memory exists from its block's start to its end, and every access must be ordered
// between them (CUDA C++ Programming Guide, distributed shared memory).
#include "sanitizer/race/dsmem_lifetime_check.h"

#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

// %r1: the shared array; %r2: this thread's word; %r3: the same word in the other block, as shared::cluster;
// %p1: the block with rank 0; %p5: the lower half of the warp.
const std::string lifetime_boxes = R"(
  .shared .u32 box[64];
  mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; mov.u32 %r9, %cluster_ctarank; setp.eq.u32 %p1, %r9, 0;
  xor.b32 %r9, %r9, 1; mapa.shared::cluster.u32 %r3, %r2, %r9; setp.lt.u32 %p5, lane, 16;
  )";
const std::string use_box = "st.shared::cluster.u32 [%r3], tid; ";
// One thread sets a flag in global memory; all others wait for it.
const std::string raise_done = "setp.eq.u32 %p2, tid, 0; @%p2 st.release.cluster.global.u32 [buffer0], 1; ";
const std::string see_done =
    "spin: ld.acquire.cluster.global.u32 %r5, [buffer0]; setp.eq.u32 %p3, %r5, 0; "
    "@%p3 bra spin; ";

std::string in_two_clusters(const std::string& body) {
  return verdict<DsmemLifetimeCheck>(lifetime_boxes + body,
                                     {.buffers = {}, .grid = {4, 1, 1}, .cluster = {2, 1, 1}});
}

/// One cluster of two blocks; ranks 0 and 1 run different code.
Setting one_cluster() { return {.buffers = {zeros(4)}, .grid = {2, 1, 1}, .cluster = {2, 1, 1}}; }
std::string two_ways(const std::string& rank_0, const std::string& rank_1) {
  return lifetime_boxes + "@!%p1 bra user; " + rank_0 + "exit;\n user: " + rank_1;
}
std::string in_cluster(const std::string& rank_0, const std::string& rank_1) {
  return verdict<DsmemLifetimeCheck>(two_ways(rank_0, rank_1), one_cluster());
}

TEST_CASE("accesses to a peer's memory must be between two cluster barriers") {
  for (const std::string one : {"ld.shared::cluster.u32 %r5, [%r3]; ", "st.shared::cluster.u32 [%r3], 7; ",
                                "atom.cluster.shared::cluster.add.u32 %r5, [%r3], 1; ",
                                "red.cluster.shared::cluster.add.u32 [%r3], 1; "}) {
    INFO(one);
    CHECK(in_two_clusters(cluster_sync + one + cluster_sync) == "none");
    CHECK(in_two_clusters(one + cluster_sync) == "dsmem-lifetime");  // the peer may not have started
    CHECK(in_two_clusters(cluster_sync + one) == "dsmem-lifetime");  // the peer may already have exited
    CHECK(in_two_clusters(one) == "dsmem-lifetime");
  }
}

TEST_CASE("a relaxed arrival proves that a peer has started; proving that it is done needs a fence") {
  const std::string relaxed = "barrier.cluster.arrive.relaxed; barrier.cluster.wait; ";
  CHECK(in_two_clusters(relaxed + use_box + cluster_sync) == "none");
  CHECK(in_two_clusters(relaxed + use_box + "fence.acq_rel.cluster; " + relaxed) == "none");
  CHECK(in_two_clusters(relaxed + use_box + relaxed) == "dsmem-lifetime");
}

TEST_CASE("a block's own memory needs no barrier, even if it is addressed by rank") {
  CHECK(in_two_clusters("mov.u32 %r9, %cluster_ctarank; mapa.shared::cluster.u32 %r3, %r2, %r9; " +
                        use_box) == "none");
}

TEST_CASE("a block barrier does not order accesses with peers") {
  CHECK(in_two_clusters("bar.sync 0; " + use_box + cluster_sync) == "dsmem-lifetime");
  CHECK(in_two_clusters(cluster_sync + use_box + "bar.sync 0; ") == "dsmem-lifetime");
}

TEST_CASE("the peer itself must have arrived at the barrier") {
  CHECK(in_two_clusters("barrier.cluster.arrive; " + use_box + "barrier.cluster.wait; " + cluster_sync) ==
        "dsmem-lifetime");
  CHECK(in_two_clusters(cluster_sync + "barrier.cluster.arrive; " + use_box + "barrier.cluster.wait; ") ==
        "dsmem-lifetime");
}

TEST_CASE("at the end only the owner has to wait") {
  CHECK(in_cluster(cluster_sync + cluster_sync, cluster_sync + use_box + "barrier.cluster.arrive; ") ==
        "none");
  CHECK(in_cluster(cluster_sync + "barrier.cluster.arrive; ", cluster_sync + use_box + cluster_sync) ==
        "dsmem-lifetime");
}

TEST_CASE("a flag is as good as a barrier") {
  CHECK(in_cluster(raise_done + cluster_sync, see_done + use_box + cluster_sync) == "none");
  CHECK(in_cluster(cluster_sync + see_done, cluster_sync + use_box + "bar.warp.sync -1; " + raise_done) ==
        "none");
  // The flag is set by one lane, which is not ordered after the other lanes' accesses.
  CHECK(in_cluster(cluster_sync + see_done, cluster_sync + use_box + raise_done) == "dsmem-lifetime");
  CHECK(in_cluster(cluster_sync + see_done, cluster_sync + raise_done + use_box) == "dsmem-lifetime");
}

TEST_CASE("one waiting thread of the owner suffices: a block exists until its last thread exits") {
  CHECK(in_cluster(cluster_sync + "setp.ne.u32 %p4, tid, 31; @%p4 exit; " + see_done,
                   cluster_sync + use_box + "bar.warp.sync -1; " + raise_done) == "none");
}

TEST_CASE("earlier accesses of a lane are not replaced by later ones of its warp") {
  // Two iterations of the lower half of the warp; the upper half exits in the first.
  const auto turns = [](const std::string& before_the_end) {
    return in_cluster(cluster_sync + see_done, cluster_sync + "mov.u32 %r4, 0; turn: " + use_box +
                                                   before_the_end +
                                                   "@!%p5 exit; bar.warp.sync 0xffff; add.u32 %r4, %r4, 1; "
                                                   "setp.lt.u32 %p6, %r4, 2; @%p6 bra turn; " +
                                                   raise_done);
  };
  CHECK(turns("bar.warp.sync -1; ") == "none");
  CHECK(turns("") == "dsmem-lifetime");
}

TEST_CASE("a finding names the accessing thread, its position and the missing order") {
  const auto message = [](const std::string& rank_0, const std::string& rank_1) {
    const std::vector<Finding> found =
        findings_of(two_ways(rank_0, rank_1), one_cluster(), only<DsmemLifetimeCheck>());
    REQUIRE(found.size() == 1);
    CHECK(found[0].at.line == 6);
    CHECK(found[0].threads[0] == ThreadId{{1, 0, 0}, {0, 0, 0}});
    return found[0].message;
  };
  const std::string who = "thread 0 of block 1 accesses the shared memory of another block";
  CHECK(message(cluster_sync, use_box + cluster_sync) == who + ", which may not have started yet");
  CHECK(message(cluster_sync + cluster_sync, cluster_sync + use_box) == who + ", which may exit first");
  // Relaxed, so that it orders nothing: the owner's last operation.
  const std::string last = "setp.eq.u32 %p2, tid, 0; @%p2 st.relaxed.cluster.global.u32 [buffer0], 1; ";
  const std::string wait =
      "spin: ld.relaxed.cluster.global.u32 %r5, [buffer0]; setp.eq.u32 %p3, %r5, 0; "
      "@%p3 bra spin; ";
  CHECK(message(cluster_sync + last, cluster_sync + wait + use_box) == who + ", which has already exited");
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
