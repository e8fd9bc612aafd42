// Distributed shared memory: only a cluster barrier or a flag orders accesses by different blocks.
#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

// %r1: the shared array; %r2: this thread's word; %r3: the same word in the other block, as shared::cluster;
// %rd3: as a generic address.
const std::string cluster_boxes = R"(
  .shared .u32 box[64];
  mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; mov.u32 %r9, %cluster_ctarank; xor.b32 %r9, %r9, 1;
  mapa.shared::cluster.u32 %r3, %r2, %r9; cvt.u64.u32 %rd2, %r2; cvta.shared.u64 %rd2, %rd2;
  mapa.u64 %rd3, %rd2, %r9;
  )";

std::string in_clusters(const std::string& body) {
  return verdict(cluster_boxes + body + cluster_sync,
                 {.buffers = {zeros(4)}, .grid = {4, 1, 1}, .cluster = {2, 1, 1}});
}

TEST_CASE("reading another block's shared memory needs a preceding cluster barrier") {
  for (const char* load : {"ld.shared::cluster.u32 %r5, [%r3]; ", "ld.u32 %r5, [%rd3]; "}) {
    INFO(load);
    const std::string write = "st.shared.u32 [%r2], tid; ";
    CHECK(in_clusters(write + cluster_sync + load) == "none");
    CHECK(in_clusters(write + load) == "cluster-race");
    CHECK(in_clusters(write + "bar.sync 0; " + load) == "cluster-race");
    CHECK(in_clusters(write + cluster_sync + load + write) == "cluster-race (warning)");
    CHECK(in_clusters(write + cluster_sync + load + cluster_sync + write) == "none");
  }
}

TEST_CASE("writing another block's shared memory needs a cluster barrier as well") {
  for (const char* store : {"st.shared::cluster.u32 [%r3], 7; ", "st.u32 [%rd3], 7; "}) {
    INFO(store);
    const std::string load = "ld.shared.u32 %r5, [%r2]; ";
    CHECK(in_clusters(store + cluster_sync + load) == "none");
    CHECK(in_clusters(store + load) == "cluster-race");
  }
}

TEST_CASE("a cluster arrival releases unless it is relaxed, and the wait acquires") {
  const std::string write = "st.shared.u32 [%r2], tid; ", read = "ld.shared::cluster.u32 %r5, [%r3]; ";
  CHECK(in_clusters(write + "barrier.cluster.arrive.release; barrier.cluster.wait.acquire; " + read) ==
        "none");
  const std::string relaxed = "barrier.cluster.arrive.relaxed; barrier.cluster.wait; ";
  CHECK(in_clusters(write + relaxed + read) == "cluster-race");
  CHECK(in_clusters(write + "fence.acq_rel.cluster; " + relaxed + read) == "none");
  CHECK(in_clusters(write + "fence.acq_rel.cta; " + relaxed + read) == "cluster-race");
  CHECK(in_clusters("fence.acq_rel.cluster; " + write + relaxed + read) == "cluster-race");
}

TEST_CASE("accesses between arrive and wait are not ordered") {
  const std::string write = "st.shared.u32 [%r2], tid; ", read = "ld.shared::cluster.u32 %r5, [%r3]; ";
  CHECK(in_clusters("barrier.cluster.arrive; " + write + "barrier.cluster.wait; " + read) == "cluster-race");
  CHECK(in_clusters(write + "barrier.cluster.arrive; " + read + "barrier.cluster.wait; ") == "cluster-race");
}

TEST_CASE("a cluster barrier orders nothing in other clusters") {
  CHECK(verdict(cluster_boxes +
                    "setp.eq.u32 %p1, cta, 0; setp.eq.u32 %p2, cta, 2; @%p1 st.global.u32 [buffer0], 5; " +
                    cluster_sync + "@%p2 ld.global.u32 %r5, [buffer0]; " + cluster_sync,
                {.buffers = {zeros(4)}, .grid = {4, 1, 1}, .block = {1, 1, 1}, .cluster = {2, 1, 1}}) ==
        "global-race");
  CHECK(verdict(cluster_boxes +
                    "setp.eq.u32 %p1, cta, 0; setp.eq.u32 %p2, cta, 1; @%p1 st.global.u32 [buffer0], 5; " +
                    cluster_sync + "@%p2 ld.global.u32 %r5, [buffer0]; " + cluster_sync,
                {.buffers = {zeros(4)}, .grid = {4, 1, 1}, .block = {1, 1, 1}, .cluster = {2, 1, 1}}) ==
        "none");
}

TEST_CASE("cluster-scope atomics are atomic to each other only within the cluster") {
  CHECK(in_clusters(
            "setp.eq.u32 %p1, tid, 0; @%p1 st.shared.u32 [%r1], 0; " + cluster_sync +
            "atom.shared::cluster.add.u32 %r5, [%r3], 1; atom.cluster.shared::cluster.add.u32 %r5, [%r3], 1; "
            "atom.cluster.shared.add.u32 %r5, [%r2], 1; ") == "none");
  CHECK(in_clusters(cluster_sync +
                    "atom.cluster.shared::cluster.add.u32 %r5, [%r3], 1; atom.cta.shared.add.u32 %r5, [%r2], "
                    "1; ") == "cluster-race");
  CHECK(in_clusters("red.cluster.global.add.u32 [buffer0], 1; ") == "global-race");
}

TEST_CASE("a flag in another block's shared memory orders accesses, too") {
  // Rank 0 writes to rank 1's shared array, then sets a flag there.
  const auto push = [](const std::string& raise, const std::string& see) {
    return in_clusters("st.shared.u32 [%r2], 0; " + cluster_sync +
                       "setp.ne.u32 %p1, tid, 0; @%p1 bra done; "
                       "setp.eq.u32 %p2, %r9, 0; @%p2 bra take; st.shared::cluster.u32 [%r3+4], 5; " +
                       raise + " bra done;\n take: " + see +
                       " setp.eq.u32 %p3, %r5, 0; @%p3 bra take; "
                       "ld.shared.u32 %r6, [%r1+4];\n done: ");
  };
  CHECK(push("st.release.cluster.shared::cluster.u32 [%r3], 1;",
             "ld.acquire.cluster.shared.u32 %r5, [%r1];") == "none");
  CHECK(push("st.relaxed.cluster.shared::cluster.u32 [%r3], 1;",
             "ld.acquire.cluster.shared.u32 %r5, [%r1];") == "cluster-race");
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
