// Cooperative launches: all blocks are resident, so that a grid-wide barrier can be built from atomics.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

// The grid barrier of cooperative groups: block 0 adds what is missing to flip the highest bit.
const std::string grid_sync = R"(
    {
      .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
      bar.sync 0;
      setp.ne.u32 %p1, tid, 0; @%p1 bra wait_all;
      mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1};
      setp.eq.u32 %p2, cta, 0; mov.u32 %r3, %nctaid.x; sub.u32 %r3, 0x80000001, %r3; selp.u32 %r3, %r3, 1, %p2;
      fence.sc.gpu;
      atom.add.release.gpu.u32 %r4, [%rd1+4], %r3;
      spin: ld.acquire.gpu.u32 %r5, [%rd1+4]; xor.b32 %r6, %r5, %r4; setp.ge.s32 %p3, %r6, 0; @%p3 bra spin;
      wait_all: bar.sync 0;
    })";

TEST_CASE("a grid barrier orders all blocks every time it is used") {
  // In every iteration, a block reads what its neighbour wrote in the previous one.
  const std::string body = R"(
    mov.u32 %r10, 0; mov.u32 %r11, %nctaid.x; add.u32 %r12, cta, 1; rem.u32 %r12, %r12, %r11;
    mul.wide.u32 %rd10, cta, 4; add.u64 %rd10, buffer1, %rd10;
    mul.wide.u32 %rd11, %r12, 4; add.u64 %rd11, buffer1, %rd11;
    mov.u32 %r13, cta; setp.eq.u32 %p9, tid, 0;
    next: @%p9 st.global.u32 [%rd10], %r13;
    )" + grid_sync + R"(
    ld.global.u32 %r13, [%rd11];
    )" + grid_sync + R"(
    add.u32 %r10, %r10, 1; setp.lt.u32 %p8, %r10, 3; @%p8 bra next;
    st.global.u32 [mine], %r13;)";
  for (const Schedule& schedule : every_schedule())
    CHECK(results(body, {.buffers = {zeros(100 * 4)},
                         .grid = {100, 1, 1},
                         .block = {64, 1, 1},
                         .cooperative = true,
                         .schedule = schedule}) == each(6400, [](auto k) { return (k / 64 + 3) % 100; }));
}

TEST_CASE("a cooperative launch with too many blocks to be resident is refused") {
  const auto sentence = refusal<InputError>([] {
    try_kernel("", {.buffers = {}, .grid = {3000, 1, 1}, .block = {1024, 1, 1}, .cooperative = true});
  });
  CHECK(contains(sentence, "the 3000 blocks of this cooperative launch cannot all be resident"));
}

TEST_CASE("shared memory limits the resident blocks of a cooperative launch") {
  const Setting setting{.buffers = {},
                        .module = ".extern .shared .b8 pool[];",
                        .grid = {133, 1, 1},
                        .shared_bytes = 120 << 10,
                        .cooperative = true};
  CHECK(contains(refusal<InputError>([&] { try_kernel("", setting); }),
                 "the 133 blocks of this cooperative launch cannot all be resident"));
  Setting fewer = setting;
  fewer.grid.x = 132;
  CHECK(run_kernel("", fewer).report.findings.empty());
}

TEST_CASE("a grid barrier outside a cooperative launch is reported as an access to the null page") {
  const Finding finding = finding_of(R"(
    mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1}; ld.global.u32 %r3, [%rd1+4];)",
                                     {.buffers = {}, .block = {1, 1, 1}});
  CHECK(finding.kind == Kind::out_of_bounds);
  CHECK(contains(finding.message, "null page"));
}

}  // namespace
}  // namespace foldproof::machine_tests
