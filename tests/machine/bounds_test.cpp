// Out-of-bounds and misaligned accesses: reported with their position, once per position, while other lanes
// continue.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

using Words = std::vector<std::uint32_t>;

const Dim3 one{1, 1, 1};

TEST_CASE("an out-of-bounds read is reported with the buffer, the distance and the threads") {
  const Finding finding = finding_of(
      "mul.wide.u32 %rd1, tid, 4; add.u64 %rd1, buffer0, %rd1;\n"
      "ld.global.u32 %r1, [%rd1];",
      {.buffers = {zeros(30 * 4)}});
  CHECK(finding.kind == Kind::out_of_bounds);
  CHECK(finding.severity == Severity::error);
  CHECK(finding.message ==
        "a read of 4 bytes in global memory begins just past the end of buffer0 (120 bytes)");
  CHECK(finding.at.file == "test.ptx");
  CHECK(finding.at.line == 2);
  REQUIRE(finding.threads.size() == 2);
  CHECK(finding.threads[0].thread == Dim3{30, 0, 0});
  CHECK(finding.threads[1].thread == Dim3{31, 0, 0});
}

TEST_CASE("a write before the start of a buffer is not attributed to the preceding buffer") {
  const Finding finding =
      finding_of("st.global.u32 [buffer1+-8], 1;", {.buffers = {zeros(64), zeros(64)}, .block = one});
  CHECK(finding.kind == Kind::out_of_bounds);
  CHECK(contains(finding.message, "a write of 4 bytes"));
  CHECK(contains(finding.message, "8 bytes before buffer1 (64 bytes)"));
}

TEST_CASE("an access across the end is out of bounds") {
  const Finding finding = finding_of("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [buffer0+16];",
                                     {.buffers = {zeros(24)}, .block = one});
  CHECK(finding.kind == Kind::out_of_bounds);
  CHECK(contains(finding.message, "8 bytes before the end of buffer0 (24 bytes) and ends 8 bytes past it"));
}

TEST_CASE("every access to an empty buffer is out of bounds") {
  const Finding finding = finding_of("ld.global.u8 %r1, [buffer0];", {.buffers = {Bytes{}}, .block = one});
  CHECK(finding.kind == Kind::out_of_bounds);
  CHECK(contains(finding.message, "past the end of buffer0 (0 bytes)"));
}

TEST_CASE("an access through a null pointer is reported as one to the null page") {
  for (const char* access : {"ld.global.u32 %r1, [%rd1];", "ld.u32 %r1, [%rd1+8];", "st.u32 [%rd1], 1;",
                             "red.global.add.u32 [%rd1], 1;"}) {
    const Finding finding =
        finding_of(std::string("mov.u64 %rd1, 0; ") + access, {.buffers = {}, .block = one});
    CHECK(finding.kind == Kind::out_of_bounds);
    CHECK(contains(finding.message, "null page"));
  }
}

TEST_CASE("an access to freed memory is out of bounds") {
  emulated::Device device;
  const Address gone = device.allocate(64, "gone");
  device.free(gone);
  const auto module =
      device.load({"test.ptx",
                   ".version 9.0 .target sm_90 .address_size 64 .entry k(.param .u64 p) { .reg .b64 %rd<2>; "
                   ".reg .b32 %r<2>; ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; }"});
  const ArgumentBytes arguments[] = {doublewords({gone})};
  const LaunchReport report = device.launch(module, "k", {one, one}, arguments, {}, {});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == Kind::out_of_bounds);
}

TEST_CASE("an access across the end of a shared array is reported with the number of bytes") {
  const Finding finding = finding_of(".shared .align 8 .u32 array[3]; st.shared.u64 [array+8], 1;",
                                     {.buffers = {}, .block = one});
  CHECK(finding.kind == Kind::out_of_bounds);
  CHECK(contains(finding.message,
                 "begins 4 bytes before the end of array (12 bytes) and ends 4 bytes past it"));
}

TEST_CASE("an index past a shared array does not reach the next array") {
  const std::string arrays = ".shared .u32 first[8]; .shared .u32 second[8]; st.shared.u32 [second], 1;";
  const Finding past = finding_of(arrays + "st.shared.u32 [first+32], 1;", {.buffers = {}, .block = one});
  CHECK(past.kind == Kind::out_of_bounds);
  CHECK(contains(past.message, "just past the end of first (32 bytes)"));
  const Finding before =
      finding_of(arrays + "ld.shared.u32 %r1, [second+-4];", {.buffers = {}, .block = one});
  CHECK(contains(before.message, "4 bytes before second (32 bytes)"));
  const Finding generic =
      finding_of(arrays + "mov.u64 %rd1, first; cvta.shared.u64 %rd1, %rd1; ld.u32 %r1, [%rd1+40];",
                 {.buffers = {}, .block = one});
  CHECK(contains(generic.message, "8 bytes past the end of first"));
}

TEST_CASE("a dynamic shared array has the size given by the launch") {
  const Setting setting{.buffers = {}, .module = ".extern .shared .b8 pool[];", .shared_bytes = 100};
  const Finding finding =
      finding_of("mov.u32 %r1, pool; mad.lo.u32 %r1, tid, 4, %r1; st.shared.u32 [%r1], 1;", setting);
  CHECK(finding.kind == Kind::out_of_bounds);
  CHECK(contains(finding.message, "the dynamic shared array (100 bytes)"));
  CHECK(finding.threads.size() == 7);
  CHECK(contains(
      finding_of("st.shared.u32 [pool], 1;", {.buffers = {}, .module = setting.module, .block = one}).message,
      "the dynamic shared array (0 bytes)"));
}

TEST_CASE("local memory ends with the depot") {
  const Finding finding =
      finding_of(".local .align 4 .b8 depot[16]; st.local.u32 [depot+16], 1;", {.buffers = {}, .block = one});
  CHECK(finding.kind == Kind::out_of_bounds);
  CHECK(contains(finding.message, "local"));
  const Finding generic = finding_of(
      ".local .align 4 .b8 depot[16]; mov.u64 %rd1, depot; cvta.local.u64 %rd1, %rd1; ld.u32 %r1, [%rd1+20];",
      {.buffers = {}, .block = one});
  CHECK(contains(generic.message, "local memory"));
}

TEST_CASE("an access past a constant does not reach the next one") {
  const Setting setting{
      .buffers = {}, .module = ".const .u32 first[2] = {1, 2}; .const .u32 second[64] = {3};", .block = one};
  const std::string load = "mov.u64 %rd1, first; cvta.const.u64 %rd2, %rd1; ";
  CHECK(finding_of(load + "ld.const.u32 %r1, [%rd1+8];", setting).kind == Kind::out_of_bounds);
  const Finding generic = finding_of(load + "ld.u32 %r1, [%rd2+8];", setting);
  CHECK(generic.kind == Kind::out_of_bounds);
  CHECK(generic.message.find("begins just past the end of first (8 bytes)") != std::string::npos);
}

TEST_CASE("constants have bounds, and neither constants nor parameters can be written") {
  const Setting setting{
      .buffers = {}, .scalars = {1}, .module = ".const .u32 table[4] = {1, 2, 3, 4};", .block = one};
  CHECK(finding_of("mov.u64 %rd1, table; ld.const.u32 %r1, [%rd1+4096];", setting).kind ==
        Kind::out_of_bounds);
  CHECK(finding_of("mov.u64 %rd1, table; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1], 9;", setting).kind ==
        Kind::out_of_bounds);
  CHECK(finding_of("mov.b64 %rd1, k_scalar0; cvta.param.u64 %rd1, %rd1; st.u32 [%rd1], 9;", setting).kind ==
        Kind::out_of_bounds);
  CHECK(finding_of("mov.b64 %rd1, k_scalar0; cvta.param.u64 %rd1, %rd1; red.add.u32 [%rd1], 9;", setting)
            .kind == Kind::out_of_bounds);
}

TEST_CASE("accesses must be aligned to their size") {
  struct Askew {
    const char* access;
    const char* says;
  };
  for (const auto& [access, says] :
       {Askew{"ld.global.u16 %r1, [buffer0+1];", "a read of 2 bytes"},
        Askew{"ld.global.u32 %r1, [buffer0+2];", "a read of 4 bytes"},
        Askew{"st.global.u64 [buffer0+4], 1;", "a write of 8 bytes"},
        Askew{"ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [buffer0+8];", "a read of 16 bytes"},
        Askew{"st.global.v2.u32 [buffer0+4], {1, 2};", "a write of 8 bytes"},
        Askew{"atom.global.add.u32 %r1, [buffer0+2], 1;", "a read-modify-write of 4 bytes"}}) {
    const Finding finding = finding_of(access, {.buffers = {zeros(64)}, .block = one});
    CHECK(finding.kind == Kind::misaligned);
    CHECK(contains(finding.message, says));
  }
}

TEST_CASE("misaligned accesses of consecutive lanes are reported like single ones") {
  const Finding finding =
      finding_of("add.u64 %rd1, mine, 2;\nld.global.u32 %r1, [%rd1];", {.buffers = {zeros(256)}});
  CHECK(finding.kind == Kind::misaligned);
  CHECK(finding.threads.size() == 8);  // the limit per finding
}

TEST_CASE("lanes with a valid access continue, and the others read poison") {
  const Outcome run = try_kernel(R"(
    mul.wide.u32 %rd1, tid, 4; add.u64 %rd1, buffer1, %rd1; mov.u32 %r1, 5;
    ld.global.u32 %r1, [%rd1]; st.global.u32 [mine], %r1;)",
                                 {.buffers = {zeros(128), words(each(20, [](auto k) { return k + 1; }))}});
  CHECK(run.report.findings.size() == 1);
  const std::uint32_t poison = run.words()[20];
  CHECK(poison > 0x7f800000);
  CHECK(run.words() == each(32, [&](auto k) { return k < 20 ? k + 1 : poison; }));
}

TEST_CASE("each position has one finding per kind, however often it is executed") {
  const Outcome run = try_kernel(R"(
    mov.u32 %r1, 0; add.u64 %rd1, buffer0, 4096;
    next: ld.global.u32 %r2, [%rd1]; st.global.u32 [%rd1], 1; ld.global.u32 %r3, [buffer0+1];
    add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 10; @%p1 bra next;)",
                                 {.buffers = {zeros(64)}, .grid = {4, 1, 1}});
  REQUIRE(run.report.findings.size() == 3);
  CHECK(run.report.findings[0].kind == Kind::out_of_bounds);
  CHECK(run.report.findings[1].kind == Kind::out_of_bounds);
  CHECK(run.report.findings[2].kind == Kind::misaligned);
}

TEST_CASE("inactive lanes may hold any address") {
  CHECK(results(R"(
    setp.lt.u32 %p1, tid, 20; mul.wide.u32 %rd1, tid, 4; add.u64 %rd1, buffer1, %rd1; mov.u32 %r1, 0;
    @%p1 ld.global.u32 %r1, [%rd1]; st.global.u32 [mine], %r1;)",
                {.buffers = {words(all(20, 6))}}) == each(32, [](auto k) { return k < 20 ? 6 : 0; }));
}

TEST_CASE("threads are named by their three-dimensional block and thread indices") {
  const Finding finding = finding_of(R"(
    mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z; mov.u32 %r3, %ctaid.y; setp.eq.u32 %p1, tid, 1;
    setp.eq.and.u32 %p1, %r1, 2, %p1; setp.eq.and.u32 %p1, %r2, 3, %p1; setp.eq.and.u32 %p1, %r3, 1, %p1;
    mov.u64 %rd1, 0; @%p1 st.global.u32 [%rd1], 1;)",
                                     {.buffers = {}, .grid = {1, 2, 1}, .block = {2, 3, 4}});
  REQUIRE(finding.threads.size() == 1);
  CHECK(finding.threads[0].block == Dim3{0, 1, 0});
  CHECK(finding.threads[0].thread == Dim3{1, 2, 3});
}

TEST_CASE("copies to and from the device are checked too") {
  emulated::Device device;
  const Address buffer = device.allocate(8, "sums");
  std::vector<std::byte> twelve(12);
  CHECK(contains(refusal<InputError>([&] { device.write(buffer, twelve); }), "bytes before the end of sums"));
  CHECK(contains(refusal<InputError>([&] { device.read(buffer + 8, twelve); }), "past the end of sums"));
  CHECK(contains(refusal<InputError>([&] { device.free(buffer + 4); }), "was not allocated"));
  device.free(buffer);
  CHECK(contains(refusal<InputError>([&] { device.free(buffer); }), "was not allocated"));
}

}  // namespace
}  // namespace foldproof::machine_tests
