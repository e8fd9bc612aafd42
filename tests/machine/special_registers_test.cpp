// The values of the special registers of ISA section 10.
#include <algorithm>
#include <set>

#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

std::vector<std::uint32_t> special(const std::string& name, Setting setting = {}) {
  return results("mov.u32 %r1, " + name + "; st.global.u32 [mine], %r1;", std::move(setting));
}

// The linear index of a thread uses its block's index along x only, so that grids here extend along x alone.
TEST_CASE("tid counts x first, then y, then z") {
  covers("mov_special");

  const char* body = R"(
    mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
    mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;
    mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;   // its place
    shl.b32 %r7, %r3, 16; shl.b32 %r8, %r2, 8; or.b32 %r7, %r7, %r8; or.b32 %r7, %r7, %r1;
    mul.wide.u32 %rd1, %r6, 4; add.u64 %rd1, buffer0, %rd1; st.global.u32 [%rd1], %r7;
  )";
  const auto out = results(body, {.buffers = {}, .block = {3, 5, 4}});
  CHECK(out == each(60, [](auto k) { return k % 3 | k / 3 % 5 << 8 | k / 15 << 16; }));
}

TEST_CASE("ntid and nctaid are the launch's extents") {
  const Setting setting{.buffers = {}, .grid = {2, 3, 4}, .block = {4, 2, 1}};
  const std::string names[] = {"%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};
  const std::uint32_t expected[] = {4, 2, 1, 2, 3, 4};
  for (int k = 0; k < 6; ++k) CHECK(special(names[k], setting)[0] == expected[k]);
}

TEST_CASE("ctaid is the block's index in each dimension") {
  const char* body = R"(
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
    mad.lo.u32 %r6, %r3, 3, %r2; mad.lo.u32 %r6, %r6, 2, %r1;
    mul.wide.u32 %rd1, %r6, 4; add.u64 %rd1, buffer0, %rd1;
    shl.b32 %r7, %r3, 16; shl.b32 %r8, %r2, 8; or.b32 %r7, %r7, %r8; or.b32 %r7, %r7, %r1;
    st.global.u32 [%rd1], %r7;
  )";
  const auto out = results(body, {.buffers = {}, .grid = {2, 3, 4}, .block = {1, 1, 1}});
  CHECK(out == each(24, [](auto k) { return k % 2 | k / 2 % 3 << 8 | k / 6 << 16; }));
}

TEST_CASE(
    "laneid and warpid give a thread's position in its block, and nwarpid the warps per multiprocessor") {
  const Setting setting{.buffers = {}, .block = {70, 1, 1}};
  CHECK(special("%laneid", setting) == each(70, [](auto k) { return k % 32; }));
  CHECK(special("%warpid", setting) == each(70, [](auto k) { return k / 32; }));
  CHECK(special("%nwarpid", setting) == all(70, 64));
}

TEST_CASE("%warpid and %smid depend on the schedule") {
  Setting setting{.buffers = {}, .block = {1024, 1, 1}};
  setting.schedule = schedule_named("warps-backward");
  const auto warps = special("%warpid", setting);
  CHECK(warps[0] != 0);
  CHECK(std::set(warps.begin(), warps.end()).size() == 32);
  CHECK(std::ranges::max(warps) < 64);
  // Four warps may share a slot of four.
  const auto share_slots = [&](std::uint32_t seed) {
    Setting of_four{.buffers = {}, .block = {128, 1, 1}};
    of_four.schedule = schedule_named("random:" + std::to_string(seed));
    const auto numbers = special("%warpid", of_four);
    CHECK(std::set(numbers.begin(), numbers.end()).size() == 4);
    std::set<std::uint32_t> slots;
    for (const std::uint32_t number : numbers) slots.insert(number % 4);
    return slots.size() < 4;
  };
  CHECK((share_slots(1) || share_slots(2) || share_slots(3) || share_slots(4)));
  setting = {.buffers = {}, .grid = {300, 1, 1}, .block = {1, 1, 1}};
  for (const Schedule& schedule : every_schedule()) {
    setting.schedule = schedule;
    CHECK(std::ranges::max(special("%smid", setting)) < special("%nsmid", setting)[0]);
  }
  setting.schedule = schedule_named("random:5");
  const auto places = special("%smid", setting);
  CHECK(places[0] == places[1]);  // of two blocks that are resident at the same time
}

TEST_CASE("lane masks are relative to the lane") {
  CHECK(special("%lanemask_eq") == each(32, [](auto k) { return 1ull << k; }));
  CHECK(special("%lanemask_lt") == each(32, [](auto k) { return (1ull << k) - 1; }));
  CHECK(special("%lanemask_le") == each(32, [](auto k) { return (2ull << k) - 1; }));
  CHECK(special("%lanemask_ge") == each(32, [](auto k) { return 0x100000000ull - (1ull << k); }));
  CHECK(special("%lanemask_gt") == each(32, [](auto k) { return 0x100000000ull - (2ull << k); }));
}

TEST_CASE("a launch without clusters has clusters of one block") {
  const Setting setting{.buffers = {}, .grid = {3, 1, 1}, .block = {1, 1, 1}};
  CHECK(special("%cluster_ctarank", setting) == all(3, 0));
  CHECK(special("%cluster_nctarank", setting) == all(3, 1));
  CHECK(special("%cluster_ctaid.x", setting) == all(3, 0));
  CHECK(special("%cluster_nctaid.x", setting) == all(3, 1));
  CHECK(special("%clusterid.x", setting) == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(special("%nclusterid.x", setting) == all(3, 3));
}

TEST_CASE("cluster registers give a block's position in its cluster and the cluster's in the grid") {
  const Setting setting{.buffers = {}, .grid = {4, 2, 1}, .block = {1, 1, 1}, .cluster = {2, 2, 1}};
  auto by_block = [&](const std::string& name) {
    return results(R"(
      mov.u32 %r1, %ctaid.y; mad.lo.u32 %r2, %r1, 4, cta;
      mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, buffer0, %rd1;
      mov.u32 %r3, )" + name +
                       "; st.global.u32 [%rd1], %r3;",
                   setting);
  };
  using Words = std::vector<std::uint32_t>;
  CHECK(by_block("%cluster_ctaid.x") == Words{0, 1, 0, 1, 0, 1, 0, 1});
  CHECK(by_block("%cluster_ctaid.y") == Words{0, 0, 0, 0, 1, 1, 1, 1});
  CHECK(by_block("%cluster_ctaid.z") == all(8, 0));
  CHECK(by_block("%cluster_nctaid.x") == all(8, 2));
  CHECK(by_block("%cluster_nctaid.y") == all(8, 2));
  CHECK(by_block("%cluster_nctaid.z") == all(8, 1));
  CHECK(by_block("%clusterid.x") == Words{0, 0, 1, 1, 0, 0, 1, 1});
  CHECK(by_block("%clusterid.y") == all(8, 0));
  CHECK(by_block("%clusterid.z") == all(8, 0));
  CHECK(by_block("%nclusterid.x") == all(8, 2));
  CHECK(by_block("%nclusterid.y") == all(8, 1));
  CHECK(by_block("%nclusterid.z") == all(8, 1));
  CHECK(by_block("%cluster_ctarank") == Words{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(by_block("%cluster_nctarank") == all(8, 4));
}

TEST_CASE("is_explicit_cluster says whether the launch requested clusters") {
  const std::string body = R"(
    mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 1, 0, %p1; st.global.u32 [mine], %r1;)";
  CHECK(results(body, {.buffers = {}, .grid = {2, 1, 1}, .block = {1, 1, 1}}) == all(2, 0));
  CHECK(results(body, {.buffers = {}, .grid = {2, 1, 1}, .block = {1, 1, 1}, .cluster = {2, 1, 1}}) ==
        all(2, 1));
}

TEST_CASE(
    "the sizes of shared memory are the dynamic part, the total in units of 128 bytes, and with the reserved "
    "KiB") {
  const std::string body = R"(
    .shared .b8 box[100]; st.shared.u8 [box], 1;
    mov.u32 %r1, %dynamic_smem_size; mov.u32 %r2, %total_smem_size; mov.u32 %r3, %aggr_smem_size;
    mad.lo.u32 %r1, %r1, 10000, %r2; sub.u32 %r3, %r3, %r2; shr.u32 %r3, %r3, 10;
    mad.lo.u32 %r1, %r3, 1000000, %r1; st.global.u32 [mine], %r1;)";
  CHECK(results(body, {.buffers = {}, .block = {1, 1, 1}, .shared_bytes = 64})[0] == 1000000 + 640000 + 256);
  CHECK(special("%total_smem_size")[0] == 0);
}

TEST_CASE("a multiprocessor's number is below their count") {
  const Setting setting{.buffers = {}, .grid = {300, 1, 1}, .block = {1, 1, 1}};
  const auto number = special("%smid", setting), count = special("%nsmid", setting);
  for (std::size_t k = 0; k < number.size(); ++k) CHECK(number[k] < count[k]);
}

TEST_CASE("grid identifiers exist") { CHECK(special("%gridid").size() == 32); }

TEST_CASE("a special register can be read by mov at half its width, and by cvt") {
  CHECK(results("mov.u16 %h1, %tid.x; cvt.u32.u16 %r1, %h1; st.global.u32 [mine], %r1;") ==
        each(32, [](auto k) { return k; }));
  CHECK(results("cvt.u64.u32 %rd1, %tid.x; cvt.u32.u64 %r1, %rd1; st.global.u32 [mine], %r1;") ==
        each(32, [](auto k) { return k; }));
}

TEST_CASE("WARP_SZ is 32") {
  CHECK(results("add.u32 %r1, tid, WARP_SZ; st.global.u32 [mine], %r1;") ==
        each(32, [](auto k) { return k + 32; }));
}

TEST_CASE("each clock advances between two reads") {
  const std::string wide[] = {"%clock64", "%globaltimer"};
  for (const auto& name : wide) {
    const auto out = results("mov.u64 %rd1, " + name + "; mov.u64 %rd2, " + name + R"(;
      setp.gt.u64 %p1, %rd2, %rd1; selp.u32 %r1, 1, 0, %p1; st.global.u32 [mine], %r1;)");
    CHECK(out == all(32, 1));
  }
  const std::string narrow[] = {"%clock", "%globaltimer_lo"};
  for (const auto& name : narrow) {
    const auto out = results("mov.u32 %r1, " + name + "; mov.u32 %r2, " + name + R"(;
      setp.gt.u32 %p1, %r2, %r1; selp.u32 %r1, 1, 0, %p1; st.global.u32 [mine], %r1;)");
    CHECK(out == all(32, 1));
  }
  CHECK(special("%clock_hi") == all(32, 0));
  CHECK(special("%globaltimer_hi") == all(32, 0));
}

TEST_CASE("envreg1 and envreg2 hold the address of the grid barrier in a cooperative launch") {
  const std::string body = R"(
    mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1};
    ld.global.u32 %r3, [%rd1+4]; st.global.u32 [mine], %r3;)";
  CHECK(results(body, {.buffers = {}, .cooperative = true}) == all(32, 0));
}

TEST_CASE("reserved shared memory is separate from a block's own") {
  const std::string body = R"(
    .shared .u32 own; st.shared.u32 [own], 1;
    mov.u32 %r1, %reserved_smem_offset_1; st.shared.u32 [%r1+284], 20;
    mov.u32 %r2, %reserved_smem_offset_0; mov.u32 %r3, %reserved_smem_offset_begin; mov.u32 %r4, %reserved_smem_offset_end;
    mov.u32 %r5, %reserved_smem_offset_cap; st.shared.u32 [%r3], 300; sub.u32 %r4, %r4, %r3; sub.u32 %r4, %r4, %r5;
    ld.shared.u32 %r6, [own]; ld.shared.u32 %r7, [%r1+284]; ld.shared.u32 %r8, [%r2];
    add.u32 %r4, %r4, %r6; add.u32 %r4, %r4, %r7; add.u32 %r4, %r4, %r8; st.global.u32 [mine], %r4;)";
  CHECK(results(body)[0] == 321);
  CHECK(results(
            "mov.u32 %r1, %reserved_smem_offset_1; mov.u32 %r2, %total_smem_size; st.global.u32 [mine], %r2;")
            [0] == 0);
}

TEST_CASE("reading an unknown special register stops the kernel") {
  Setting setting{.buffers = {zeros(4)}};
  const auto sentence = refusal<Unsupported>([&] { try_kernel("mov.u32 %r1, %pm0;", setting); });
  CHECK(contains(sentence, "%pm0"));
}

}  // namespace
}  // namespace foldproof::machine_tests
