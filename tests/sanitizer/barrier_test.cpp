// Which accesses are ordered by barriers of a block and of a warp, and which are not.
#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

// %r1: the shared array; %r2: the address of this thread's word; %p1 … %p4: warp 0, 1, 2, 3.
const std::string barrier_boxes = R"(
  .shared .align 16 .u32 box[128];
  mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; shr.u32 %r63, tid, 5; setp.eq.u32 %p1, %r63, 0;
  setp.eq.u32 %p2, %r63, 1; setp.eq.u32 %p3, %r63, 2; setp.eq.u32 %p4, %r63, 3;
  )";

std::string barrier_block(std::uint32_t threads, const std::string& body) {
  return verdict(barrier_boxes + body, {.buffers = {}, .block = {threads, 1, 1}});
}

const std::string store_tid = "st.shared.u32 [%r2], tid; ";
// %r5: the address of the same lane's word in another warp.
std::string load_from(unsigned warp) {
  return fmt::format("mad.lo.u32 %r5, lane, 4, %r1; ld.shared.u32 %r6, [%r5+{}]; ", warp * 128);
}

TEST_CASE("each of the sixteen barriers orders accesses") {
  for (unsigned id = 0; id < 16; ++id) {
    INFO(id);
    CHECK(barrier_block(64, store_tid + fmt::format("barrier.sync {}; ", id) + load_from(1)) == "none");
  }
  CHECK(barrier_block(64, store_tid + "bar.red.popc.u32 %r9, 3, 1; " + load_from(1)) == "none");
}

TEST_CASE("a counted barrier orders only the threads that take part") {
  const std::string arrive = "@%p1 bra meet; @!%p2 bra skip;\n meet: bar.sync 1, 64;\n skip: ";
  CHECK(barrier_block(96, store_tid + arrive + "@%p1 bra load; exit;\n load: " + load_from(1)) == "none");
  CHECK(barrier_block(96, store_tid + arrive + "@%p1 bra load; exit;\n load: " + load_from(2)) ==
        "shared-race");
}

TEST_CASE("an exited warp is not ordered before a counted barrier of other warps") {
  const std::string body = "@%p3 st.shared.u32 [%r2], tid; @%p3 exit; bar.sync 1, 64; ";
  CHECK(barrier_block(96, body + load_from(2)) == "shared-race");
  CHECK(barrier_block(96, "@%p3 st.shared.u32 [%r2], tid; @%p3 exit; bar.sync 1; " + load_from(2)) == "none");
}

TEST_CASE("threads that exited before a barrier have arrived there with their warp") {
  const std::string half = store_tid + "setp.ge.u32 %p5, lane, 16; @%p5 exit; ";
  const std::string upper =
      "mad.lo.u32 %r5, lane, 4, %r1; ld.shared.u32 %r6, [%r5+192];";  // of warp 1, from lane 16
  CHECK(barrier_block(64, half + "bar.sync 0; " + upper) == "none");
  CHECK(barrier_block(64, half + "bar.sync 1, 64; " + upper) == "none");
  CHECK(barrier_block(64, half + upper) == "shared-race");
}

TEST_CASE("a consumer's wait is ordered after a producer's arrival") {
  const auto pipe = [](const std::string& before, const std::string& after, const std::string& load) {
    return barrier_block(64, "@%p1 bra consume; " + before + "bar.arrive 1, 64; " + after +
                                 "exit;\n consume: bar.sync 1, 64; " + load);
  };
  CHECK(pipe(store_tid, "", load_from(1)) == "none");
  CHECK(pipe("", store_tid, load_from(1)) == "shared-race");
  // Arriving orders nothing for a thread that does not wait.
  CHECK(barrier_block(64, "@%p1 bra consume; bar.arrive 1, 64; " + load_from(0) +
                              "exit;\n consume: " + store_tid + "bar.sync 1, 64;") == "shared-race");
}

TEST_CASE("two barriers order a buffer that is filled and emptied in turns") {
  const auto ring = [](const std::string& wait_until_empty) {
    return barrier_block(
        64,
        "mov.u32 %r20, 0; @%p1 bra consume;\n"
        " fill: " +
            wait_until_empty +
            " st.shared.u32 [%r2], %r20; bar.arrive 1, 64; "
            "add.u32 %r20, %r20, 1; setp.lt.u32 %p6, %r20, 4; @%p6 bra fill; exit;\n"
            " consume: bar.arrive 2, 64;\n"
            " next: bar.sync 1, 64; " +
            load_from(1) +
            "add.u32 %r20, %r20, 1; setp.lt.u32 %p6, %r20, 4; @!%p6 exit; bar.arrive 2, 64; bra next;");
  };
  CHECK(ring("bar.sync 2, 64;") == "none");
}

TEST_CASE("a fence after an arrival releases nothing through that barrier") {
  // Warp 1 arrives, then writes, fences and exits. Warp 0 waits and sets a flag that block 1 observes.
  const std::string body = barrier_boxes + R"(
    setp.ne.u32 %p7, cta, 0; @%p7 bra other; @%p1 bra wait;
    bar.arrive 1, 64; setp.eq.u32 %p5, lane, 0; @%p5 st.global.u32 [buffer0+64], 5; membar.gl;
    st.volatile.shared.u32 [%r1], 1; exit;
    wait:
    again: ld.volatile.shared.u32 %r9, [%r1]; setp.ne.u32 %p6, %r9, 1; @%p6 bra again;
    bar.sync 1, 64; setp.eq.u32 %p5, lane, 0; @%p5 st.volatile.global.u32 [buffer0], 1; exit;
    other:
    setp.ne.u32 %p5, tid, 0; @%p5 exit;
    spin: ld.volatile.global.u32 %r9, [buffer0]; setp.eq.u32 %p6, %r9, 0; @%p6 bra spin; membar.gl;
    ld.global.u32 %r10, [buffer0+64];)";
  CHECK(contains(verdict(body, {.buffers = {zeros(128)}, .grid = {2, 1, 1}, .block = {64, 1, 1}}),
                 "global-race"));
}

TEST_CASE("bar.warp.sync orders the lanes of its mask") {
  const std::string lower =
      "setp.lt.u32 %p5, lane, 16; @%p5 bra meet; bra skip;\n meet: bar.warp.sync 0xffff;\n skip: ";
  const std::string neighbour = "xor.b32 %r7, tid, 1; mad.lo.u32 %r7, %r7, 4, %r1; ";
  CHECK(barrier_block(32, store_tid + lower + neighbour + "@%p5 ld.shared.u32 %r6, [%r7];") == "none");
  CHECK(barrier_block(32, store_tid + lower + neighbour + "@!%p5 ld.shared.u32 %r6, [%r7];") ==
        "shared-race");
  const std::string across = "xor.b32 %r7, tid, 16; mad.lo.u32 %r7, %r7, 4, %r1; ";
  CHECK(barrier_block(32, store_tid + lower + across + "@%p5 ld.shared.u32 %r6, [%r7];") == "shared-race");
}

TEST_CASE("order is transitive through overlapping masks") {
  // Lanes 0 and 1 synchronize, then lanes 1 and 2: lane 0's write is ordered before lane 2's read.
  const auto chain = [](const std::string& first, const std::string& second) {
    return barrier_block(
        32,
        "setp.eq.u32 %p5, lane, 0; setp.eq.u32 %p6, lane, 1; setp.eq.u32 %p7, lane, 2; "
        "setp.le.u32 %p8, lane, 1; setp.gt.u32 %p9, lane, 0; setp.lt.and.u32 %p9, lane, 3, %p9; "
        "@%p5 st.shared.u32 [%r1], 1; " +
            first + second + "@%p7 ld.shared.u32 %r6, [%r1];");
  };
  const std::string first = "@%p8 bar.warp.sync 3; ", second = "@%p9 bar.warp.sync 6; ";
  CHECK(chain(first, second) == "none");
  CHECK(chain(second, first) == "shared-race");
  CHECK(chain(second, "") == "shared-race");
}

TEST_CASE("an exited lane is ordered only by masks that name it") {
  const std::string gone = "setp.eq.u32 %p5, lane, 31; @%p5 st.shared.u32 [%r1], 1; @%p5 exit; ";
  const std::string read = "setp.eq.u32 %p6, lane, 0; @%p6 ld.shared.u32 %r6, [%r1];";
  CHECK(barrier_block(32, gone + "bar.warp.sync -1; " + read) == "none");
  CHECK(barrier_block(32, gone + "bar.warp.sync 0x7fffffff; " + read) == "shared-race");
}

TEST_CASE("shuffles, votes and other warp-synchronous operations order nothing") {
  const std::string neighbour = "xor.b32 %r7, tid, 1; mad.lo.u32 %r7, %r7, 4, %r1; ld.shared.u32 %r6, [%r7];";
  for (const char* operation :
       {"shfl.sync.idx.b32 %r8, tid, 0, 31, -1;", "shfl.sync.bfly.b32 %r8, tid, 1, 31, -1;",
        "vote.sync.ballot.b32 %r8, %p1, -1;", "vote.sync.any.pred %p9, %p1, -1;",
        "match.any.sync.b32 %r8, tid, -1;", "redux.sync.add.u32 %r8, tid, -1;", "activemask.b32 %r8;",
        "elect.sync %r8|%p9, -1;", "membar.gl;"}) {
    INFO(operation);
    CHECK(barrier_block(32, store_tid + operation + " " + neighbour) == "shared-race");
  }
}

TEST_CASE("a warp barrier orders nothing between warps") {
  CHECK(barrier_block(64, store_tid + "bar.warp.sync -1; " +
                              "xor.b32 %r7, tid, 32; mad.lo.u32 %r7, %r7, 4, %r1; "
                              "ld.shared.u32 %r6, [%r7];") == "shared-race");
}

TEST_CASE("order from one barrier is propagated through the next") {
  CHECK(barrier_block(96,
                      "@%p3 st.shared.u32 [%r2], 1; @%p1 bra skip; bar.sync 1, 64;\n skip: @%p3 bra done; "
                      "bar.sync 2, 64; " +
                          load_from(2) + "done: bar.sync 0;") == "none");
}

namespace {

/// In a block of 64 threads with an mbarrier at %r10, each thread reads what its partner in the other warp
/// stored.
std::string with_mbarrier(const std::string& before_read) {
  return barrier_block(64,
                       ".shared .align 8 .b64 gate; mov.u32 %r10, gate; setp.eq.u32 %p5, tid, 0; "
                       "@%p5 mbarrier.init.shared.b64 [%r10], 64; bar.sync 0; " +
                           before_read +
                           " xor.b32 %r7, tid, 32; mad.lo.u32 %r7, %r7, 4, %r1; ld.shared.u32 %r6, [%r7];");
}

const std::string arrive = "mbarrier.arrive.shared.b64 %rd1, [%r10];\n";

/// With a label of that name.
std::string wait(const std::string& name) {
  return name + ": mbarrier.try_wait.shared.b64 %p6, [%r10], %rd1; @!%p6 bra " + name + ";\n";
}

}  // namespace

TEST_CASE("an mbarrier orders arrivals before waits for the completed phase") {
  CHECK(with_mbarrier(store_tid + arrive + wait("w0")) == "none");
  CHECK(with_mbarrier(store_tid + arrive) == "shared-race");
}

TEST_CASE("a wait for a phase of an mbarrier is not ordered after arrivals for the next one") {
  CHECK(with_mbarrier(arrive + wait("w0") + store_tid + arrive) == "shared-race");
  CHECK(with_mbarrier(arrive + wait("w0") + store_tid + arrive + wait("w1")) == "none");
  CHECK(with_mbarrier(store_tid + arrive + wait("w0") + arrive + wait("w1")) == "none");
  const std::string relaxed_wait =
      "w0: mbarrier.try_wait.relaxed.cta.shared.b64 %p6, [%r10], %rd1; @!%p6 bra w0;\n";
  CHECK(with_mbarrier(store_tid + arrive + relaxed_wait) == "shared-race");
  CHECK(with_mbarrier(store_tid + arrive + relaxed_wait + "fence.acq_rel.cta;\n") == "none");
  CHECK(with_mbarrier(arrive + relaxed_wait + "fence.acq_rel.cta;\n" + store_tid + arrive) == "shared-race");
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
