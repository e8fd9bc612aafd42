// Schedules: the same result for correct kernels, another order for wrong ones, and the same run for the same
// seed.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

using Words = std::vector<std::uint32_t>;

// A block sum with a shared-memory tree and a shuffle tail, one result per block.
const std::string block_sum = R"(
    .shared .u32 box[256];
    mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; ld.global.u32 %r3, [mine]; st.shared.u32 [%r2], %r3;
    shr.u32 %r4, ntid, 1;
    next: bar.sync 0; setp.ge.u32 %p1, tid, %r4; @%p1 bra skip;
    mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5]; ld.shared.u32 %r7, [%r2]; add.u32 %r7, %r7, %r6;
    st.shared.u32 [%r2], %r7;
    skip: shr.u32 %r4, %r4, 1; setp.gt.u32 %p2, %r4, 16; @%p2 bra next;
    bar.sync 0; setp.ge.u32 %p3, tid, 32; @%p3 ret;
    ld.shared.u32 %r8, [%r2]; mov.u32 %r9, 16;
    fold: shfl.sync.down.b32 %r10, %r8, %r9, 31, -1; add.u32 %r8, %r8, %r10; shr.u32 %r9, %r9, 1;
    setp.ne.u32 %p4, %r9, 0; @%p4 bra fold;
    setp.ne.u32 %p5, tid, 0; @%p5 ret;
    mul.wide.u32 %rd1, cta, 4; add.u64 %rd1, buffer1, %rd1; st.global.u32 [%rd1], %r8;)";

Setting block_sum_setting(const Schedule& schedule) {
  return {.buffers = {words(each(4 * 256, [](auto k) { return k * k; })), zeros(4 * 4)},
          .grid = {4, 1, 1},
          .block = {256, 1, 1},
          .schedule = schedule};
}

TEST_CASE("a correct kernel gives the same result in every schedule and with every seed") {
  Words sums;
  for (std::uint32_t b = 0; b < 4; ++b) {
    std::uint32_t sum = 0;
    for (std::uint32_t k = b * 256; k < (b + 1) * 256; ++k) sum += k * k;
    sums.push_back(sum);
  }
  for (const Schedule& schedule : every_schedule())
    CHECK(run_kernel(block_sum, block_sum_setting(schedule)).words(1) == sums);
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    CHECK(run_kernel(block_sum, block_sum_setting({Schedule::Order::random, seed})).words(1) == sums);
}

TEST_CASE("the same schedule executes the same number of instructions") {
  for (const Schedule& schedule : every_schedule()) {
    const Outcome first = run_kernel(block_sum, block_sum_setting(schedule));
    const Outcome second = run_kernel(block_sum, block_sum_setting(schedule));
    CHECK(first.report.warp_instructions == second.report.warp_instructions);
  }
}

// The order in which threads reach a counter.
Words order_of_arrival(const Schedule& schedule) {
  return run_kernel("atom.global.add.u32 %r1, [buffer1], 1; st.global.u32 [mine], %r1;",
                    {.buffers = {zeros(3 * 64 * 4), zeros(4)},
                     .grid = {3, 1, 1},
                     .block = {64, 1, 1},
                     .schedule = schedule})
      .words(0);
}

TEST_CASE("lanes, warps and blocks run forwards or backwards") {
  CHECK(order_of_arrival(schedule_named("converging")) == each(192, [](auto k) { return k; }));
  CHECK(order_of_arrival(schedule_named("lanes-forward")) == each(192, [](auto k) { return k; }));
  CHECK(order_of_arrival(schedule_named("lanes-backward")) == each(192, [](auto k) { return 191 - k; }));
  // Blocks and warps from last to first, lanes in order.
  CHECK(order_of_arrival(schedule_named("warps-backward")) ==
        each(192, [](auto k) { return (5 - k / 32) * 32 + k % 32; }));
}

TEST_CASE("random schedules differ between seeds and repeat for the same seed") {
  const Words first = order_of_arrival({Schedule::Order::random, 1});
  CHECK(first == order_of_arrival({Schedule::Order::random, 1}));
  CHECK(first != order_of_arrival({Schedule::Order::random, 2}));
}

// A warp that relies on lockstep: each lane reads its right neighbour's word without a barrier.
Words unsynchronised(const Schedule& schedule) {
  return results(R"(
    .shared .u32 box[33];
    mov.u32 %r1, box; mad.lo.u32 %r2, tid, 4, %r1; st.shared.u32 [%r2], 1; st.shared.u32 [%r2+4], 1;
    bar.sync 0;
    add.u32 %r3, tid, 100; st.shared.u32 [%r2], %r3; ld.shared.u32 %r4, [%r2+4]; st.global.u32 [mine], %r4;)",
                 {.buffers = {}, .schedule = schedule});
}

TEST_CASE("running lanes one by one reveals what lockstep hides") {
  // In lockstep all words are written before any is read; forwards, no neighbour has written yet; backwards,
  // all have.
  const Words in_step = each(32, [](auto k) { return k == 31 ? 1 : k + 101; });
  CHECK(unsynchronised(schedule_named("converging")) == in_step);
  CHECK(unsynchronised(schedule_named("lanes-forward")) == all(32, 1));
  CHECK(unsynchronised(schedule_named("lanes-backward")) == in_step);
  bool differs = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    differs |= unsynchronised({Schedule::Order::random, seed}) != in_step;
  CHECK(differs);
}

TEST_CASE("running warps backwards reveals a missing barrier between warps") {
  auto last_writer = [](const char* schedule) {
    return results(R"(
      .shared .u32 box; shr.u32 %r1, tid, 5; st.shared.u32 [box], %r1; bar.sync 0; ld.shared.u32 %r2, [box];
      st.global.u32 [mine], %r2;)",
                   {.buffers = {}, .block = {96, 1, 1}, .schedule = schedule_named(schedule)})[0];
  };
  CHECK(last_writer("converging") == 2);
  CHECK(last_writer("warps-backward") == 0);
}

TEST_CASE("a kernel's output is the same in the same schedule") {
  const std::string body = R"(
    .local .align 8 .b8 values[8]; mov.u64 %rd2, values; cvta.local.u64 %rd2, %rd2; mov.u64 %rd1, format;
    mad.lo.u32 %r1, cta, 100, tid; st.local.u32 [values], %r1;
    { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2;
      call (r), vprintf, (a, b); })";
  auto printed = [&](const Schedule& schedule) {
    return run_kernel(body, {.buffers = {},
                             .module = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v); "
                                       ".global .b8 format[4] = {37, 100, 32, 0};",
                             .grid = {3, 1, 1},
                             .block = {40, 1, 1},
                             .schedule = schedule})
        .report.printed;
  };
  for (const Schedule& schedule : every_schedule()) CHECK(printed(schedule) == printed(schedule));
  CHECK(printed({Schedule::Order::random, 1}) != printed({Schedule::Order::random, 2}));
}

TEST_CASE("the name of every co-running load is parsed back to that load") {
  for (const char* name :
       {"none", "occupancy-limit:1", "occupancy-limit:8", "busy-kernel", "occupancy-limit:8+busy-kernel"})
    CHECK(to_string(co_running_load_named(name)) == name);
  CHECK(co_running_load_named("occupancy-limit:3+busy-kernel") == CoRunningLoad{3, true});
  for (const char* wrong : {"", "busy", "occupancy-limit:", "occupancy-limit:0", "occupancy-limit:9",
                            "occupancy-limit:08", "none+busy-kernel", "busy-kernel+occupancy-limit:8"})
    CHECK(contains(refusal<InputError>([&] { co_running_load_named(wrong); }), "busy-kernel, or both"));
}

TEST_CASE("every schedule maps to a co-running load on a GPU, and the usual one to none") {
  const auto load_for = [](const char* schedule) {
    return to_string(adapted(schedule_named(schedule), false));
  };
  CHECK(load_for("converging") == "none");
  CHECK(load_for("lanes-forward") == "occupancy-limit:8");
  CHECK(load_for("lanes-backward") == "busy-kernel");
  CHECK(load_for("warps-backward") == "occupancy-limit:8+busy-kernel");
  // The seed's last three bits are the limit; the next one says whether to run another kernel.
  CHECK(load_for("random:29") == "occupancy-limit:5+busy-kernel");
  CHECK(load_for("random:16") == "none");
}

TEST_CASE("an order that the device supports is kept, and a load becomes the usual schedule elsewhere") {
  const LaunchOrder schedule = schedule_named("random:7"), load = CoRunningLoad{3, true};
  CHECK(adapted(schedule, true) == schedule);
  CHECK(adapted(load, false) == load);
  CHECK(adapted(load, true) == LaunchOrder(Schedule{}));
  CHECK(usual(schedule) == LaunchOrder(Schedule{}));
  CHECK(usual(load) == LaunchOrder(CoRunningLoad{}));
}

TEST_CASE("the name of every schedule is parsed back to that schedule") {
  for (const Schedule& schedule : every_schedule()) CHECK(schedule_named(to_string(schedule)) == schedule);
  CHECK(contains(refusal<InputError>([] { schedule_named("sideways"); }), "lanes-forward"));
  CHECK_THROWS_AS(schedule_named("random:"), InputError);
  CHECK_THROWS_AS(schedule_named("random:1x"), InputError);
  CHECK_THROWS_AS(schedule_named("random:99999999999999999999"), InputError);
}

}  // namespace
}  // namespace foldproof::machine_tests
