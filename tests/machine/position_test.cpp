// The position of a finding: the source line given by .loc, the innermost one in the user's code.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

Position place_of(const std::string& locs, const std::string& files) {
  const std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .b32 %r<2>;\n" +
                           locs + "\nld.global.u32 %r1, [16];\nret;\n}\n" + files;
  const Outcome run = run_module(text, {.buffers = {}, .block = {1, 1, 1}});
  REQUIRE(run.report.findings.size() == 1);
  return run.report.findings[0].at;
}

TEST_CASE("a finding is at the line of the last .loc") {
  const Position at = place_of(".loc 1 10 3\nmov.u32 %r1, 0;\n.loc 1 12 7", ".file 1 \"sum.cu\"");
  CHECK(at.file == "sum.cu");
  CHECK(at.line == 12);
  CHECK(at.column == 7);
}

TEST_CASE("an instruction with line 0 has the position of the preceding line") {
  CHECK(place_of(".loc 1 10 3\nmov.u32 %r1, 0;\n.loc 1 0 7", ".file 1 \"sum.cu\"").line == 10);
  CHECK(place_of(".loc 1 0 7", ".file 1 \"sum.cu\"").file == "test.ptx");
}

TEST_CASE("without .loc, a finding is at its line of the PTX") {
  const Position at = place_of("", "");
  CHECK(at.file == "test.ptx");
  CHECK(at.line == 7);
}

TEST_CASE("a line of the PTX is not reported as a line of the source") {
  emulated::Device device;
  const auto module = device.load({"sum.cu",
                                   ".version 9.0 .target sm_90 .address_size 64\n.entry k() {\n.reg "
                                   ".b32 %r1;\nld.global.u32 %r1, [16]; ret; }"});
  const LaunchReport report = device.launch(module, "k", {{1, 1, 1}, {1, 1, 1}}, {}, {}, {});
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].at.file == "the PTX of sum.cu");
  CHECK(report.findings[0].at.line == 4);
}

TEST_CASE("inlined user code is reported where it is written") {
  const Position at =
      place_of(".loc 1 30 3\nmov.u32 %r1, 0;\n.loc 2 5 1, function_name $L__info_string0, inlined_at 1 30 3",
               ".file 1 \"sum.cu\"\n.file 2 \"fold.cuh\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 "
               "102\n.b8 0\n}\n");
  CHECK(at.file == "fold.cuh");
  CHECK(at.line == 5);
}

TEST_CASE("inlined toolkit code is reported where the user called it") {
  const Position at = place_of(
      ".loc 1 30 3\nmov.u32 %r1, 0;\n"
      ".loc 2 50 1, function_name $L__info_string0, inlined_at 1 30 3\nmov.u32 %r1, 0;\n"
      ".loc 3 5 1, function_name $L__info_string0, inlined_at 2 50 1",
      ".file 1 \"sum.cu\"\n.file 2 \"/usr/local/cuda/include/cub/block.cuh\"\n"
      ".file 3 \"/usr/local/cuda/targets/x86_64-linux/include/cub/warp.cuh\"\n"
      ".section .debug_str\n{\n$L__info_string0:\n.b8 102\n.b8 0\n}\n");
  CHECK(at.file == "sum.cu");
  CHECK(at.line == 30);
}

TEST_CASE("code with only toolkit lines is reported at its innermost line") {
  const Position at = place_of(".loc 1 30 3", ".file 1 \"/usr/local/cuda/include/cub/block.cuh\"");
  CHECK(at.file == "/usr/local/cuda/include/cub/block.cuh");
  CHECK(at.line == 30);
}

}  // namespace
}  // namespace foldproof::machine_tests
