// Atomics and reductions: every operation on every type, in global, shared and generic memory.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

/// An operation by one thread: memory before, operand, memory after; in the low bytes of 64 bits.
struct Case {
  const char* suffix;  ///< "add.u32"
  unsigned bytes;      ///< size of the type
  std::uint64_t before, operand, after;
};

const Case cases[] = {
    {"and.b32", 4, 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
    {"or.b32", 4, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0},
    {"xor.b32", 4, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
    {"and.b64", 8, 0xff00000000000001, 0x0f00000000000003, 0x0f00000000000001},
    {"or.b64", 8, 0xf000000000000001, 0x0f00000000000002, 0xff00000000000003},
    {"xor.b64", 8, 0xff00000000000001, 0x0f00000000000003, 0xf000000000000002},
    {"add.u32", 4, 0xfffffffe, 5, 3},
    {"add.s32", 4, 0x7fffffff, 1, 0x80000000},
    {"add.u64", 8, 0xffffffff, 1, 0x100000000},
    {"add.u64", 8, 5, 0xffffffffffffffff, 4},
    {"inc.u32", 4, 3, 7, 4},
    {"inc.u32", 4, 7, 7, 0},
    {"inc.u32", 4, 9, 7, 0},
    {"dec.u32", 4, 3, 7, 2},
    {"dec.u32", 4, 0, 7, 7},
    {"dec.u32", 4, 9, 7, 7},
    {"min.u32", 4, 0xffffffff, 5, 5},
    {"min.s32", 4, 0xffffffff, 5, 0xffffffff},
    {"max.u32", 4, 0xffffffff, 5, 0xffffffff},
    {"max.s32", 4, 0xffffffff, 5, 5},
    {"min.u64", 8, 0xffffffffffffffff, 5, 5},
    {"min.s64", 8, 0xffffffffffffffff, 5, 0xffffffffffffffff},
    {"max.u64", 8, 0xffffffffffffffff, 5, 0xffffffffffffffff},
    {"max.s64", 8, 0xffffffffffffffff, 5, 5},
    {"add.f32", 4, 0x3f800000, 0x40000000, 0x40400000},                          // 1 + 2 = 3
    {"add.f32", 4, 0x3f800000, 0x33800000, 0x3f800000},                          // 1 + 2^-24: tie to even
    {"add.f64", 8, 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000},  // 1 + 2 = 3
    {"add.f64", 8, 0x0000000000000001, 0x0000000000000001, 0x0000000000000002},  // subnormals are kept
    {"add.noftz.f16", 2, 0x3c00, 0x4000, 0x4200},                                // 1 + 2 = 3
    {"add.noftz.f16", 2, 0x0001, 0x0001, 0x0002},                                // subnormals are kept
    {"add.noftz.bf16", 2, 0x3f80, 0x4000, 0x4040},                               // 1 + 2 = 3
    {"add.noftz.f16x2", 4, 0x3c000001, 0x40000001, 0x42000002},
    {"add.noftz.bf16x2", 4, 0x3f803f80, 0x40003f80, 0x40404000},
};

// The memory to use: [place].
const std::pair<const char*, const char*> places[] = {
    {".global", "mov.b64 %rd9, buffer1;"},
    {"", "mov.b64 %rd9, buffer1;"},
    {".shared", "mov.b64 %rd9, box;"},
    {".shared::cluster", "mov.b64 %rd9, box;"},
    {"", "mov.b64 %rd9, box; cvta.shared.u64 %rd9, %rd9;"},
};

const char* register_of(unsigned bytes) { return bytes == 2 ? "%h" : bytes == 4 ? "%r" : "%rd"; }

TEST_CASE("atom returns the old value and writes the combined one") {
  for (const Case& c : cases)
    for (const auto& [space, address] : places) {
      const unsigned bits = c.bytes * 8;
      const std::string r = register_of(c.bytes);
      INFO("atom" << space << "." << c.suffix << " " << address);
      const auto out = run_kernel(
          fmt::format(
              ".shared .b64 box; {0} ld.global.b{1} {2}1, [buffer0]; ld.global.b{1} {2}2, [buffer0+8];"
              "st.b{1} [%rd10], {2}1; atom{3}.{4} {2}3, [%rd9], {2}2; st.global.b{1} [buffer0+16], {2}3;"
              "ld.b{1} {2}4, [%rd10]; st.global.b{1} [buffer0+24], {2}4;",
              address + std::string(" mov.b64 %rd10, %rd9;") +
                  (std::string(space).starts_with(".shared") ? "cvta.shared.u64 %rd10, %rd9;" : ""),
              bits, r, space, c.suffix),
          {.buffers = {doublewords({c.before, c.operand, 0, 0}), zeros(8)}, .block = {1, 1, 1}});
      CHECK(out.values<std::uint64_t>(0)[2] == c.before);
      CHECK(out.values<std::uint64_t>(0)[3] == c.after);
    }
}

TEST_CASE("red combines like atom") {
  for (const Case& c : cases) {
    const std::string r = register_of(c.bytes);
    INFO("red.global." << c.suffix);
    const auto out =
        run_kernel(fmt::format("ld.global.b{0} {1}2, [buffer0+8]; red.global.{2} [buffer0], {1}2;",
                               c.bytes * 8, r, c.suffix),
                   {.buffers = {doublewords({c.before, c.operand})}, .block = {1, 1, 1}});
    CHECK(out.values<std::uint64_t>(0)[0] == c.after);
  }
}

TEST_CASE("f32 sums flush subnormals in global memory and keep them in shared memory") {
  auto sum = [](const std::string& space, const std::string& address) {
    return results(".shared .b32 box; " + address + R"( st.b32 [%rd9], 0x00000003; mov.b32 %f1, 0x00000004;
      )" + (space == ".shared" ? "mov.b64 %rd8, box;" : "mov.b64 %rd8, %rd9;") +
                       "atom" + space +
                       R"(.add.f32 %f2, [%rd8], %f1; ld.u32 %r1, [%rd9]; st.global.u32 [mine], %r1;)",
                   {.buffers = {zeros(4)}, .block = {1, 1, 1}})[0];
  };
  const std::string generic_box = "mov.b64 %rd9, box; cvta.shared.u64 %rd9, %rd9;";
  CHECK(sum(".global", "mov.b64 %rd9, buffer1;") == 0);
  CHECK(sum("", "mov.b64 %rd9, buffer1;") == 0);
  CHECK(sum(".shared", generic_box) == 7);
  CHECK(sum("", generic_box) == 7);
}

TEST_CASE("exch replaces the value, and cas only if it equals the expected one") {
  const auto out =
      run_kernel(R"(
    atom.global.exch.b32 %r1, [buffer1], 50; atom.exch.b64 %rd1, [buffer1+8], 60;
    atom.global.cas.b32 %r2, [buffer1+16], 3, 70; atom.global.cas.b32 %r3, [buffer1+20], 9, 80;
    atom.cas.b64 %rd2, [buffer1+24], 5, 90; mov.b16 %h1, 6; mov.b16 %h2, 7;
    atom.global.cas.b16 %h3, [buffer1+32], %h1, %h2;
    st.global.v4.u32 [buffer0], {%r1, %r2, %r3, 0}; st.global.v2.u64 [buffer0+16], {%rd1, %rd2};
    st.global.u16 [buffer0+32], %h3;)",
                 {.buffers = {zeros(40), words({1, 0, 2, 0, 3, 4, 5, 0, 0x00ff0006})}, .block = {1, 1, 1}});
  CHECK(out.words(0) == std::vector<std::uint32_t>{1, 3, 4, 0, 2, 0, 5, 0, 6, 0});
  CHECK(out.words(1) == std::vector<std::uint32_t>{50, 0, 60, 0, 70, 4, 90, 0, 0x00ff0007});
}

TEST_CASE("vector atomics combine element by element") {
  struct Vector {
    const char* suffix;
    const char* reg;
    unsigned count;
    std::vector<std::uint32_t> before, operand, after;
  };
  const Vector vectors[] = {
      {"add.v2.f32", "f", 2, {0x3f800000, 0x40000000}, {0x3f800000, 0x3f800000}, {0x40000000, 0x40400000}},
      {"add.v4.f32",
       "f",
       4,
       {0x3f800000, 0, 0, 0x40000000},
       {0, 0x3f800000, 0, 0x3f800000},
       {0x3f800000, 0x3f800000, 0, 0x40400000}},
      {"add.noftz.v2.f16", "h", 2, {0x40003c00}, {0x3c003c00}, {0x42004000}},
      {"min.noftz.v2.f16", "h", 2, {0x40003c00}, {0x3c004000}, {0x3c003c00}},
      {"max.noftz.v2.bf16", "h", 2, {0x40003f80}, {0x3f804000}, {0x40004000}},
      {"add.noftz.v4.f16x2",
       "r",
       4,
       {0x3c003c00, 0, 0, 0x40003c00},
       {0x3c003c00, 0x3c00, 0, 0x3c000000},
       {0x40004000, 0x3c00, 0, 0x42003c00}},
      {"max.noftz.v2.bf16x2", "r", 2, {0x3f804000, 0}, {0x40003f80, 0xbf80}, {0x40004000, 0}},
      {"add.noftz.v8.bf16",
       "h",
       8,
       {0x3f803f80, 0, 0, 0x40004000},
       {0x3f803f80, 0, 0x3f80, 0x3f803f80},
       {0x40004000, 0, 0x3f80, 0x40404040}},
  };
  for (const Vector& v : vectors) {
    INFO(v.suffix);
    std::string d, b, loads, stores;
    const unsigned size = v.reg[0] == 'h' ? 2 : 4;
    for (unsigned k = 0; k < v.count; ++k) {
      d += fmt::format("{}%{}{}", k ? ", " : "", v.reg, 20 + k);
      b += fmt::format("{}%{}{}", k ? ", " : "", v.reg, 40 + k);
      loads += fmt::format("ld.global.b{} %{}{}, [buffer1+{}]; ", size * 8, v.reg, 40 + k, k * size);
      stores += fmt::format("st.global.b{} [buffer1+{}], %{}{}; ", size * 8, k * size, v.reg, 20 + k);
    }
    Setting setting{.buffers = {words(v.before), words(v.operand)}, .block = {1, 1, 1}};
    const auto atom = run_kernel(
        fmt::format("{} atom.global.{} {{{}}}, [buffer0], {{{}}}; {}", loads, v.suffix, d, b, stores),
        setting);
    CHECK(atom.words(0) == v.after);
    CHECK(atom.words(1) == v.before);
    const auto red =
        run_kernel(fmt::format("{} red.global.{} [buffer0], {{{}}};", loads, v.suffix, b), setting);
    CHECK(red.words(0) == v.after);
  }
}

TEST_CASE("lanes that access the same word all count, and each gets a different old value") {
  for (const Schedule& schedule : every_schedule()) {
    const auto out = run_kernel("atom.global.add.u32 %r1, [buffer1], 1; st.global.u32 [mine], %r1;",
                                {.buffers = {zeros(256 * 4), zeros(4)},
                                 .grid = {4, 1, 1},
                                 .block = {64, 1, 1},
                                 .schedule = schedule});
    CHECK(out.words(1)[0] == 256);
    auto seen = out.words(0);
    std::sort(seen.begin(), seen.end());
    CHECK(seen == each(256, [](auto k) { return k; }));
  }
}

TEST_CASE("memory order and scope do not affect the value") {
  for (const char* form :
       {"atom.relaxed.gpu.global.add.u32", "atom.acq_rel.sys.add.u32", "atom.acquire.cta.add.u32",
        "atom.release.cluster.global.add.u32", "atom.add.u32"}) {
    INFO(form);
    CHECK(results(std::string(form) + " %r1, [buffer1], 4; st.global.u32 [mine], %r1;",
                  {.buffers = {words({9})}, .block = {1, 1, 1}})[0] == 9);
  }
  for (const char* form :
       {"red.relaxed.gpu.global.add.u32", "red.release.gpu.global.add.u32", "red.add.u32"}) {
    INFO(form);
    CHECK(run_kernel(std::string(form) + " [buffer0], 4;", {.buffers = {words({9})}, .block = {1, 1, 1}})
              .words()[0] == 13);
  }
}

TEST_CASE("the old value may be discarded") {
  CHECK(run_kernel("atom.global.add.u32 _, [buffer0], 4;", {.buffers = {words({9})}, .block = {1, 1, 1}})
            .words()[0] == 13);
}

TEST_CASE("a predicated atomic acts only in lanes whose predicate is true") {
  CHECK(run_kernel("setp.lt.u32 %p1, tid, 5; @%p1 red.global.add.u32 [buffer0], 1;", {.buffers = {zeros(4)}})
            .words()[0] == 5);
}

TEST_CASE("atomics on shared memory sum over a block") {
  CHECK(results(R"(
    .shared .u32 sum; setp.eq.u32 %p1, tid, 0; @%p1 st.shared.u32 [sum], 0; bar.sync 0;
    red.shared.add.u32 [sum], tid; bar.sync 0; ld.shared.u32 %r1, [sum]; st.global.u32 [mine], %r1;)",
                {.buffers = {}, .block = {100, 1, 1}}) == all(100, 4950));
}

TEST_CASE("a compare-and-swap loop finds the maximum") {
  for (const Schedule& schedule : every_schedule()) {
    const auto out = run_kernel(R"(
      xor.b32 %r1, tid, 21; ld.global.u32 %r2, [buffer0];
      next: max.u32 %r3, %r1, %r2; mov.u32 %r4, %r2;
      atom.global.cas.b32 %r2, [buffer0], %r4, %r3; setp.ne.u32 %p1, %r2, %r4; @%p1 bra next;)",
                                {.buffers = {zeros(4)}, .block = {64, 1, 1}, .schedule = schedule});
    CHECK(out.words()[0] == 63);
  }
}

}  // namespace
}  // namespace foldproof::machine_tests
