// The work of the checks, counted in comparisons and visited nodes of vector clocks, grows about linearly
// with a launch.
#include "sanitizer/work.h"

#include "sanitizer/fixture.h"
#include "sanitizer/race/fence_check.h"
#include "sanitizer/race/vector_clock.h"

namespace foldproof::sanitizer_tests {
namespace {

/// The work for a launch of twice as many blocks or rounds, relative to that of one.
template <class Check>
double growth(const std::string& body, const Setting& once, const Setting& twice) {
  const auto steps = [&](const Setting& setting) {
    const std::uint64_t before = steps_of_checks;
    findings_of(body, setting, only<Check>());
    return static_cast<double>(steps_of_checks - before);
  };
  const double one = steps(once);
  return steps(twice) / one;
}

template <class Check>
double growth_with_blocks(const std::string& body) {
  return growth<Check>(body, {.buffers = {zeros(4), zeros(4)}, .grid = {512, 1, 1}, .block = {32, 1, 1}},
                       {.buffers = {zeros(4), zeros(4)}, .grid = {1024, 1, 1}, .block = {32, 1, 1}});
}

constexpr double linear = 2.4;  // 2, and some of n log n

TEST_CASE("volatile increments of one location by many blocks are checked in linear time") {
  const std::string increment =
      "ld.volatile.global.u32 %r1, [buffer0]; add.u32 %r1, %r1, 1; st.volatile.global.u32 [buffer0], %r1;";
  CHECK(growth_with_blocks<RaceCheck>(increment) < linear);
  CHECK(growth_with_blocks<FenceCheck>(increment) < linear);
}

TEST_CASE("a flag that many blocks poll is checked in linear time") {
  CHECK(growth_with_blocks<RaceCheck>(
            "setp.ne.u32 %p2, cta, 0; @%p2 bra spin; st.global.u32 [buffer1], 5; "
            "st.release.gpu.global.u32 [buffer0], 1;\n"
            "spin: ld.acquire.gpu.global.u32 %r1, [buffer0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra spin; "
            "ld.global.u32 %r2, [buffer1];") < linear);
}

TEST_CASE("a hint that many blocks read and few write is checked in linear time") {
  CHECK(
      growth_with_blocks<FenceCheck>(
          "ld.volatile.global.u32 %r1, [buffer0]; and.b32 %r2, cta, 15; setp.ne.u32 %p1, %r2, 0; @%p1 exit; "
          "st.volatile.global.u32 [buffer0], 5;") < linear);
}

TEST_CASE("joining what all blocks of a grid barrier know takes n log n time") {
  // Every block knows the past of all, and its own present; its fence released an older past.
  const auto steps = [](BlockNumber number_of_blocks) {
    VectorClock fenced, past;
    for (BlockNumber block = 0; block < number_of_blocks; ++block) {
      fenced.join({{block, 0}, 1, {}});
      past.join({{block, 0}, 2, {}});
    }
    const std::uint64_t before = steps_of_checks;
    VectorClock message;
    for (BlockNumber block = 0; block < number_of_blocks; ++block) {
      VectorClock known = past;
      known.join({{block, 0}, 3, {}});
      message.join(fenced);
      message.join(known);
    }
    return static_cast<double>(steps_of_checks - before);
  };
  CHECK(steps(4096) / steps(2048) < linear);
}

TEST_CASE("a value that all lanes of a warp read is compared once per warp") {
  const std::string read =
      ".shared .u32 total[1];\n"
      "setp.ne.u32 %p1, tid, 0; @%p1 bra wait; st.shared.u32 [total], 5;\n"
      "wait: bar.sync 0; ld.shared.u32 %r2, [total];";
  constexpr std::uint32_t warps = 32;
  const std::uint64_t before = steps_of_checks;
  findings_of(read, {.buffers = {}, .block = {warps * 32, 1, 1}}, only<RaceCheck>());
  CHECK(steps_of_checks - before < warps * warps);  // each with the write and with the reads of other warps
}

TEST_CASE("arrivals at a barrier that no thread waits for are checked in linear time, also in clusters") {
  const std::string arrive =
      ".shared .align 8 .b8 barrier[8];\n"
      "setp.eq.u32 %p1, tid, 0; @%p1 mbarrier.init.shared.b64 [barrier], 64; bar.sync 0; mov.u32 %r1, 0;\n"
      "again: mbarrier.arrive.shared.b64 _, [barrier]; add.u32 %r1, %r1, 1; ld.global.u32 %r3, [buffer0]; "
      "setp.lt.u32 %p2, %r1, %r3; @%p2 bra again;";
  const auto times = [](std::uint32_t count, Dim3 cluster) {
    return Setting{.buffers = {words({count})}, .grid = {2, 1, 1}, .block = {64, 1, 1}, .cluster = cluster};
  };
  for (const Dim3 cluster : {Dim3{0, 0, 0}, Dim3{2, 1, 1}})
    CHECK(growth<RaceCheck>(arrive, times(200, cluster), times(400, cluster)) < linear);
}

TEST_CASE("updates that are repeated are checked in linear time, whatever their scopes") {
  const auto repeated = [](const std::string& update) {
    return "mov.u32 %r1, 0;\nagain: " + update +
           " add.u32 %r1, %r1, 1; ld.global.u32 %r3, [buffer0]; setp.lt.u32 %p2, %r1, %r3; @%p2 bra again;";
  };
  const auto times = [](std::uint32_t count, std::uint32_t blocks) {
    return Setting{.buffers = {words({count}), zeros(4)},
                   .grid = {blocks, 1, 1},
                   .block = {64, 1, 1},
                   .cluster = {blocks, 1, 1}};
  };
  const auto growth_of = [&](const std::string& update, std::uint32_t blocks) {
    return growth<RaceCheck>(repeated(update), times(200, blocks), times(400, blocks));
  };
  CHECK(growth_of("atom.acq_rel.cluster.global.add.u32 %r2, [buffer1], 1;", 2) < linear);
  CHECK(growth_of("red.release.cluster.global.add.u32 [buffer1], 1;", 2) < linear);
  CHECK(growth_of("red.release.cta.global.add.u32 [buffer1], 1; red.release.gpu.global.add.u32 [buffer1], 1;",
                  1) < linear);
}

TEST_CASE("blocks that draw tiles after a fence of one thread are checked in linear time") {
  const std::string draw =
      ".shared .u32 tile[1];\n"
      "again: setp.ne.u32 %p1, tid, 0; @%p1 bra wait; fence.acq_rel.gpu; "
      "atom.global.add.u32 %r1, [buffer0], 1; st.shared.u32 [tile], %r1;\n"
      "wait: bar.sync 0; ld.shared.u32 %r2, [tile]; bar.sync 0; ld.global.u32 %r3, [buffer1]; "
      "setp.lt.u32 %p2, %r2, %r3; @%p2 bra again;";
  const auto tiles = [](std::uint32_t count) {
    return Setting{.buffers = {zeros(4), words({count})}, .grid = {4, 1, 1}, .block = {64, 1, 1}};
  };
  CHECK(growth<RaceCheck>(draw, tiles(200), tiles(400)) < linear);
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
