// The findings that compute-sanitizer's records are mapped to.
#include <fmt/format.h>

#include <optional>

#include "catch.h"
#include "sanitizer/compute_sanitizer/findings.h"
#include "sanitizer/compute_sanitizer/records.h"
#include "sanitizer/compute_sanitizer/sites.h"
#include "sanitizer/compute_sanitizer/tool.h"
#include "sanitizer/compute_sanitizer_records.h"

namespace foldproof::compute_sanitizer {
namespace {

using namespace for_tests;
using foldproof::tests::contains_text;

std::vector<ToolFinding> found_in_sample(const std::string& name, const LaunchSites& sites = {}) {
  return findings(tool(name), read_records(sample(name)), sites);
}

/// The analysis of the accesses of a Hazard.
std::string analysis(const std::string& level, unsigned source = 4, unsigned destination = 3) {
  return fmt::format(
      "<record><kind>Analysis</kind><level>{}</level><what><text>Race condition</text><source><direction>Read"
      "</direction>{}</source><destination><direction>Write</direction>{}<count>4</count></destination></"
      "what></record>",
      level, where(source), where(destination));
}

/// "shared-race error 4/3 launch 2" per finding: kind, severity, lines and launch.
std::vector<std::string> in_short(const std::vector<ToolFinding>& all) {
  std::vector<std::string> lines;
  for (const ToolFinding& found : all) {
    std::string line = fmt::format("{} {} {}", name(found.finding.kind), name(found.finding.severity),
                                   found.finding.at.line);
    if (found.finding.other) line += fmt::format("/{}", found.finding.other->line);
    if (found.launch) line += fmt::format(" launch {}", *found.launch);
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

std::string kind_in(const std::string& tool_name, const std::string& record) {
  const std::vector<ToolFinding> all = found_in(tool_name, record);
  REQUIRE(all.size() == 1);
  return std::string(name(all[0].finding.kind));
}

// --- Races

TEST_CASE("compute-sanitizer: one race per pair of lines is reported, with the severity of its analysis") {
  CHECK(in_short(found_in_sample("racecheck")) == Lines{"shared-race error 3/4 launch 2",
                                                        "unordered-access warning 4/4 launch 2",
                                                        "unordered-access warning 11/9 launch 3"});
}

TEST_CASE("compute-sanitizer: a race is reported with the later access first, its bytes and both threads") {
  const ToolFinding race = found_in_sample("racecheck").front();
  CHECK(
      race.finding.message ==
      "compute-sanitizer's racecheck: a write-after-read hazard on shared memory, 2 bytes (analysis: error)");
  CHECK(race.finding.at == Position{"/src/bad.cu", 3, 0});
  CHECK(race.finding.other == Position{"/src/bad.cu", 4, 0});
  CHECK(race.finding.threads == std::vector<ThreadId>{{{0, 0, 0}, {160, 0, 0}}, {{0, 0, 0}, {32, 0, 0}}});
  CHECK(race.function == "race");
}

TEST_CASE("compute-sanitizer: a race is unordered access only within one warp and as a warning") {
  const auto verdict = [](const Hazard& hazard, const std::string& level) {
    return in_short(found_in("racecheck", xml(hazard) + analysis(level)));
  };
  CHECK(verdict({.later_thread = 31}, "Warning") == Lines{"unordered-access warning 4/3 launch 1"});
  CHECK(verdict({.later_thread = 31}, "Error") == Lines{"shared-race error 4/3 launch 1"});
  CHECK(verdict({.later_thread = 32}, "Warning") == Lines{"shared-race warning 4/3 launch 1"});
  CHECK(verdict({.later_thread = 31, .later_row = 1}, "Warning") ==
        Lines{"shared-race warning 4/3 launch 1"});
}

TEST_CASE("compute-sanitizer: one hazard between warps makes the pair of positions a race between warps") {
  const std::string both = xml({.later_thread = 31}) + xml({.later_thread = 32});
  CHECK(in_short(found_in("racecheck", both + analysis("Warning"))) ==
        Lines{"shared-race warning 4/3 launch 1"});
}

TEST_CASE("compute-sanitizer: a hazard without a known analysis is an error") {
  CHECK(in_short(found_in("racecheck", xml({.later_thread = 31}))) ==
        Lines{"shared-race error 4/3 launch 1"});
  CHECK(in_short(found_in("racecheck", xml({}) + analysis("Novel"))) ==
        Lines{"shared-race error 4/3 launch 1"});
}

TEST_CASE("compute-sanitizer: the most severe analysis of a pair of positions counts") {
  CHECK(in_short(found_in("racecheck", xml({}) + analysis("Error") + analysis("Warning"))) ==
        Lines{"shared-race error 4/3 launch 1"});
}

TEST_CASE("compute-sanitizer: an analysis without hazards is a race of an unknown launch") {
  CHECK(in_short(found_in("racecheck", xml({}) + analysis("Warning", 40, 30))) ==
        Lines{"shared-race error 4/3 launch 1", "shared-race warning 40/30"});
}

TEST_CASE("compute-sanitizer: threads of two blocks are not in one warp") {
  const auto in_one_warp = [](const Hazard& hazard) {
    return read_records(document(xml(hazard)))[0].in_one_warp;
  };
  CHECK(in_one_warp({.later_thread = 31}));
  CHECK_FALSE(in_one_warp({.later_thread = 31, .later_block = index("blockIdx", 1)}));
}

TEST_CASE("compute-sanitizer: a race in two launches is reported for each") {
  CHECK(in_short(found_in("racecheck", xml({.launch = 1}) + xml({.launch = 2}) + analysis("Error"))) ==
        Lines{"shared-race error 4/3 launch 1", "shared-race error 4/3 launch 2"});
}

TEST_CASE("compute-sanitizer: a race between blocks is a cluster race") {
  const auto all = found_in("racecheck", xml({.later_thread = 0, .later_block = index("blockIdx", 1)}));
  CHECK(in_short(all) == Lines{"cluster-race error 4/3 launch 1"});
  CHECK(all[0].finding.threads[0].block == Dim3{1, 0, 0});
  CHECK_THAT(all[0].finding.message, contains_text("on shared memory of a cluster"));
}

TEST_CASE("compute-sanitizer: additional text from racecheck is part of the message") {
  const auto all = found_in("racecheck", xml({.text_behind = " (invalid memcpy_async synchronization)"}));
  CHECK_THAT(all[0].finding.message, contains_text("(invalid memcpy_async synchronization)"));
}

TEST_CASE("compute-sanitizer: without line information, the message contains the instructions' offsets") {
  const auto all = found_in("racecheck", xml({.earlier_line = 0, .later_line = 0}));
  CHECK(all[0].finding.at == Position{});
  CHECK_THAT(all[0].finding.message, contains_text(", at kernel+0x0 and kernel+0x0"));
}

// --- The other tools

TEST_CASE(
    "compute-sanitizer: memcheck's out-of-bounds accesses are merged, and failed API calls are not "
    "reported") {
  const auto all = found_in_sample("memcheck");
  REQUIRE(in_short(all) == Lines{"out-of-bounds error 15"});
  CHECK(all[0].finding.message ==
        "compute-sanitizer's memcheck: Invalid __global__ read of size 4 bytes is out of bounds (2 times)");
  CHECK(all[0].finding.threads == std::vector<ThreadId>{{{0, 0, 0}, {212, 0, 0}}});
  CHECK(all[0].function == "oobread");
}

TEST_CASE("compute-sanitizer: synccheck's divergent threads are barrier divergence") {
  const auto all = found_in_sample("synccheck");
  REQUIRE(in_short(all) == Lines{"barrier-divergence error 17"});
  CHECK(all[0].finding.message ==
        "compute-sanitizer's synccheck: Barrier error: Divergent thread(s) in warp (2 times)");
}

TEST_CASE("compute-sanitizer: each memcheck error is mapped to its kind") {
  const auto kind = [](const std::string& words) {
    return kind_in("memcheck", event("Precise", text(words)));
  };
  CHECK(kind("Invalid __shared__ write of size 4 bytes is out of bounds") == "out-of-bounds");
  CHECK(kind("Invalid __global__ read of size 8 bytes is misaligned") == "misaligned");
  CHECK(kind("Invalid __global__ read of size 8 bytes") == "crash");
  CHECK(kind_in("memcheck", event("Precise", text("Invalid __local__ read") + "<error>misaligned</error>")) ==
        "misaligned");
  CHECK(kind_in("memcheck", event("Malloc", text("Malloc/Free error encountered : Double free"))) ==
        "dsmem-lifetime");
  CHECK(kind_in("memcheck", event("Imprecise", text("Illegal Instruction"))) == "crash");
  CHECK(kind_in("memcheck", event("Imprecise", "")) == "crash");
  CHECK(found_in("memcheck", event("Imprecise", ""))[0].finding.message ==
        "compute-sanitizer's memcheck: the hardware aborted the kernel without giving a reason");
  CHECK(kind_in("memcheck", event("Imprecise", text("Device Hardware Stack Overflow"))) == "crash");
}

TEST_CASE("compute-sanitizer: each synccheck error is mapped to its kind") {
  const auto kind = [](const std::string& type) {
    return kind_in("synccheck", event("Synccheck", text("Barrier error") + "<type>" + type + "</type>"));
  };
  CHECK(kind("Divergent thread(s) in block") == "barrier-divergence");
  CHECK(kind("Invalid arguments") == "invalid-mask");
  CHECK(kind("cuda::barrier: invalid arguments") == "barrier-divergence");
  CHECK(kind("Something new") == "barrier-divergence");
}

TEST_CASE("compute-sanitizer: initcheck's reads are uninitialized reads for every record kind") {
  for (const char* kind : {"Precise", "Initcheck"})
    CHECK(kind_in("initcheck", event(kind, text("Uninitialized __global__ memory read of size 4 bytes"))) ==
          "uninitialized-read");
}

TEST_CASE(
    "compute-sanitizer: access to a cluster block that may not have started is a dsmem-lifetime finding") {
  CHECK(kind_in("racecheck",
                event("Precise", text("Potential invalid __shared__ read of size 4 bytes: located in a "
                                      "block that might not have entered yet"))) == "dsmem-lifetime");
}

TEST_CASE("compute-sanitizer: leaks belong to the launching program and are not reported") {
  CHECK(found_in("memcheck", "<record><kind>Leak</kind><what><text>Leaked 64 bytes</text></what></record>")
            .empty());
}

TEST_CASE("compute-sanitizer: an unknown record is an error with the tool's text") {
  const auto all = found_in(
      "memcheck", "<record><kind>Novelty</kind><level>Warning</level><what><text>Odd</text></what></record>");
  REQUIRE(in_short(all) == Lines{"unsupported error 0"});
  CHECK(all[0].finding.message == "compute-sanitizer's memcheck wrote a record of unknown kind Novelty: Odd");
}

TEST_CASE("compute-sanitizer: merged findings have the highest severity") {
  const auto with_level = [](const std::string& level) {
    return "<record><kind>Precise</kind><level>" + level + "</level><who>" + index("threadIdx", 0) +
           index("blockIdx", 0) + "</who><what>" + text("misaligned") + "</what>" + where(7) + "</record>";
  };
  CHECK(in_short(found_in("memcheck", with_level("Warning") + with_level("Error"))) ==
        Lines{"misaligned error 7"});
  CHECK(in_short(found_in("memcheck", with_level("Error") + with_level("Warning"))) ==
        Lines{"misaligned error 7"});
  CHECK(in_short(found_in("memcheck", with_level("Warning"))) == Lines{"misaligned warning 7"});
}

TEST_CASE("compute-sanitizer: without line information, findings are merged per instruction") {
  const auto at = [](const std::string& pc) {
    return event("Precise", text("misaligned"), "<where><func>kernel</func><pc>" + pc + "</pc></where>");
  };
  const auto all = found_in("memcheck", at("0x10") + at("0x20") + at("0x10"));
  REQUIRE(all.size() == 2);
  CHECK_THAT(all[0].finding.message, contains_text("(2 times), at kernel+0x10"));
  CHECK_THAT(all[1].finding.message, contains_text(", at kernel+0x20"));
}

// --- Launch sites

TEST_CASE("compute-sanitizer: the host stack identifies the launch site") {
  // Every record of the sample was launched by main, at 0x2a56 in the program.
  const auto site = [](const LaunchSites& sites) { return found_in_sample("synccheck", sites).front().site; };
  const LaunchSites sites{"/src/probe", {{0x1000, 0x2000}, {0x2000, 0x3000}}};
  CHECK(site(sites) == 1u);
  CHECK(site({"/src/other", sites.ranges}) == std::nullopt);
  CHECK(site({"/src/probe", {{0x2a56, 0x2b00}}}) == std::nullopt);
  CHECK(site({"/src/probe", {{0x2a00, 0x2a56}}}) ==
        0u);  // if a call ends its function, the return address is after it
  CHECK(site({}) == std::nullopt);
}

TEST_CASE("compute-sanitizer: the same finding from two launch sites is reported for each") {
  const auto from = [](unsigned pc) {
    return fmt::format(
        "<record><kind>Precise</kind><who>{}{}</who><what><text>out of bounds</text></what>{}"
        "<hostStack><frame><pc>{:#x}</pc><module>/p</module></frame></hostStack></record>",
        index("threadIdx", 0), index("blockIdx", 0), where(7), pc);
  };
  const std::vector<Record> records = read_records(document(from(0x15) + from(0x25) + from(0x18)));
  const auto all = findings(tool("memcheck"), records, {"/p", {{0x10, 0x20}, {0x20, 0x30}}});
  REQUIRE(all.size() == 2);
  CHECK(all[0].site == 0u);
  CHECK(all[1].site == 1u);
}

}  // namespace
}  // namespace foldproof::compute_sanitizer
