// Matrices: ldmatrix, stmatrix, movmatrix and mma, as fragments over the lanes of a warp.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

using Words = std::vector<std::uint32_t>;

// An 8 x 8 matrix `matrix` of 16-bit elements: element (row, column) is 256 matrix + 16 row + column.
std::uint32_t element(std::uint32_t matrix, std::uint32_t row, std::uint32_t column) {
  return 256 * matrix + 16 * row + column;
}

Bytes matrices(unsigned count) {
  std::vector<std::uint16_t> values;
  for (unsigned k = 0; k < count; ++k)
    for (unsigned e = 0; e < 64; ++e) values.push_back(static_cast<std::uint16_t>(element(k, e / 8, e % 8)));
  return bytes_of(values);
}

// Copies buffer1 to the shared array `tile`, 16 bytes per thread: 512 bytes for 4 matrices.
const std::string fill_tile = R"(
    .shared .align 16 .b8 tile[512]; .reg .b32 at; .reg .b64 source;
    mov.u32 at, tile; mul.wide.u32 source, tid, 16; add.u64 source, buffer1, source;
    ld.global.v4.u32 {%r50, %r51, %r52, %r53}, [source];
    mad.lo.u32 at, tid, 16, at; st.shared.v4.u32 [at], {%r50, %r51, %r52, %r53}; bar.sync 0;)";

TEST_CASE("ldmatrix gives thread t two adjacent elements of row t / 4") {
  covers("ldmatrix");

  const auto out = run_kernel(fill_tile + R"(
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [at];
    mul.wide.u32 %rd1, tid, 16; add.u64 %rd1, buffer0, %rd1; st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};)",
                              {.buffers = {zeros(512), matrices(4)}});
  for (std::uint32_t t = 0; t < 32; ++t)
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t low = element(k, t / 4, 2 * (t % 4)), high = element(k, t / 4, 2 * (t % 4) + 1);
      CHECK(out.words()[t * 4 + k] == (high << 16 | low));
    }
}

TEST_CASE("ldmatrix.trans gives thread t two adjacent elements of column t / 4") {
  for (const Schedule& schedule : every_schedule()) {
    const auto out = results(fill_tile + R"(
      ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r1}, [at]; st.global.u32 [mine], %r1;)",
                             {.buffers = {matrices(4)}, .schedule = schedule});
    CHECK(out == each(32, [](auto t) {
            return element(0, 2 * (t % 4) + 1, t / 4) << 16 | element(0, 2 * (t % 4), t / 4);
          }));
  }
}

TEST_CASE("ldmatrix of two matrices uses the addresses of the first 16 lanes") {
  // Lanes 16 and up hold invalid addresses.
  const auto out = results(fill_tile + R"(
    setp.ge.u32 %p1, tid, 16; @%p1 mov.u32 at, 0;
    ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1, %r2}, [at]; st.global.u32 [mine], %r2;)",
                           {.buffers = {matrices(4)}});
  CHECK(out[5] == (element(1, 1, 3) << 16 | element(1, 1, 2)));
}

TEST_CASE("stmatrix writes what ldmatrix reads") {
  covers("stmatrix");

  for (const std::string trans : {"", ".trans"}) {
    const auto out = run_kernel(fill_tile + R"(
      .shared .align 16 .b8 copy[512]; mov.u32 %r9, copy; mad.lo.u32 %r9, tid, 16, %r9;
      ldmatrix.sync.aligned.m8n8.x4)" +
                                    trans + R"(.shared.b16 {%r1, %r2, %r3, %r4}, [at];
      stmatrix.sync.aligned.m8n8.x4)" +
                                    trans + R"(.shared.b16 [%r9], {%r1, %r2, %r3, %r4}; bar.sync 0;
      ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r9];
      mul.wide.u32 %rd1, tid, 16; add.u64 %rd1, buffer0, %rd1; st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};)",
                                {.buffers = {zeros(512), matrices(4)}});
    CHECK(out.buffers[0] == matrices(4));
  }
}

TEST_CASE("movmatrix transposes the fragments") {
  const auto out = results(fill_tile + R"(
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [at];
    movmatrix.sync.aligned.m8n8.trans.b16 %r2, %r1; st.global.u32 [mine], %r2;)",
                           {.buffers = {matrices(4)}});
  CHECK(out == each(32, [](auto t) {
          return element(0, 2 * (t % 4) + 1, t / 4) << 16 | element(0, 2 * (t % 4), t / 4);
        }));
}

// f16 bits of small integers.
std::uint32_t half(int value) {
  if (value == 0) return 0;
  const std::uint32_t sign = value < 0 ? 0x8000 : 0;
  const auto magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value);
  const auto exponent = static_cast<std::uint32_t>(31 - std::countl_zero(magnitude));
  return sign | (exponent + 15) << 10 | (magnitude << (10 - exponent) & 0x3ff);
}

int a_of(int row, int k) { return (row * 3 + k * 5) % 7 - 3; }
int b_of(int k, int column) { return (k * 2 + column) % 5 - 2; }

// ISA 9.7.15: fragments of mma.m16n8k16 with 16-bit A and B. g = lane / 4, t = lane % 4.
Bytes fragments_of_a() {
  Words words;
  for (int lane = 0; lane < 32; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int k = 0; k < 4; ++k) {
      const int row = g + (k % 2 ? 8 : 0), column = 2 * t + (k >= 2 ? 8 : 0);
      words.push_back(half(a_of(row, column + 1)) << 16 | half(a_of(row, column)));
    }
  }
  return bytes_of(words);
}

Bytes fragments_of_b() {
  Words words;
  for (int lane = 0; lane < 32; ++lane) {
    const int g = lane / 4, t = lane % 4;
    for (int k = 0; k < 2; ++k) {
      const int row = 2 * t + 8 * k;
      words.push_back(half(b_of(row + 1, g)) << 16 | half(b_of(row, g)));
    }
  }
  return bytes_of(words);
}

TEST_CASE("mma multiplies a 16 x 16 matrix by a 16 x 8 matrix and adds") {
  for (const Schedule& schedule : every_schedule()) {
    const auto out =
        run_kernel(R"(
      mul.wide.u32 %rd1, tid, 16; add.u64 %rd2, buffer1, %rd1; add.u64 %rd3, buffer0, %rd1;
      mul.wide.u32 %rd4, tid, 8; add.u64 %rd4, buffer2, %rd4; mov.f32 %f9, 0f40000000;
      ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2]; ld.global.v2.u32 {%r5, %r6}, [%rd4];
      mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6},
        {%f9, %f9, %f9, %f9};
      st.global.v4.f32 [%rd3], {%f1, %f2, %f3, %f4};)",
                   {.buffers = {zeros(512), fragments_of_a(), fragments_of_b()}, .schedule = schedule});
    const auto d = out.values<float>(0);
    for (int lane = 0; lane < 32; ++lane)
      for (int k = 0; k < 4; ++k) {
        const int row = lane / 4 + (k >= 2 ? 8 : 0), column = 2 * (lane % 4) + k % 2;
        int sum = 2;
        for (int j = 0; j < 16; ++j) sum += a_of(row, j) * b_of(j, column);
        CHECK(d[static_cast<std::size_t>(lane * 4 + k)] == static_cast<float>(sum));
      }
  }
}

TEST_CASE("a matrix instruction without all lanes is reported") {
  const Finding finding = finding_of(R"(
    .shared .align 16 .b8 tile[512]; mov.u32 %r1, tile;
    setp.lt.u32 %p1, tid, 16; @%p1 ret;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];)",
                                     {.buffers = {}});
  CHECK(finding.kind == Kind::crash);
  CHECK(contains(finding.message, "needs all 32 lanes"));
}

}  // namespace
}  // namespace foldproof::machine_tests
