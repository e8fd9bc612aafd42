// The JSON form of a report.
#include "reports/json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "catch.h"

using namespace foldproof;
using foldproof::tests::contains_text;

namespace {

KernelReport full_report() {
  KernelReport kernel;
  kernel.kernel = "A5 sequential f32 sum";
  kernel.entry = "sequential<Sum, float>";
  kernel.id = "A5";
  kernel.label = "T=f32";
  kernel.file = "sequential.cu";
  kernel.contract = "sequential.toml";
  kernel.verdict = Verdict::findings;
  kernel.expected = true;
  kernel.cases = 40;
  kernel.worst_error_over_bound = 0.5;
  kernel.worst_case = "count=3";
  kernel.untried_above = {{"count", 66560}, {"grid", 24}};
  kernel.accepted = {{Kind::timeout, "a.cu:3", "why", "2099-01-01", 2}};
  kernel.notes = {"a note"};
  kernel.not_audited = {"no contract launches other"};
  kernel.reason = "a reason";
  kernel.seconds = 1.5;
  kernel.warp_instructions = std::uint64_t{1} << 40;
  kernel.counters = Counted{"count=4", {}};
  kernel.counters->counters.live_lanes = 64;
  kernel.counters->counters.active_lanes = 48;
  kernel.counters->counters.classes[2] = 7;
  kernel.counters->counters.shared.loads = {1, 32, 2, 1};
  kernel.counters->counters.global.atomics = {3, 4, 5};
  kernel.counters->counters.rounds = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  kernel.coverage = {{"counts", {{"one element", 3}, {"a partial warp", 0}}}, {"relations", {}}};
  Finding finding;
  finding.kind = Kind::global_race;
  finding.severity = Severity::warning;
  finding.message = "two writes";
  finding.at = {"a.cu", 3, 4};
  finding.other = Position{"b.cu", 5, 0};
  finding.threads = {{{1, 2, 3}, {4, 5, 6}}};
  finding.case_text = "count=3";
  finding.replay = "foldproof replay x.toml";
  finding.expected = true;
  finding.is_about_category = true;
  finding.memory = "the buffer x";
  finding.cause = {Kind::shared_race, {"a.cu", 2, 1}};
  kernel.findings = {finding};
  return kernel;
}

}  // namespace

TEST_CASE("a missing instruction count is null and is read back as missing") {
  KernelReport report = full_report();
  report.warp_instructions.reset();
  const Json json = to_json(report);
  CHECK(json.at("warp_instructions").is_null());
  CHECK_FALSE(kernel_report_from(json).warp_instructions);
}

TEST_CASE("a report has the documented structure") {
  AuditReport report;
  report.device = "emulated";
  report.seed = std::numeric_limits<std::uint64_t>::max();
  report.kernels = {full_report()};
  const Json json = to_json(report);
  CHECK(json.at("tool") == "foldproof");
  CHECK(json.at("version").is_string());
  CHECK(json.at("device") == "emulated");
  CHECK(json.at("seed") == "18446744073709551615");
  const Json& kernel = json.at("kernels").at(0);
  CHECK(kernel.at("kernel") == "A5 sequential f32 sum");
  CHECK(kernel.at("entry") == "sequential<Sum, float>");
  CHECK(kernel.at("id") == "A5");
  CHECK(kernel.at("file") == "sequential.cu");
  CHECK(kernel.at("verdict") == "findings");
  CHECK(kernel.at("expected") == true);
  CHECK(kernel.at("cases") == 40);
  CHECK(kernel.at("worst_error_over_bound") == 0.5);
  const Json& finding = kernel.at("findings").at(0);
  CHECK(finding.at("kind") == "global-race");
  CHECK(finding.at("severity") == "warning");
  CHECK(finding.at("expected") == true);
  CHECK(finding.at("file") == "a.cu");
  CHECK(finding.at("line") == 3);
  CHECK(finding.at("other_file") == "b.cu");
  CHECK(finding.at("other_line") == 5);
  CHECK(finding.at("threads").dump() == R"([{"block":[1,2,3],"thread":[4,5,6]}])");
  CHECK(finding.at("case") == "count=3");
  CHECK(finding.at("replay") == "foldproof replay x.toml");
  CHECK(finding.at("cause").dump() == R"({"kind":"shared-race","file":"a.cu","line":2,"column":1})");
}

TEST_CASE("unknown values are null") {
  KernelReport kernel;
  kernel.findings = {Finding{}};
  const Json json = to_json(kernel);
  CHECK(json.at("worst_error_over_bound").is_null());
  const Json& finding = json.at("findings").at(0);
  for (const char* key : {"file", "line", "other_file", "other_line", "case", "replay", "cause"})
    CHECK(finding.at(key).is_null());
}

TEST_CASE("a kernel's report is unchanged after being sent to another process") {
  const Json sent = to_json(full_report());
  const Json received = to_json(kernel_report_from(unpack(pack(sent))));
  CHECK(received == sent);
}

TEST_CASE("an infinite ratio can be sent to another process and is null as text") {
  KernelReport kernel = full_report();
  kernel.worst_error_over_bound = std::numeric_limits<double>::infinity();
  const KernelReport received = kernel_report_from(unpack(pack(to_json(kernel))));
  CHECK(received.worst_error_over_bound == std::numeric_limits<double>::infinity());
  CHECK(dump(to_json(received)).find("\"worst_error_over_bound\":null") != std::string::npos);
}

TEST_CASE("bytes that are not UTF-8 do not prevent a report") {
  CHECK_NOTHROW(Json::parse(dump(error_json("a file called \xff\xfe", {}))));
}

TEST_CASE("characters that control a terminal or change the direction of text are escaped") {
  // U+007F DELETE, U+009B CONTROL SEQUENCE INTRODUCER, U+202E RIGHT-TO-LEFT OVERRIDE
  const std::string text = dump(error_json("\x7f\xc2\x9b\xe2\x80\xae", {}));
  CHECK_THAT(text, contains_text(R"("\u007f\u009b\u202e")"));
}

TEST_CASE("an error has its position") {
  const Json json = error_json("it is wrong", {"a.toml", 3, 4});
  CHECK(json.at("kernels").empty());
  CHECK(json.at("error").at("message") == "it is wrong");
  CHECK(json.at("error").at("file") == "a.toml");
  CHECK(json.at("error").at("line") == 3);
  CHECK(json.at("error").at("column") == 4);
}
