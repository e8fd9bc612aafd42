// Loads and stores: every state space, every width, vectors, extension.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

using Words = std::vector<std::uint32_t>;

// Runs `body` with an input buffer, buffer1, and returns the results.
Words results_from(const std::string& body, Bytes input, Dim3 block = {1, 1, 1}) {
  return results(body, {.buffers = {std::move(input)}, .block = block});
}

TEST_CASE("every lane loads and stores its own element") {
  covers("ld");
  covers("st");

  const auto out = results_from(R"(
    mul.wide.u32 %rd1, tid, 4; add.u64 %rd1, buffer1, %rd1;
    ld.global.u32 %r1, [%rd1]; st.global.u32 [mine], %r1;)",
                                words(each(32, [](auto k) { return 1000 - 7 * k; })), {32, 1, 1});
  CHECK(out == each(32, [](auto k) { return 1000 - 7 * k; }));
}

TEST_CASE("lanes gather from addresses in any order") {
  const auto out = results_from(R"(
    mul.lo.u32 %r1, tid, 5; and.b32 %r1, %r1, 31;
    mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, buffer1, %rd1;
    ld.global.u32 %r2, [%rd1]; st.global.u32 [mine], %r2;)",
                                words(each(32, [](auto k) { return k * k; })), {32, 1, 1});
  CHECK(out == each(32, [](auto k) { return (k * 5 % 32) * (k * 5 % 32); }));
}

TEST_CASE("narrow loads are extended according to their type") {
  const Bytes input = words({0x80c1f2ff});
  auto loaded = [&](const std::string& type, const std::string& target) {
    return results_from("ld.global." + type + " " + target + ", [buffer1]; " +
                            (target[1] == 'h' ? "cvt.u32.u16 %r1, " + target + ";" : "") +
                            "st.global.u32 [mine], %r1;",
                        input)[0];
  };
  CHECK(loaded("u8", "%r1") == 0xff);
  CHECK(loaded("b8", "%r1") == 0xff);
  CHECK(loaded("s8", "%r1") == 0xffffffff);
  CHECK(loaded("u16", "%r1") == 0xf2ff);
  CHECK(loaded("s16", "%r1") == 0xfffff2ff);
  CHECK(loaded("u32", "%r1") == 0x80c1f2ff);
  CHECK(loaded("u8", "%h1") == 0xff);
  CHECK(loaded("s8", "%h1") == 0xffff);
  CHECK(loaded("b16", "%h1") == 0xf2ff);
}

TEST_CASE("loads into 64-bit registers are extended to the full width") {
  const Bytes input = doublewords({0x0000000080c1f2ff});
  auto upper = [&](const std::string& type) {
    return results_from("ld.global." + type + R"( %rd1, [buffer1]; shr.u64 %rd1, %rd1, 32;
                        cvt.u32.u64 %r1, %rd1; st.global.u32 [mine], %r1;)",
                        input)[0];
  };
  CHECK(upper("s8") == 0xffffffff);
  CHECK(upper("u8") == 0);
  CHECK(upper("s16") == 0xffffffff);
  CHECK(upper("u16") == 0);
  CHECK(upper("s32") == 0xffffffff);
  CHECK(upper("u32") == 0);
  CHECK(upper("b64") == 0);
}

TEST_CASE("extension also works for 32 consecutive lanes") {
  const auto out = results_from(R"(
    cvt.u64.u32 %rd1, tid; add.u64 %rd1, buffer1, %rd1;
    ld.global.s8 %r1, [%rd1]; st.global.u32 [mine], %r1;)",
                                bytes_of<std::uint8_t>([] {
                                  std::vector<std::uint8_t> bytes;
                                  for (int k = 0; k < 32; ++k)
                                    bytes.push_back(static_cast<std::uint8_t>(k * 8));
                                  return bytes;
                                }()),
                                {32, 1, 1});
  CHECK(out == each(32, [](auto k) { return static_cast<std::int8_t>(k * 8); }));
}

TEST_CASE("narrow stores write only the low bytes") {
  const Setting setting{.buffers = {words({0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa})},
                        .block = {1, 1, 1}};
  const auto out = run_kernel(R"(
    mov.b32 %r1, 0x12345678; mov.b64 %rd1, 0x1122334455667788; mov.b16 %h1, 0xabcd;
    st.global.u8 [buffer0+1], %r1;
    st.global.b16 [buffer0+6], %h1;
    st.global.u32 [buffer0+8], %rd1;
    st.global.u8 [buffer0+15], %rd1;)",
                              setting);
  CHECK(out.words() == Words{0xaaaa78aa, 0xabcdaaaa, 0x55667788, 0x88aaaaaa});
}

TEST_CASE("immediates are stored at the width of the type") {
  const Setting setting{.buffers = {words({0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa})}, .block = {1, 1, 1}};
  const auto out = run_kernel(R"(
    st.global.u8 [buffer0], 5;
    st.global.f32 [buffer0+4], 0f3F800000;
    st.global.u16 [buffer0+8], -2;)",
                              setting);
  CHECK(out.words() == Words{0xaaaaaa05, 0x3f800000, 0xaaaafffe});
}

TEST_CASE("vectors load and store their elements in order") {
  const auto out = run_kernel(R"(
    ld.global.v2.u32 {%r1, %r2}, [buffer1];
    ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [buffer1+16];
    st.global.v2.u32 [buffer0], {%r2, %r1};
    st.global.v4.u32 [buffer0+16], {%r6, %r5, %r4, %r3};)",
                              {.buffers = {zeros(32), words({1, 2, 0, 0, 3, 4, 5, 6})}, .block = {1, 1, 1}});
  CHECK(out.words() == Words{2, 1, 0, 0, 6, 5, 4, 3});
}

TEST_CASE("vectors of bytes, halves and double words are loaded and stored") {
  const auto out = run_kernel(
      R"(
    ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [buffer1];
    ld.global.v2.b16 {%h1, %h2}, [buffer1+4];
    ld.global.v2.b64 {%rd1, %rd2}, [buffer1+16];
    st.global.v4.u8 [buffer0], {%r4, %r3, %r2, %r1};
    st.global.v2.b16 [buffer0+4], {%h2, %h1};
    st.global.v2.b64 [buffer0+16], {%rd2, %rd1};)",
      {.buffers = {zeros(32), words({0x04030201, 0x22221111, 0, 0, 1, 2, 3, 4})}, .block = {1, 1, 1}});
  CHECK(out.words() == Words{0x01020304, 0x11112222, 0, 0, 3, 4, 1, 2});
}

TEST_CASE("256-bit vectors of eight words are loaded and stored") {
  const auto out = run_kernel(R"(
    ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [buffer1];
    st.global.v8.b32 [buffer0], {%r8, %r7, %r6, %r5, %r4, %r3, %r2, %r1};)",
                              {.buffers = {zeros(32), words({1, 2, 3, 4, 5, 6, 7, 8})}, .block = {1, 1, 1}});
  CHECK(out.words() == Words{8, 7, 6, 5, 4, 3, 2, 1});
}

TEST_CASE("consecutive lanes load vectors element by element") {
  const auto out = results_from(R"(
    mul.wide.u32 %rd1, tid, 16; add.u64 %rd1, buffer1, %rd1;
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
    mad.lo.u32 %r5, %r4, 1000, %r1; st.global.u32 [mine], %r5;)",
                                words(each(128, [](auto k) { return k; })), {32, 1, 1});
  CHECK(out == each(32, [](auto k) { return (4 * k + 3) * 1000 + 4 * k; }));
}

TEST_CASE("an element of a loaded vector may be discarded") {
  const auto out = results_from(R"(
    mov.u32 %r1, 7;
    ld.global.v4.u8 {_, %r1, _, %r2}, [buffer1];
    ld.global.v2.u32 {%r3, _}, [buffer1+8];
    mad.lo.u32 %r1, %r2, 256, %r1; add.u32 %r1, %r1, %r3; st.global.u32 [mine], %r1;)",
                                words({0x04030201, 0, 0x10000, 9}));
  CHECK(out[0] == 0x10402);
}

TEST_CASE("128-bit registers move 16 bytes") {
  const auto out = run_kernel("ld.global.b128 %q1, [buffer1+16]; st.global.b128 [buffer0], %q1;",
                              {.buffers = {zeros(16), words({0, 0, 0, 0, 1, 2, 3, 4})}, .block = {1, 1, 1}});
  CHECK(out.words() == Words{1, 2, 3, 4});
}

TEST_CASE("floats are loaded and stored bit for bit") {
  const auto out = run_kernel(
      R"(
    ld.global.f32 %f1, [buffer1]; st.global.f32 [buffer0], %f1;
    ld.global.f64 %d1, [buffer1+8]; st.global.f64 [buffer0+8], %d1;)",
      {.buffers = {zeros(16), words({0x7f812345, 0, 0x89abcdef, 0x7ff01234})}, .block = {1, 1, 1}});
  CHECK(out.words() == Words{0x7f812345, 0, 0x89abcdef, 0x7ff01234});
}

TEST_CASE("memory order and caching qualifiers do not affect the value") {
  covers("ld_nc");
  covers("ldu");

  for (const char* load :
       {"ld.weak.global.u32", "ld.volatile.global.u32", "ld.relaxed.gpu.global.u32",
        "ld.acquire.sys.global.u32", "ld.relaxed.cta.global.u32", "ld.global.ca.u32", "ld.global.cg.u32",
        "ld.global.cv.u32", "ld.global.nc.u32", "ld.global.L1::no_allocate.L2::128B.u32",
        "ld.global.nc.L1::evict_last.u32", "ldu.global.u32", "ld.u32", "ld.acquire.gpu.u32",
        "ld.mmio.relaxed.sys.global.u32", "ld.relaxed.cluster.global.u32"}) {
    INFO(load);
    CHECK(results_from(std::string(load) + " %r1, [buffer1]; st.global.u32 [mine], %r1;", words({77}))[0] ==
          77);
  }
  for (const char* store :
       {"st.weak.global.u32", "st.volatile.global.u32", "st.relaxed.gpu.global.u32",
        "st.release.gpu.global.u32", "st.global.wb.u32", "st.global.cs.u32", "st.global.wt.u32", "st.u32",
        "st.global.L1::no_allocate.u32", "st.release.cluster.u32", "st.mmio.relaxed.sys.global.u32"}) {
    INFO(store);
    CHECK(results_from(std::string(store) + " [mine], 77;", {})[0] == 77);
  }
}

TEST_CASE("a cache policy does not affect the value") {
  const auto out = run_kernel(R"(
    mov.b64 %rd9, 0;
    ld.global.L2::cache_hint.u32 %r1, [buffer1], %rd9;
    st.global.L2::cache_hint.u32 [buffer0], %r1, %rd9;)",
                              {.buffers = {zeros(4), words({77})}, .block = {1, 1, 1}});
  CHECK(out.words()[0] == 77);
}

TEST_CASE("each block has its own shared variables") {
  const auto out = results(R"(
    .shared .u32 box[64];
    mov.u32 %r1, box; mad.lo.u32 %r1, tid, 4, %r1;
    mad.lo.u32 %r2, cta, 100, tid; st.shared.u32 [%r1], %r2;
    bar.sync 0;
    mov.u32 %r3, box; sub.u32 %r4, 63, tid; mad.lo.u32 %r3, %r4, 4, %r3;
    ld.shared.u32 %r5, [%r3]; st.global.u32 [mine], %r5;)",
                           {.buffers = {}, .grid = {2, 1, 1}, .block = {64, 1, 1}});
  CHECK(out == each(128, [](auto k) { return k / 64 * 100 + 63 - k % 64; }));
}

TEST_CASE("scopes that declare shared variables with the same name have separate ones") {
  CHECK(results(R"(
    .shared .u32 box; st.shared.u32 [box], 1;
    { .shared .u32 box; st.shared.u32 [box], 20; }
    { .shared .u32 box; st.shared.u32 [box], 300; ld.shared.u32 %r1, [box]; }
    ld.shared.u32 %r2, [box]; add.u32 %r1, %r1, %r2; st.global.u32 [mine], %r1;)",
                {.buffers = {}, .block = {1, 1, 1}}) == all(1, 301));
}

TEST_CASE("shared memory can be accessed by name, by 64-bit address and by generic address") {
  const auto out = results(R"(
    .shared .align 8 .b8 box[16];
    st.shared.u32 [box+4], 5;
    mov.u64 %rd1, box; ld.shared.u32 %r1, [%rd1+4];
    cvta.shared.u64 %rd2, %rd1; ld.u32 %r2, [%rd2+4];
    st.u32 [%rd2+8], 30; ld.shared.u32 %r3, [box+8];
    cvta.to.shared.u64 %rd3, %rd2; ld.shared.u32 %r4, [%rd3+4];
    add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; st.global.u32 [mine], %r1;)",
                           {.buffers = {}, .block = {1, 1, 1}});
  CHECK(out[0] == 45);
}

TEST_CASE("dynamic shared memory has the size given by the launch") {
  const auto out =
      results(R"(
    mov.u32 %r1, pool; mad.lo.u32 %r1, tid, 4, %r1; st.shared.u32 [%r1], tid;
    xor.b32 %r2, %r1, 0; ld.shared.u32 %r3, [%r2]; st.global.u32 [mine], %r3;)",
              {.buffers = {}, .module = ".extern .shared .align 16 .b8 pool[];", .shared_bytes = 128});
  CHECK(out == each(32, [](auto k) { return k; }));
}

TEST_CASE("all dynamic shared arrays are the same memory") {
  const auto out = results("st.shared.u32 [one], 9; ld.shared.u32 %r1, [two]; st.global.u32 [mine], %r1;",
                           {.buffers = {},
                            .module = ".extern .shared .b8 one[]; .extern .shared .align 8 .b32 two[];",
                            .block = {1, 1, 1},
                            .shared_bytes = 8});
  CHECK(out[0] == 9);
}

TEST_CASE("each thread has its own local variables") {
  const auto out = results(R"(
    .local .align 4 .b8 depot[16];
    mov.u64 %rd1, depot; st.local.u32 [%rd1+8], tid; st.local.u32 [depot+4], 1000;
    cvta.local.u64 %rd2, %rd1; ld.u32 %r1, [%rd2+8]; ld.local.u32 %r2, [depot+4];
    add.u32 %r1, %r1, %r2; st.global.u32 [mine], %r1;)");
  CHECK(out == each(32, [](auto k) { return k + 1000; }));
}

TEST_CASE("constant tables hold their initial values") {
  const auto out =
      results(R"(
    mov.u64 %rd1, table; and.b32 %r1, tid, 3; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
    ld.const.u32 %r2, [%rd1]; cvta.const.u64 %rd3, %rd1; ld.u32 %r3, [%rd3]; ld.const.f32 %f1, [half];
    add.u32 %r2, %r2, %r3; mov.b32 %r4, %f1; add.u32 %r2, %r2, %r4; st.global.u32 [mine], %r2;)",
              {.buffers = {}, .module = ".const .u32 table[4] = {10, 20, 30}; .const .f32 half = 0.5;"});
  const std::uint32_t table[] = {10, 20, 30, 0};
  CHECK(out == each(32, [&](auto k) { return 2 * table[k % 4] + 0x3f000000; }));
}

TEST_CASE("global variables hold their initial values, including addresses, and can be written") {
  const auto out = results(R"(
    ld.global.u64 %rd1, [pointer]; ld.global.u32 %r1, [%rd1];
    ld.global.u32 %r2, [numbers]; st.global.u32 [blank], 7; ld.global.u32 %r3, [blank];
    add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [mine], %r1;)",
                           {.buffers = {},
                            .module = ".global .u32 numbers[3] = {100, 200, 300}; .global .u32 blank;"
                                      ".global .u64 pointer = numbers+8;",
                            .block = {1, 1, 1}});
  CHECK(out[0] == 407);
}

TEST_CASE("a global variable without an initializer is zero") {
  CHECK(results("ld.global.u32 %r1, [blank+4]; st.global.u32 [mine], %r1;",
                {.buffers = {}, .module = ".global .u32 blank[2];", .block = {1, 1, 1}})[0] == 0);
}

TEST_CASE("kernel parameters can be read at offsets, with extension, and by address") {
  const std::string text = R"(.version 9.0 .target sm_90 .address_size 64
    .entry k(.param .u64 out, .param .align 8 .b8 pair[16], .param .s8 small) {
      .reg .b64 %rd<8>; .reg .b32 %r<8>;
      ld.param.u64 %rd1, [out];
      ld.param.u32 %r1, [pair+4]; ld.param.v2.u32 {%r2, %r3}, [pair+8]; ld.param.s8 %r4, [small];
      mov.b64 %rd2, pair; ld.param.u32 %r5, [%rd2+4];
      cvta.param.u64 %rd3, %rd2; ld.u32 %r6, [%rd3+12];
      st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; st.global.v2.u32 [%rd1+16], {%r5, %r6};
    })";
  emulated::Device device;
  const auto module = device.load({"test.ptx", text});
  REQUIRE(device.entries(module).size() == 1);
  CHECK(device.entries(module)[0].parameter_bytes == Words{8, 16, 1});
  const Address out = device.allocate(24, "out");
  const ArgumentBytes arguments[] = {doublewords({out}), words({1, 2, 3, 4}), bytes_of<std::int8_t>({-5})};
  device.launch(module, "k", {{1, 1, 1}, {1, 1, 1}}, arguments, {}, {});
  Words values(6);
  device.read(out, std::as_writable_bytes(std::span(values)));
  CHECK(values == Words{2, 3, 4, 0xfffffffb, 2, 4});
}

TEST_CASE("memory keeps its content between launches") {
  emulated::Device device;
  const std::string text = R"(.version 9.0 .target sm_90 .address_size 64
    .global .u32 count;
    .entry k() { .reg .b32 %r<4>; ld.global.u32 %r1, [count]; add.u32 %r1, %r1, 1; st.global.u32 [count], %r1; }
    .entry read(.param .u64 out) {
      .reg .b64 %rd<4>; .reg .b32 %r<4>;
      ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [count]; st.global.u32 [%rd1], %r1; })";
  const auto module = device.load({"test.ptx", text});
  const Address out = device.allocate(4, "out");
  for (int k = 0; k < 3; ++k) device.launch(module, "k", {{1, 1, 1}, {1, 1, 1}}, {}, {}, {});
  const ArgumentBytes arguments[] = {doublewords({out})};
  device.launch(module, "read", {{1, 1, 1}, {1, 1, 1}}, arguments, {}, {});
  Words values(1);
  device.read(out, std::as_writable_bytes(std::span(values)));
  CHECK(values[0] == 3);
}

TEST_CASE("memory that was never written holds poison: a NaN, and a huge integer") {
  const auto out = results(R"(
    .shared .u32 box; .local .u32 own;
    ld.shared.u32 %r1, [box]; ld.local.u32 %r2, [own]; and.b32 %r1, %r1, %r2; st.global.u32 [mine], %r1;)",
                           {.buffers = {}, .block = {1, 1, 1}});
  float value = 0;
  std::memcpy(&value, &out[0], sizeof value);
  CHECK(value != value);

  emulated::Device device;
  Words fresh(1);
  device.read(device.allocate(4, "fresh"), std::as_writable_bytes(std::span(fresh)));
  CHECK(fresh[0] == out[0]);
}

TEST_CASE("predicated loads and stores act only in lanes whose predicate is true") {
  const auto out = results(R"(
    mov.u32 %r1, 1; setp.lt.u32 %p1, tid, 3;
    @%p1 ld.global.u32 %r1, [buffer1];
    @!%p1 st.global.u32 [mine], %r1;
    @%p1 st.global.u32 [mine], %r1;)",
                           {.buffers = {words({50})}});
  CHECK(out == each(32, [](auto k) { return k < 3 ? 50 : 1; }));
}

TEST_CASE("a variable that another file defines is unsupported where it is used, and only there") {
  const Setting setting{.buffers = {}, .module = R"(
    .extern .global .align 4 .u32 table[4]; .extern .const .align 4 .f32 weight;
    .global .align 8 .u64 pointer = table;)"};
  const auto unsupported = [&](const std::string& load) {
    return refusal<Unsupported>([&] { results(load + "st.global.u32 [mine], %r1;", setting); });
  };
  CHECK(
      contains(unsupported("ld.global.u32 %r1, [table+4];"),
               "the emulated device does not support the variable table, whose value another file defines"));
  CHECK(contains(unsupported("mov.u64 %rd1, table; ld.global.u32 %r1, [%rd1];"), "the variable table"));
  CHECK(contains(unsupported("ld.const.f32 %f1, [weight]; mov.b32 %r1, %f1;"), "the variable weight"));
  CHECK(contains(unsupported("ld.global.u64 %rd1, [pointer]; ld.global.u32 %r1, [%rd1];"),
                 "the variable pointer"));
  CHECK(results("setp.eq.u32 %p1, tid, 99; mov.u32 %r1, 7; @%p1 ld.global.u32 %r1, [table];"
                "st.global.u32 [mine], %r1;",
                setting) == all(32, 7));
}

TEST_CASE("a variable that is declared extern and then defined has its initial value") {
  CHECK(results("ld.global.u32 %r1, [one]; st.global.u32 [mine], %r1;",
                {.buffers = {}, .module = ".extern .global .u32 one; .global .u32 one = 1;"}) == all(32, 1));
}

}  // namespace
}  // namespace foldproof::machine_tests
