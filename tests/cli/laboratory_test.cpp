// foldproof-lab: its measurements, and the pages of docs/ that it generates.
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "catch.h"
#include "cli/add_one.h"
#include "cli/program.h"

using namespace foldproof;
using namespace foldproof::test;

namespace {

/// Output in the format of `foldproof audit --format json`: a defect D1 with these findings on that device.
std::string report(const std::string& device, const std::string& findings) {
  return R"({"tool": "foldproof", "version": "0", "device": "a device", "seed": "1", "kernels": [{"kernel": "D1 wrong",
    "entry": "wrong", "id": "D1", "instance": "", "file": "wrong.cu", "device": ")" +
         device + R"(", "verdict": ")" + (findings.empty() ? "clean" : "findings") +
         R"(", "expected": true, "cases": 40, "worst_error_over_bound": null, "worst_case": null,
    "worst_checked_by": null, "worst_is_vacuous": false, "worst_error_ulps": null, "checked_by": {"nothing": 0, "category": 0,
    "exact": 40, "bound": 0, "tree": 0}, "why_not_checked": null, "tree": null, "untried_above": [], "findings": [)" +
         findings +
         R"(], "notes": [], "cut_off": false, "reason": null, "seconds": 1, "warp_instructions": 1, "counters": null,
    "coverage": null}]})";
}

std::string finding(const std::string& kind, const std::string& message) {
  return R"({"kind": ")" + kind + R"(", "severity": "error", "expected": true, "message": ")" + message +
         R"(", "file": null, "line": null, "column": null, "other_file": null, "other_line": null, "other_column": null,
    "threads": [], "case": null, "replay": null})";
}

}  // namespace

TEST_CASE("docs/kernels.md matches the contracts") {
  INFO("Write it again with `foldproof-lab kernels > docs/kernels.md`.");
  std::ostringstream page;
  page << std::ifstream(source_file("docs/kernels.md")).rdbuf();
  CHECK(run_laboratory({"kernels", source_file("kernels")}).out == page.str());
}

TEST_CASE("docs/claims.md matches the output of a run") {
  INFO(
      "Write it again with `foldproof-lab claims --measured docs/bandwidth.json > docs/claims.md`; another "
      "nvcc "
      "than "
      "13.0 may give different numbers.");
  std::ostringstream page;
  page << std::ifstream(source_file("docs/claims.md")).rdbuf();
  const Ran ran = run_laboratory({"claims", "--measured", source_file("docs/bandwidth.json")});
  CHECK(ran.status == 0);
  CHECK(page.str() == ran.out);
}

TEST_CASE("claims about times stay open without a measurement") {
  const RanJson& ran = laboratory_output({"claims"});
  CHECK(ran.status == 0);
  std::set<std::string> open;
  for (const auto& claim : ran.json.at("claims"))
    if (claim.at("verdict") == "open: times need a GPU: `foldproof-lab bench kernels`")
      open.insert(claim.at("claim").get<std::string>().substr(0, 4));
  CHECK(open == std::set<std::string>{"A12:", "Atom", "Each"});
}

TEST_CASE("an invalid measurement, or one without a required kernel, is refused by name") {
  const Ran other = run_laboratory({"claims", "--measured", source_file("docs/claims.md")});
  CHECK(other.status == 2);
  CHECK(other.err.find("not the output of `foldproof-lab bench kernels --format json`") != std::string::npos);
  const Folder folder;
  const Ran lacking = run_laboratory(
      {"claims", "--measured", folder.file("empty.json", R"({"device": "some GPU", "sums": []})")});
  CHECK(lacking.status == 2);
  CHECK(lacking.err.find("the measurement of A1 on 1048576 elements is missing") != std::string::npos);
}

TEST_CASE("exact sums of every type are measured next to plain loops") {
  const RanJson& ran = laboratory_output({"bench", "oracles", "--runs", "1"});
  REQUIRE(ran.status == 0);
  std::map<std::string, double> values;
  for (const auto& benchmark : ran.json.at("benchmarks")) {
    CHECK(benchmark.at("unit") == "ns/element");
    CHECK(benchmark.at("ratio").get<double>() > 0);
    if (benchmark.at("contender") == "plain") CHECK(benchmark.at("ratio") == 1.0);
    values[benchmark.at("name")] = benchmark.at("value").get<double>();
  }
  for (const char* type : {"f64", "f32", "f16", "bf16", "e4m3", "e5m2", "e2m1", "i8", "u8", "i16", "u16",
                           "i32", "u32", "i64", "u64"})
    for (const char* contender : {"plain", "exact", "cpp_bin_float_100"})
      CHECK(values[std::string(type) + "/uniform/" + contender] > 0);
  CHECK(values.contains("f64/nan/kahan"));
  CHECK_FALSE(values.contains("e2m1/nan/exact"));  // the format has no NaN
  CHECK_FALSE(values.contains("i32/uniform/kahan"));
  for (const char* data : {"exponents", "infinite", "zeros", "outliers", "far-apart"})
    CHECK(values["f64/" + std::string(data) + "/exact"] > 0);
  CHECK_FALSE(values.contains("e4m3/infinite/exact"));  // nor infinities
  CHECK_FALSE(values.contains("f32/far-apart/exact"));  // its exponents do not span that range
}

TEST_CASE("the emulated device can be measured") {
  const RanJson& ran = laboratory_output({"bench", "emulated", "--runs", "1"});
  REQUIRE(ran.status == 0);
  std::vector<std::string> names;
  for (const auto& benchmark : ran.json.at("benchmarks")) {
    names.push_back(benchmark.at("name"));
    CHECK(benchmark.at("value").get<double>() > 0);
    CHECK(benchmark.at("elements_per_second").get<double>() > 0);
    CHECK(benchmark.at("unit") == "warp-instructions/s");
    CHECK(benchmark.at("baseline").is_null());
    CHECK(benchmark.at("ratio").is_null());
  }
  CHECK(names == std::vector<std::string>{"A1/checks-off", "A1/checks-on", "A1/provenance", "A5/checks-off",
                                          "A5/checks-on", "A5/provenance", "A12/checks-off", "A12/checks-on",
                                          "A12/provenance"});
}

TEST_CASE("The page on detection has one column per device and tool", "[cli][gpu]") {
  const Folder folder;
  const std::string emulated =
      folder.file("emulated.json", report("emulated", finding("shared-race", "two writes")));
  const std::string cuda = folder.file("cuda.json", report("cuda", finding("wrong-value", "1 and not 2")));
  const std::string memcheck =
      folder.file("memcheck.json", report("cuda/memcheck", finding("wrong-value", "1 and not 2")));
  const std::string racecheck = folder.file(
      "racecheck.json",
      report("cuda/racecheck", finding("shared-race", "compute-sanitizer's racecheck: a hazard")));
  const Ran ran = run_laboratory({"detection", emulated, cuda, memcheck, racecheck});
  CHECK(ran.status == 0);
  // A wrong value is not attributed to the tool that was running.
  CHECK(ran.out.find("| D1 wrong | shared-race | shared-race |  | not run | not run | wrong |") !=
        std::string::npos);
  CHECK(ran.out.find("| found, of 1 | 1 | 1 | 0 | 0 | 0 | 1 |") != std::string::npos);
}

TEST_CASE("A finding other than the announced one is shown but does not count as found", "[cli][gpu]") {
  const Folder folder;
  const std::string cuda =
      folder.file("cuda.json", replaced(report("cuda", finding("wrong-value", "1 and not 2")),
                                        "\"verdict\": \"findings\"", "\"verdict\": \"another-finding\""));
  const Ran ran = run_laboratory({"detection", cuda});
  CHECK(ran.status == 0);
  CHECK(ran.out.find("| not run | wrong (another finding) |\n") != std::string::npos);
  CHECK(ran.out.find("| found, of 1 | 0 | 0 | 0 | 0 | 0 | 0 |") != std::string::npos);
}

TEST_CASE("A page is generated only from valid reports", "[cli][gpu]") {
  const Folder folder;
  CHECK(run_laboratory({"detection", folder.file("none.json", "{")}).status == 2);
  CHECK(run_laboratory({"detection", folder.file("other.json", "{\"kernels\": [{}]}")}).status == 2);
  CHECK(run_laboratory({"bench", "kernels", "--measured", folder.file("no.json", "[]")}).status == 2);
}

TEST_CASE("Laboratory commands that need a GPU are refused with status 3 if there is none", "[cli][gpu]") {
  const AddOne folder;
  const std::string contract = folder.path("add_one.toml");
  const std::vector<std::vector<std::string>> commands{{"compare", contract},
                                                       {"instructions"},
                                                       {"bench", "gpu", contract},
                                                       {"bench", "kernels"},
                                                       {"bench", "exact"}};
  for (const auto& command : commands) {
    INFO(command.front());
    const RanJson ran = run_laboratory_json(command, {.environment = {"CUDA_VISIBLE_DEVICES="}});
    CHECK(ran.status == 3);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("no CUDA device available") == 0);
  }
}

namespace {

How on_replaced_gpu(const std::string& replaces = {}) {
  How how{.environment = {"LD_LIBRARY_PATH=" FOLDPROOF_EMULATED_GPU}};
  if (!replaces.empty()) how.environment.push_back("EMULATED_GPU_REPLACES=" + replaces);
  return how;
}

/// The evidence of `foldproof-lab instructions` for one row and type.
nlohmann::json row_of(const nlohmann::json& record, const std::string& row, const std::string& type) {
  for (const auto& evidence : record.at("rows"))
    if (evidence.at("row") == row && evidence.at("type") == type) return evidence;
  FAIL("no evidence of " << row << " for " << type);
  return {};
}

/// A record of a test program that compared one row.
std::string test_record(const std::string& row, const std::string& type) {
  return R"({"program": "isa", "rows": [{"row": ")" + row + R"(", "type": ")" + type +
         R"(", "type2": "", "operand_sets": 1234567}]})";
}

}  // namespace

TEST_CASE("Instructions with the same bits on both devices are counted by operand set", "[cli][gpu]") {
  const Folder folder;
  const std::string file = folder.path("gpu.json");
  const RanJson ran = run_laboratory_json(
      {"instructions", "--rows", "add_int", "madc", "mov_pack", "shfl_sync", "ex2", "atom", "--record", file},
      on_replaced_gpu());
  CHECK(ran.status == 0);
  const auto add = row_of(ran.json, "add_int", "s32");
  CHECK(add.at("forms") == 2);  // with and without .sat
  CHECK(add.at("operand_sets") == 2 * 2048);
  CHECK(add.at("equal") == 2 * 2048);
  CHECK(row_of(ran.json, "madc", "u64").at("forms") == 4);
  CHECK(row_of(ran.json, "mov_pack", "b128").at("equal").get<int>() > 0);
  CHECK(row_of(ran.json, "ex2", "f32").at("open") == "an approximation");
  const auto atom = row_of(ran.json, "atom", "f32");
  CHECK(atom.at("forms") == 6);  // .add and .exch in both memories; in global memory also .add.v2 and .add.v4
  CHECK(atom.at("equal") == 6 * 2048);
  std::ostringstream record;
  record << std::ifstream(file).rdbuf();
  CHECK(nlohmann::json::parse(record.str()).at("rows") == ran.json.at("rows"));
}

TEST_CASE("A form that the GPU refuses does not affect the others", "[cli][gpu]") {
  const RanJson ran =
      run_laboratory_json({"instructions", "--rows", "add_float"}, on_replaced_gpu("add.rz.f32x2 =}"));
  CHECK(ran.status == 0);
  const auto add = row_of(ran.json, "add_float", "f32x2");
  CHECK(add.at("refused").size() == 1);
  CHECK(add.at("refused").begin().value() == 1);
  CHECK(add.at("operand_sets") == add.at("forms").get<int>() * 2048);
  CHECK(add.at("equal") == add.at("operand_sets"));
  CHECK(row_of(ran.json, "add_float", "f32").at("refused").empty());
}

TEST_CASE("A comparison that did not run is a lack of the machine", "[cli][gpu]") {
  How dying = on_replaced_gpu();
  dying.environment.push_back("EMULATED_GPU_LAUNCHES=0");
  const RanJson failed = run_laboratory_json({"instructions", "--rows", "popc"}, dying);
  CHECK(failed.status == 3);
  const auto popc = row_of(failed.json, "popc", "b32");
  CHECK(popc.at("forms") == 0);
  CHECK(popc.at("refused").empty());
  CHECK(popc.at("failed").begin().value() == 1);
  const RanJson refused = run_laboratory_json({"instructions", "--rows", "popc"}, on_replaced_gpu("popc=}"));
  CHECK(refused.status == 3);
  CHECK(row_of(refused.json, "popc", "b32").at("refused").begin().value() == 1);
}

TEST_CASE("A form with different bits on the GPU is shown with its operands", "[cli][gpu]") {
  const RanJson ran =
      run_laboratory_json({"instructions", "--rows", "sub_int"}, on_replaced_gpu("sub.u16 =add.u16 "));
  CHECK(ran.status == 1);
  const auto sub = row_of(ran.json, "sub_int", "u16");
  CHECK(sub.at("equal").get<int>() < 2048);
  CHECK(sub.at("difference").get<std::string>().find("sub.u16 of 0x") == 0);
  CHECK(row_of(ran.json, "sub_int", "s16").at("equal") == 2048);
}

TEST_CASE("The page on PTX shows what records say, and refuses records of other rows", "[cli][gpu]") {
  const Folder folder;
  const std::string tests = folder.file("isa.json", test_record("add_int", "u32"));
  const std::string gpu = folder.file("gpu.json", R"({"device": "some GPU", "rows": [{"row": "add_int",
    "type": "u32", "type2": "", "forms": 1, "operand_sets": 2048, "equal": 2047, "other_nan": 0, "open": "",
    "difference": "add.u32 of 0x1 0x2", "refused": {"too old": 3}, "failed": {"no answer": 1}}]})");
  const Ran page = run_laboratory({"instructions", "--page", "--tests", tests, "--gpu", gpu});
  CHECK(page.status == 0);
  CHECK(
      page.out.find("| 1,234,567; not compared: u16, u64, s16, s32, s64, u16x2, s16x2 | 2,047 of 2,048; "
                    "different: add.u32 of 0x1 0x2; 3 forms refused: too old; 1 form failed: no answer |") !=
      std::string::npos);
  CHECK(page.out.find("| `tex`, `tld4`, `txq`, `istypep` | Texture hardware") != std::string::npos);

  const auto refuses = [&](const std::string& record) {
    return run_laboratory({"instructions", "--page", "--tests", folder.file("other.json", record)}).status ==
           2;
  };
  CHECK(refuses(test_record("add_integers", "u32")));
  CHECK(refuses(test_record("add_int", "f32")));
  CHECK(refuses("{}"));
  CHECK(refuses("{"));
  CHECK(run_laboratory({"instructions", "--page", "--tests", tests, "--gpu", tests}).status == 2);
  CHECK(run_laboratory({"instructions", "--rows", "ld"}, on_replaced_gpu()).status == 2);
  CHECK(run_laboratory({"instructions", "--rows", "nothing"}, on_replaced_gpu()).status == 2);
}

TEST_CASE("The laboratory refuses invalid usage and names its own program") {
  const RanJson ran = run_laboratory_json({"bench", "everything"});
  CHECK(ran.status == 2);
  CHECK(ran.err.find("everything") != std::string::npos);
  CHECK(ran.err.find("foldproof-lab --help") != std::string::npos);
}
