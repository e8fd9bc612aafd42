// Output and termination: printf, assert, trap; and instructions without an observable effect.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

std::string quoted(const std::string& text) {
  std::string bytes;
  for (const char c : text) bytes += fmt::format("{}, ", static_cast<int>(static_cast<unsigned char>(c)));
  return bytes + "0";
}

std::string string_variable(const std::string& name, const std::string& text) {
  return fmt::format(".global .align 1 .b8 {}[{}] = {{{}}}; ", name, text.size() + 1, quoted(text));
}

const std::string printf_declaration =
    ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values); ";

const std::string call_printf = R"(
  mov.u64 %rd1, format; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, values; cvta.local.u64 %rd2, %rd2;
  { .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2;
    call (r), vprintf, (a, b); ld.param.b32 %r1, [r]; })";

// The output of one thread that calls printf with `format` after `stores` wrote the arguments to [values].
std::string printed(const std::string& format, const std::string& stores, Setting setting = {}) {
  setting.module = printf_declaration + string_variable("format", format) + string_variable("word", "reduce");
  if (setting.block == Dim3{32, 1, 1}) setting.block = {1, 1, 1};
  return run_kernel(".local .align 8 .b8 values[64]; " + stores + call_printf, setting).report.printed;
}

TEST_CASE("printf prints text and integers") {
  CHECK(printed("plain\n", "") == "plain\n");
  CHECK(printed("%d %i|%5d|%-5d|%05d|%+d", R"(
    st.local.u32 [values], -7; st.local.u32 [values+4], 8; st.local.u32 [values+8], 42;
    st.local.u32 [values+12], 42; st.local.u32 [values+16], 42; st.local.u32 [values+20], 42;)") ==
        "-7 8|   42|42   |00042|+42");
  CHECK(printed("%u %x %X %#x %o %c %%", R"(
    st.local.u32 [values], -1; st.local.u32 [values+4], 255; st.local.u32 [values+8], 255;
    st.local.u32 [values+12], 255; st.local.u32 [values+16], 8; st.local.u32 [values+20], 65;)") ==
        "4294967295 ff FF 0xff 10 A %");
}

TEST_CASE("printf prints 64-bit integers, each at its alignment") {
  CHECK(printed("%d %lld %lu %llx", R"(
    st.local.u32 [values], 1; st.local.u64 [values+8], -5000000000; st.local.u64 [values+16], 5000000000;
    st.local.u64 [values+24], 0x123456789a;)") == "1 -5000000000 5000000000 123456789a");
}

TEST_CASE("printf prints floats, which are passed as double") {
  CHECK(printed("%f %.2f %e %g %8.3f", R"(
    st.local.f64 [values], 0d3FF8000000000000; st.local.f64 [values+8], 0d400921FB54442D18;
    st.local.f64 [values+16], 0d40FE240000000000; st.local.f64 [values+24], 0d3FD0000000000000;
    st.local.f64 [values+32], 0dC000000000000000;)") == "1.500000 3.14 1.234560e+05 0.25   -2.000");
}

TEST_CASE("printf prints strings and pointers") {
  CHECK(printed("<%s> <%8s> %p", R"(
    mov.u64 %rd9, word; cvta.global.u64 %rd9, %rd9; st.local.u64 [values], %rd9; st.local.u64 [values+8], %rd9;
    mov.u64 %rd9, 0x1234; st.local.u64 [values+16], %rd9;)") == "<reduce> <  reduce> 0x1234");
}

TEST_CASE("printf takes a width from an argument") {
  CHECK(printed("%*d|%.*f", R"(
    st.local.u32 [values], 4; st.local.u32 [values+4], 7; st.local.u32 [values+8], 1;
    st.local.f64 [values+16], 0d3FF8000000000000;)") == "   7|1.5");
}

TEST_CASE("printf returns the number of arguments that it printed") {
  const Setting setting{.buffers = {zeros(4)},
                        .module = printf_declaration + string_variable("format", "%d %d\n"),
                        .block = {1, 1, 1}};
  CHECK(run_kernel(".local .align 8 .b8 values[8]; st.local.v2.u32 [values], {1, 2};" + call_printf +
                       "st.global.u32 [mine], %r1;",
                   setting)
            .words()[0] == 2);
}

TEST_CASE("an invalid or truncated conversion is printed without reading invalid memory") {
  CHECK(printed("100%", "").starts_with("100"));
  CHECK(printed("%q %d", "st.local.u32 [values], 3;").size() < 20);
  CHECK(printed("%9999999999999d", "st.local.u32 [values], 3;").size() < 600);
}

TEST_CASE("lanes print one after another, in the order of the schedule") {
  const std::string store = "st.local.u32 [values], tid; ";
  CHECK(printed("%d ", store, {.buffers = {}, .block = {3, 1, 1}}) == "0 1 2 ");
  CHECK(printed("%d ", store,
                {.buffers = {}, .block = {3, 1, 1}, .schedule = schedule_named("lanes-backward")}) ==
        "2 1 0 ");
}

TEST_CASE("a failed assertion ends the launch and is reported") {
  const std::string module =
      ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 "
      "s); " +
      string_variable("what", "count > 0") + string_variable("file", "sum.cu") +
      string_variable("function", "sum");
  const Finding finding = finding_of(R"(
    setp.ne.u32 %p1, tid, 5; @%p1 ret;
    mov.u64 %rd1, what; cvta.global.u64 %rd1, %rd1; mov.u64 %rd2, file; cvta.global.u64 %rd2, %rd2;
    mov.u64 %rd3, function; cvta.global.u64 %rd3, %rd3;
    { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
      st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; st.param.b32 [c], 12; st.param.b64 [d], %rd3;
      st.param.b64 [e], 1; call __assertfail, (a, b, c, d, e); })",
                                     {.buffers = {}, .module = module});
  CHECK(finding.kind == Kind::crash);
  CHECK(contains(finding.message, "the assertion `count > 0` failed in sum (sum.cu:12)"));
  REQUIRE(finding.threads.size() == 1);
  CHECK(finding.threads[0].thread == Dim3{5, 0, 0});
}

TEST_CASE("a trap ends the launch and keeps what was written before") {
  covers("trap");
  covers("brkpt");

  for (const char* instruction : {"trap", "brkpt"}) {
    const Outcome run = try_kernel(fmt::format(R"(
      st.global.u32 [mine], 1; bar.sync 0; setp.eq.u32 %p1, tid, 40; @%p1 {}; bar.sync 0; st.global.u32 [mine], 2;)",
                                               instruction),
                                   {.buffers = {zeros(256)}, .block = {64, 1, 1}});
    REQUIRE(run.report.findings.size() == 1);
    CHECK(run.report.findings[0].kind == Kind::crash);
    CHECK(contains(run.report.findings[0].message, "trap"));
    REQUIRE(run.report.findings[0].threads.size() == 1);
    CHECK(run.report.findings[0].threads[0].thread == Dim3{40, 0, 0});
    CHECK(run.words() == all(64, 1));
  }
}

TEST_CASE("a trap that no lane executes has no effect") {
  CHECK(results("setp.gt.u32 %p1, tid, 100; @%p1 trap; st.global.u32 [mine], 1;") == all(32, 1));
}

TEST_CASE("fences, sleeps, prefetches and hints have no effect on values") {
  covers("fence");
  covers("fence_restricted");
  covers("fence_mbarrier_init");
  covers("fence_proxy");
  covers("membar");
  covers("membar_proxy");
  covers("nanosleep");
  covers("prefetch");
  covers("prefetchu");

  covers("applypriority");
  covers("pmevent");
  covers("griddepcontrol");
  covers("setmaxnreg");

  for (const char* instruction : {"fence.acq_rel.gpu;",
                                  "fence.sc.sys;",
                                  "fence.cta;",
                                  "fence.release.cluster;",
                                  "fence.acquire.gpu;",
                                  "membar.cta;",
                                  "membar.gl;",
                                  "membar.sys;",
                                  "fence.proxy.async;",
                                  "fence.proxy.alias;",
                                  "fence.mbarrier_init.release.cluster;",
                                  "fence.acquire.sync_restrict::shared::cluster.cluster;",
                                  "membar.proxy.alias;",
                                  "nanosleep.u32 100;",
                                  "nanosleep.u32 tid;",
                                  "prefetch.global.L1 [mine];",
                                  "prefetch.L2 [mine];",
                                  "prefetch.global.L2::evict_last [mine];",
                                  "prefetchu.L1 [mine];",
                                  "applypriority.global.L2::evict_normal [mine], 128;",
                                  "pmevent 3;",
                                  "pmevent.mask 5;",
                                  "griddepcontrol.wait;",
                                  "griddepcontrol.launch_dependents;",
                                  "setmaxnreg.inc.sync.aligned.u32 64;"}) {
    INFO(instruction);
    CHECK(results(std::string("st.global.u32 [mine], tid;") + instruction +
                  "ld.global.u32 %r1, [mine]; add.u32 %r1, %r1, 1; st.global.u32 [mine], %r1;") ==
          each(32, [](auto k) { return k + 1; }));
  }
}

TEST_CASE("an instruction without a row in ptx.def is refused with its line only when it is executed") {
  const std::string body = "mov.u32 %r1, 3;\n{}tanh.approx.f64x7 %f1, %f2;\nst.global.u32 [mine], %r1;";
  const Setting setting{.buffers = {zeros(128)}};
  CHECK(run_kernel(fmt::format("setp.gt.u32 %p1, tid, 50; {}", fmt::format(fmt::runtime(body), "@%p1 ")),
                   setting)
            .words() == all(32, 3));
  CHECK(run_kernel("bra over; tanh.approx.f64x7 %f1, %f2; over: st.global.u32 [mine], 3;", setting).words() ==
        all(32, 3));
  try {
    try_kernel(fmt::format(fmt::runtime(body), ""), setting);
    FAIL("Nothing was refused");
  } catch (const Unsupported& error) {
    CHECK(contains(error.what(), "tanh.approx.f64x7"));
    CHECK(error.position().line == 2);
  }
}

}  // namespace
}  // namespace foldproof::machine_tests
