// Member masks of .sync instructions (PTX ISA 9.7.9.6, 9.7.13.4; CUDA C++ Programming Guide, __syncwarp): the
// executing lane is a member, and members that wait for each other use the same mask.
#include "sanitizer/mask_check.h"

#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

// %p1: lane 0; %p2: lane 1; %p5: the lower half of the warp.
const std::string lane_predicates =
    "setp.eq.u32 %p1, lane, 0; setp.eq.u32 %p2, lane, 1; setp.lt.u32 %p5, lane, 16; ";

std::string in_warp(const std::string& body, std::uint32_t threads = 32) {
  return verdict<MaskCheck>(lane_predicates + body, {.buffers = {}, .block = {threads, 1, 1}});
}

std::vector<Finding> found_in_warp(const std::string& body) {
  return findings_of(lane_predicates + body, {.buffers = {}}, only<MaskCheck>());
}

TEST_CASE("a lane must be a member of the mask that it uses") {
  for (const std::string warp_sync :
       {"bar.warp.sync %r1;", "shfl.sync.idx.b32 %r2, tid, 0, 31, %r1;",
        "vote.sync.ballot.b32 %r2, %p1, %r1;", "match.any.sync.b32 %r2, lane, %r1;",
        "redux.sync.add.u32 %r2, lane, %r1;", "elect.sync _|%p9, %r1;"}) {
    INFO(warp_sync);
    CHECK(in_warp("mov.u32 %r1, -1; " + warp_sync) == "none");
    CHECK(in_warp("mov.u32 %r1, 0xffff; @!%p5 bra done; " + warp_sync + " done: ") == "none");
    CHECK(in_warp("mov.u32 %r1, 0xffff; " + warp_sync) == "invalid-mask");
  }
}

TEST_CASE("a finding names the lane that its mask omits") {
  const std::vector<Finding> found = found_in_warp("\n mov.u32 %r1, 0x7fffffff;\n bar.warp.sync %r1;");
  REQUIRE(found.size() == 1);
  CHECK(found[0].message ==
        "lane 31 executes this with the member mask 0x7fffffff, which does not include the lane itself");
  CHECK(found[0].at.line == 3);
  CHECK(found[0].threads[0].thread == Dim3{31, 0, 0});
}

TEST_CASE("a mask may name exited lanes") {
  CHECK(in_warp("@!%p5 exit; bar.warp.sync -1;") == "none");
  CHECK(in_warp("@!%p5 exit; shfl.sync.bfly.b32 %r2, tid, 1, 31, -1;") == "none");
  CHECK(in_warp("bar.warp.sync -1;", 20) == "none");  // or that never existed
}

TEST_CASE("lanes that wait for each other must use the same mask") {
  // The lower half of the warp uses one mask, the upper half another.
  const auto halves = [](const std::string& lower, const std::string& upper) {
    return in_warp("mov.u32 %r1, " + upper + "; @%p5 mov.u32 %r1, " + lower + "; bar.warp.sync %r1;");
  };
  CHECK(halves("-1", "-1") == "none");
  CHECK(halves("0xffff", "0xffff0000") == "none");
  CHECK(halves("0x1ffff", "-1") == "deadlock, invalid-mask");
  CHECK(halves("-1", "0xffff0001") == "deadlock, invalid-mask");
}

// Lanes 0, 1 and 2 execute one instruction with these masks; lanes whose mask was not `last` then execute it
// again with `last`.
std::string warp_syncs(unsigned lane_0, unsigned lane_1, unsigned lane_2, unsigned last) {
  return in_warp(
      fmt::format("setp.gt.u32 %p3, lane, 2; @%p3 exit; mov.u32 %r1, {}; @%p1 mov.u32 %r1, {}; "
                  "@%p2 mov.u32 %r1, {};\n turn: bar.warp.sync %r1; setp.ne.u32 %p4, %r1, {}; "
                  "mov.u32 %r1, {}; @%p4 bra turn;",
                  lane_2, lane_0, lane_1, last, last));
}

TEST_CASE("a lane may synchronize with others before a lane that waits for it") {
  CHECK(warp_syncs(7, 7, 7, 7) == "none");
  CHECK(warp_syncs(7, 6, 6, 7) == "none");  // lane 0 waits while 1 and 2 synchronize
  CHECK(warp_syncs(3, 3, 7, 7) == "none");  // lane 2 waits while 0 and 1 synchronize
  CHECK(warp_syncs(7, 2, 4, 7) == "none");  // lanes that name only themselves do not wait
  CHECK(warp_syncs(1, 2, 7, 7) == "none");
  // Lanes 0 and 1 wait for each other with different masks.
  CHECK(warp_syncs(3, 7, 7, 7) == "deadlock, invalid-mask");
  CHECK(warp_syncs(7, 3, 7, 7) == "deadlock, invalid-mask");
  // Each lane waits for the next one, but no two for each other.
  CHECK(warp_syncs(3, 6, 5, 7) == "deadlock");
}

TEST_CASE("a finding names two lanes that wait for each other, and their masks") {
  const std::vector<Finding> found =
      found_in_warp("\n mov.u32 %r1, -1; @%p5 mov.u32 %r1, 0x1ffff;\n bar.warp.sync %r1;");
  REQUIRE(kinds(found) == "deadlock, invalid-mask");
  const Finding& invalid = found[found[0].kind == Kind::invalid_mask ? 0 : 1];
  CHECK(invalid.message ==
        "lane 16 arrives with the member mask 0xffffffff while lane 0 waits with 0x0001ffff; each mask names "
        "the other lane");
  CHECK(invalid.at.line == 3);
  CHECK(invalid.threads[0].thread == Dim3{16, 0, 0});
}

TEST_CASE("tiles of a warp synchronize independently") {
  // Tiles of 1, 2, 4 … lanes: a mask of the tile's size, shifted to its first lane.
  for (unsigned size = 1; size <= 16; size *= 2) {
    INFO(size);
    CHECK(in_warp(fmt::format("and.b32 %r1, lane, {}; mov.u32 %r2, {}; shl.b32 %r2, %r2, %r1; "
                              "shfl.sync.bfly.b32 %r3, tid, 1, 31, %r2;",
                              32 - size, (1U << size) - 1)) == "none");
  }
}

TEST_CASE("an invalid mask in every warp is reported once") {
  const std::string body = lane_predicates + "bar.warp.sync 0xffff;";
  CHECK(findings_of(body, {.buffers = {}, .block = {256, 1, 1}}, only<MaskCheck>()).size() == 1);
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
