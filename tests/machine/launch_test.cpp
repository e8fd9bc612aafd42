// Launches that the device refuses, each with one sentence; and what a launch sees of earlier ones.
#include "devices/emulated/scheduling/launch.h"
#include "devices/emulated/coverage/coverage.h"
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

std::string refused_launch(const Setting& setting, const std::string& body = "") {
  return refusal<InputError>([&] { try_kernel(body, setting); });
}

TEST_CASE("a launch needs blocks and threads") {
  CHECK(contains(refused_launch({.buffers = {}, .grid = {0, 1, 1}}),
                 "needs at least one block and one thread"));
  CHECK(contains(refused_launch({.buffers = {}, .block = {32, 0, 1}}),
                 "not grid (1, 1, 1) and block (32, 0, 1)"));
}

TEST_CASE("a block has at most 1024 threads, and at most 64 along z") {
  CHECK(contains(refused_launch({.buffers = {}, .block = {1025, 1, 1}}),
                 "a block of (1025, 1, 1) is too large"));
  CHECK(contains(refused_launch({.buffers = {}, .block = {33, 32, 1}}), "the limit is 1024 threads"));
  CHECK(contains(refused_launch({.buffers = {}, .block = {1, 1, 65}}), "(1024, 1024, 64) in each direction"));
  CHECK(contains(refused_launch({.buffers = {}, .block = {65536, 65536, 65536}}), "too large"));
  CHECK(run_kernel("", {.buffers = {}, .block = {16, 1, 64}}).report.findings.empty());
}

TEST_CASE("a grid is limited in each dimension") {
  CHECK(contains(refused_launch({.buffers = {}, .grid = {1, 65536, 1}}),
                 "a grid of (1, 65536, 1) is too large"));
  CHECK(contains(refused_launch({.buffers = {}, .grid = {1, 1, 65536}}), "(2147483647, 65535, 65535)"));
  CHECK(contains(refused_launch({.buffers = {}, .grid = {0x80000000, 1, 1}}), "too large"));
  CHECK(contains(refused_launch({.buffers = {}, .grid = {0xffffffff, 0xffffffff, 0xffffffff}}), "too large"));
}

TEST_CASE("static and dynamic shared memory are limited together") {
  const Setting dynamic{.buffers = {}, .shared_bytes = 227 * 1024 + 1};
  CHECK(contains(refused_launch(dynamic),
                 "the block needs 232449 bytes of shared memory (0 static and 232449 dynamic)"));
  const Setting both{.buffers = {}, .module = ".shared .b8 box[1024];", .shared_bytes = 227 * 1024 - 1000};
  CHECK(contains(refused_launch(both), "1024 static"));
  CHECK(contains(refused_launch({.buffers = {}}, ".shared .b8 box[300000];"), "300000 static"));
}

TEST_CASE("shared variables of other kernels do not count") {
  std::string others;
  for (int k = 0; k < 300; ++k) others += fmt::format(".entry e{}() {{ .shared .b8 box[65536]; ret; }} ", k);
  const auto out = results(
      ".shared .u32 box; st.shared.u32 [box], 7; ld.shared.u32 %r1, [box]; "
      "mov.u32 %r2, %total_smem_size; add.u32 %r1, %r1, %r2; st.global.u32 [mine], %r1;",
      {.buffers = {}, .module = others, .shared_bytes = 200000});
  CHECK(out[0] < 201000);
}

TEST_CASE("launch bounds given at compile time are checked at launch") {
  CHECK(contains(refused_launch({.buffers = {}, .directives = ".maxntid 64", .block = {96, 1, 1}}),
                 "k was compiled for at most 64 threads per block, but the launch has 96"));
  CHECK(contains(refused_launch({.buffers = {}, .directives = ".reqntid 8, 8, 1", .block = {64, 1, 1}}),
                 "k was compiled for blocks of (8, 8, 1), but the launch has (64, 1, 1)"));
  CHECK(contains(
      refused_launch(
          {.buffers = {}, .directives = ".reqnctapercluster 2", .grid = {8, 1, 1}, .cluster = {4, 1, 1}}),
      "k was compiled for clusters of (2, 1, 1), but the launch has (4, 1, 1)"));
  CHECK(run_kernel("", {.buffers = {}, .directives = ".maxntid 64, 2 .minnctapersm 4", .block = {128, 1, 1}})
            .report.findings.empty());
}

TEST_CASE("a cluster has at most 16 blocks and divides the grid") {
  CHECK(contains(refused_launch({.buffers = {}, .grid = {32, 1, 1}, .cluster = {32, 1, 1}}),
                 "a cluster of (32, 1, 1) is not possible: the limit is 16 blocks"));
  CHECK(
      contains(refused_launch({.buffers = {}, .grid = {32, 1, 1}, .cluster = {2, 0, 1}}), "is not possible"));
  CHECK(contains(refused_launch({.buffers = {}, .grid = {9, 1, 1}, .cluster = {2, 1, 1}}),
                 "a grid of (9, 1, 1) cannot be divided into clusters of (2, 1, 1)"));
  CHECK(contains(refused_launch({.buffers = {}, .grid = {32, 1, 1}, .cluster = {0x10001, 0x10001, 0x10001}}),
                 "is not possible"));
}

TEST_CASE("arguments must match the kernel's parameters in number and size") {
  emulated::Device device;
  const auto module = device.load(
      {"test.ptx", ".version 9.0 .target sm_90 .address_size 64 .entry k(.param .u64 p, .param .u32 n) {}"});
  auto launch = [&](std::vector<ArgumentBytes> arguments) {
    return refusal<InputError>([&] {
      device.launch(module, "k", {{1, 1, 1}, {1, 1, 1}}, arguments, {}, {});
    });
  };
  CHECK(contains(launch({doublewords({0})}), "k takes 2 arguments, but the launch passes 1"));
  CHECK(contains(launch({doublewords({0}), doublewords({0})}),
                 "argument 1 of k has 4 bytes, but the launch passes 8"));
}

TEST_CASE("a launch reports its branches and comparisons to the coverage of its job") {
  emulated::Device device;
  const auto module = device.load({"test.ptx", R"(.version 9.0 .target sm_90 .address_size 64
.entry k() {
  .reg .pred %p; .reg .u32 %r;
  mov.u32 %r, %tid.x;
  setp.lt.u32 %p, %r, 8;
  @%p bra L;
  add.u32 %r, %r, 1;
L: ret;
})"});
  emulated::Coverage coverage;
  const emulated::LaunchOwners owners{.coverage = &coverage};
  device.launch(module, "k", {{1, 1, 1}, {64, 1, 1}}, {}, {}, {}, &owners);
  REQUIRE(coverage.branches().size() == 1);
  const emulated::Coverage::Branch& branch = coverage.branches().begin()->second;
  CHECK(branch.taken == 1);      // by lanes 0 to 7 of the first warp
  CHECK(branch.not_taken == 2);  // by the other lanes of that warp, and by the second one
  REQUIRE(coverage.comparisons().size() == 1);
  CHECK(coverage.comparisons().begin()->second.size() == emulated::Coverage::most_operands);
  CHECK(coverage.comparisons().begin()->second.front() == emulated::Coverage::Operands{0, 8});
}

TEST_CASE("an entry, a module and a kernel must exist") {
  emulated::Device device;
  const auto module = device.load(
      {"sum.ptx", ".version 9.0 .target sm_90 .address_size 64 .entry k() {} .func f() { ret; }"});
  auto launch = [&](emulated::ModuleId id, const char* name) {
    return refusal<InputError>([&] { device.launch(id, name, {{1, 1, 1}, {1, 1, 1}}, {}, {}, {}); });
  };
  CHECK(contains(launch(module, "sum"), "sum.ptx has no kernel named sum"));
  CHECK(contains(launch(module, "f"), "sum.ptx has no kernel named f"));
  CHECK(contains(launch(module + 1, "k"), "does not exist"));
}

TEST_CASE("an allocation beyond the device's or the host's memory is refused") {
  emulated::Device device;
  CHECK(contains(refusal<InputError>([&] { device.allocate(std::uint64_t{1} << 37, "huge"); }),
                 "limit of 64 GiB"));
}

TEST_CASE("more allocations can be made and freed over time than there are windows") {
  emulated::Device device;
  for (int k = 0; k < 10'000; ++k) device.free(device.allocate(16, "passing"));
  SUCCEED();
}

TEST_CASE("a launch does not see the registers of an earlier launch, even if it has another block size") {
  // Thread 0 stores a register before it is written. Launches reuse the memory of earlier ones.
  const Setting setting{.buffers = {zeros(4)}};
  emulated::Device device;
  const auto module = device.load(
      {"test.ptx",
       text_of("setp.eq.u32 %p1, tid, 0; @%p1 st.global.u32 [buffer0], %r9; mov.u32 %r9, 7;", setting)});
  std::vector<std::uint32_t> seen;
  for (const std::uint32_t threads : {96u, 32u, 64u}) {
    const Address buffer = device.allocate(4, "buffer0");
    const std::vector<ArgumentBytes> arguments{doublewords({buffer})};
    device.launch(module, "k", {{3, 1, 1}, {threads, 1, 1}}, arguments, {}, {});
    std::uint32_t word = 0;
    device.read(buffer, std::as_writable_bytes(std::span(&word, 1)));
    seen.push_back(word);
    device.free(buffer);
  }
  CHECK(seen == std::vector<std::uint32_t>(3, 0));
}

}  // namespace
}  // namespace foldproof::machine_tests
