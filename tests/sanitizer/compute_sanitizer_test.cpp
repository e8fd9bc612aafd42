// How Foldproof interprets compute-sanitizer's records. data/compute_sanitizer holds the output of version
// 2025.3.1 for these kernels, with most records removed; launches are counted from 1.
//
//   1  good                                4  oob, 5  oobread: line 15 reads `in[threadIdx.x + 300]`
//   2  race: lines 3 and 4, 256 threads    6  uninit
//   3  warprace: lines 9 and 11, one warp  7  diverge: line 17, `if (threadIdx.x < 16) __syncthreads();`
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "sanitizer/compute_sanitizer/findings.h"
#include "sanitizer/compute_sanitizer/records.h"
#include "sanitizer/compute_sanitizer/self_test.h"
#include "sanitizer/compute_sanitizer/sites.h"
#include "sanitizer/compute_sanitizer/tool.h"

namespace foldproof::compute_sanitizer {
namespace {

namespace fs = std::filesystem;
using foldproof::tests::contains_text;

const Tool& tool(std::string_view name) {
  const Tool* found = tool_named(name);
  REQUIRE(found != nullptr);
  return *found;
}

std::string sample(const std::string& name) {
  std::ifstream stream(fs::path(FOLDPROOF_TEST_DATA) / "compute_sanitizer" / (name + ".xml"));
  REQUIRE(stream);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<ToolFinding> found_in_sample(const std::string& name, const LaunchSites& sites = {}) {
  return findings(tool(name), read_records(sample(name)), sites);
}

std::string document(const std::string& records) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput>\n" + records +
         "</ComputeSanitizerOutput>\n";
}

std::vector<ToolFinding> found_in(const std::string& tool_name, const std::string& records) {
  return findings(tool(tool_name), read_records(document(records)));
}

std::string index(const std::string& name, unsigned x, unsigned y = 0) {
  return fmt::format("<{0}><x>{1}</x><y>{2}</y><z>0</z></{0}>", name, x, y);
}

std::string where(unsigned line, const std::string& function = "kernel") {
  const std::string source = line == 0 ? "" : fmt::format("<path>/src/k.cu</path><line>{}</line>", line);
  return fmt::format("<where><func>{}</func>{}<pc>{:#x}</pc></where>", function, source, 16 * line);
}

/// An event of one thread, in the form of memcheck's and synccheck's records.
std::string event(const std::string& kind, const std::string& what, const std::string& place = where(7)) {
  return fmt::format("<record><kind>{}</kind><who>{}{}</who><what>{}</what>{}</record>", kind,
                     index("threadIdx", 0), index("blockIdx", 0), what, place);
}

std::string text(const std::string& words) { return "<text>" + words + "</text>"; }

struct Hazard {
  std::string type = "RAW";
  unsigned earlier_thread = 0, later_thread = 32;
  unsigned later_row = 0;  ///< threadIdx.y of the later access
  std::string later_block = "", text_behind = "";
  unsigned earlier_line = 3, later_line = 4;
  unsigned launch = 1;
};

std::string xml(const Hazard& hazard) {
  return fmt::format(
      "<record><kind>Hazard</kind><what><text>Potential {0} hazard "
      "detected{1}</text><common><gridid>{2}</gridid>"
      "<type>{0}</type><address>0x0</address>{3}</common>"
      "<thread0><access>Write</access>{4}{5}</thread0><thread1><access>Read</access>{6}{7}{8}</thread1></"
      "what></record>",
      hazard.type, hazard.text_behind, hazard.launch, index("blockIdx", 0),
      index("threadIdx", hazard.earlier_thread), where(hazard.earlier_line),
      index("threadIdx", hazard.later_thread, hazard.later_row), hazard.later_block,
      where(hazard.later_line));
}

/// The analysis of the accesses of the Hazard above.
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

std::string what_is_wrong(const std::string& wrong_xml) {
  try {
    read_records(wrong_xml);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

// --- Records

TEST_CASE("compute-sanitizer: records that differ only in threads and addresses are merged into the first") {
  const std::vector<Record> records = read_records(sample("racecheck"));
  REQUIRE(records.size() == 8);  // five pairs of positions, three analyses
  CHECK(records[0].kind == RecordKind::hazard);
  CHECK(records[0].count == 2);
  CHECK(records[0].launch == 2);
  CHECK(records[0].accesses[0].what == "Read");
  CHECK(records[0].accesses[0].place == Place{"race", "/src/bad.cu", 4, 0x110});
  CHECK(records[0].accesses[0].thread == ThreadId{{0, 0, 0}, {32, 0, 0}});
  CHECK(records[0].accesses[1].thread == ThreadId{{0, 0, 0}, {160, 0, 0}});
  CHECK(records[0].host_stack[1] == Frame{"main", "/src/./probe", 0x2a56});
}

TEST_CASE("compute-sanitizer: hazards of two launches are two records") {
  CHECK(read_records(document(xml({.launch = 1}) + xml({.launch = 2}))).size() == 2);
}

TEST_CASE("compute-sanitizer: a run without errors has no records") {
  CHECK(read_records(sample("initcheck")).empty());
  CHECK(read_records(document("")).empty());
}

TEST_CASE("compute-sanitizer: a record of an unknown kind is kept, even with missing fields") {
  const std::vector<Record> records =
      read_records(document("<record><kind>Novelty</kind><what><sort>new</sort></what></record>"));
  REQUIRE(records.size() == 1);
  CHECK(records[0].kind == RecordKind::unknown);
  CHECK(records[0].name == "Novelty");
}

TEST_CASE("compute-sanitizer: output in another format is refused") {
  CHECK_THAT(what_is_wrong(""), contains_text("truncated after 0 complete records"));
  CHECK_THAT(what_is_wrong("========= ERROR SUMMARY: 0 errors"), contains_text("does not begin with"));
  CHECK_THAT(what_is_wrong("<html></html>"), contains_text("does not begin with"));
  CHECK_THAT(what_is_wrong(document("<session/>")), contains_text("\"<session/>"));
  CHECK_THAT(what_is_wrong(document("") + document("")), contains_text("continues after its end"));
  CHECK_THAT(what_is_wrong("<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"c\">]>" + document("")),
             contains_text("does not begin with"));
}

TEST_CASE("compute-sanitizer: output that is cut off at any position is refused") {
  const std::string whole = sample("synccheck");
  const std::size_t end = whole.rfind('>') + 1;
  for (std::size_t length = 0; length < end; ++length) {
    INFO(length);
    REQUIRE_THROWS_AS(read_records(whole.substr(0, length)), InputError);
  }
  REQUIRE_NOTHROW(read_records(whole.substr(0, end)));
}

TEST_CASE("compute-sanitizer: a record without a required field is refused with its number") {
  const std::string good = event("Precise", text("Invalid read"));
  CHECK_THAT(what_is_wrong(document(good + "<record></record>")),
             contains_text("record 2") && contains_text("lacks its kind"));
  CHECK_THAT(what_is_wrong(document(event("Precise", ""))), contains_text("lacks its what.text"));
  CHECK_THAT(what_is_wrong(document(event("Synccheck", text("Barrier error"), ""))),
             contains_text("lacks its where.func"));
  CHECK_THAT(what_is_wrong(document("<record><kind>Hazard</kind><what/></record>")),
             contains_text("lacks its common"));
  CHECK_THAT(what_is_wrong(document("<record><kind>Analysis</kind><what><text>a</text></what></record>")),
             contains_text("lacks its level"));
}

TEST_CASE("compute-sanitizer: an invalid number is refused") {
  const auto with_line = [](const std::string& line) {
    return document(event("Precise", text("Invalid read"),
                          "<where><func>k</func><line>" + line + "</line><pc>0x10</pc></where>"));
  };
  CHECK(what_is_wrong(with_line("12")) == "nothing");
  for (const char* wrong : {"twelve", "-1", "1x", "0x", "4294967296", "99999999999999999999999"})
    CHECK_THAT(what_is_wrong(with_line(wrong)), contains_text("is not a valid number"));
}

TEST_CASE("compute-sanitizer: hostile records are refused before they are parsed") {
  std::string deep;
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  CHECK_THAT(what_is_wrong(document("<record>" + deep + "</record>")), contains_text("nested more deeply"));
  CHECK_THAT(what_is_wrong(document("<record><!-- </record> --></record>")), contains_text("<!"));
  CHECK_THAT(what_is_wrong(document("<record><kind>Precise</record>")), contains_text("is not valid XML"));
  CHECK_THAT(what_is_wrong(document("<record><<<>>></record>")), contains_text("is not valid XML"));
}

TEST_CASE("compute-sanitizer: control characters are replaced in messages") {
  const auto all = found_in("memcheck", event("Precise", text("Invalid &#27;[2J read")));
  REQUIRE(all.size() == 1);
  CHECK_THAT(all[0].finding.message, contains_text("Invalid ?[2J read"));
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

// --- Self-test

TEST_CASE("compute-sanitizer: the self-test module has an entry for every tool") {
  for (const Tool& each : tools())
    CHECK(self_test_ptx().find(fmt::format(".visible .entry {}(", each.self_test)) != std::string_view::npos);
}

TEST_CASE("compute-sanitizer: a tool that does not report its self-test counts as silent") {
  const Tool& memcheck = tool("memcheck");
  const auto report_of = [](const std::string& words, const std::string& function) {
    return found_in("memcheck", event("Precise", text(words), where(0, function)));
  };
  const std::string own(memcheck.self_test);
  CHECK(silent(memcheck, report_of("out of bounds", own), own) == std::nullopt);
  CHECK_THAT(silent(memcheck, {}, own).value_or(""),
             contains_text("memcheck did not report foldproof_self_test_memcheck"));
  CHECK(silent(memcheck, report_of("out of bounds", "kernel"), own).has_value());
  CHECK(silent(memcheck, report_of("misaligned", own), own).has_value());
}

TEST_CASE("compute-sanitizer: findings about the self-test are removed") {
  const std::string own = "foldproof_self_test_memcheck";
  const auto all = found_in("memcheck", event("Precise", text("out of bounds"), where(0, own)) +
                                            event("Precise", text("out of bounds"), where(9)));
  const auto rest = without_self_test(all, own);
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].function == "kernel");
}

// --- The tool

TEST_CASE("compute-sanitizer: the command requests all records as XML and no host checks") {
  CHECK(command_line(tool("racecheck"), "/bin/compute-sanitizer", "/tmp/x.xml") ==
        std::vector<std::string>{"/bin/compute-sanitizer",
                                 "--tool",
                                 "racecheck",
                                 "--xml",
                                 "--save",
                                 "/tmp/x.xml",
                                 "--print-limit",
                                 "0",
                                 "--demangle",
                                 "no",
                                 "--strip-paths",
                                 "no",
                                 "--show-backtrace",
                                 "yes",
                                 "--destroy-on-device-error",
                                 "kernel",
                                 "--check-exit-code",
                                 "no",
                                 "--target-processes",
                                 "application-only",
                                 "--racecheck-report",
                                 "all"});
}

TEST_CASE("compute-sanitizer: percent signs in the file name are escaped") {
  CHECK(command_line(tool("synccheck"), "cs", "/tmp/100%p.xml")[5] == "/tmp/100%%p.xml");
}

TEST_CASE("compute-sanitizer: the tool's version is parsed from its output") {
  const std::string head = "NVIDIA (R) Compute Sanitizer\nCopyright (c) 2020-2025 NVIDIA Corporation\n";
  CHECK(version_in(head + "Version 2025.3.1.0 (build 36400806) (public-release)\n") == Version{2025, 3, 1});
  CHECK(version_in(head + "Version 2022.4.1.0 (build 1)\n") == Version{2022, 4, 1});
  CHECK(version_in("Version 2026.2.1") == Version{2026, 2, 1});
  CHECK(to_string(Version{2025, 3, 1}) == "2025.3.1");
  for (const char* unknown : {"", "Version 13", "Version 2025", "Version 99999999999999999999.1.1"})
    CHECK_THROWS_AS(version_in(unknown), Unsupported);
  CHECK_THROWS_WITH(version_in("Version 2021.3.1.0"), contains_text("2021.3.1 is too old"));
}

/// An environment variable with another value during the lifetime of this object.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "foldproof-test-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  fs::path program(const std::string& name) const {
    std::ofstream(path_ / name) << "#!/bin/sh\n";
    fs::permissions(path_ / name, fs::perms::owner_all);
    return path_ / name;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST_CASE(
    "compute-sanitizer: the environment variable precedes PATH, and the program that it names must exist") {
  const Folder folder;
  const fs::path in_path = folder.program("compute-sanitizer"), other = folder.program("other");
  const Setting path("PATH", "/nowhere::" + folder.path().string());
  {
    const Setting variable("FOLDPROOF_COMPUTE_SANITIZER", "");
    CHECK(find_executable() == in_path);
  }
  {
    const Setting variable("FOLDPROOF_COMPUTE_SANITIZER", other.string());
    CHECK(find_executable() == other);
  }
  const Setting variable("FOLDPROOF_COMPUTE_SANITIZER", "/nowhere/at/all");
  CHECK_THROWS_WITH(find_executable(), contains_text("FOLDPROOF_COMPUTE_SANITIZER=/nowhere/at/all"));
}

TEST_CASE("compute-sanitizer: if the tool is missing, the error lists where it was searched for") {
  const Setting variable("FOLDPROOF_COMPUTE_SANITIZER", ""), path("PATH", "/nowhere");
  CHECK_THROWS_AS(find_executable("/opt/cuda/bin"), Unsupported);
  CHECK_THROWS_WITH(find_executable("/opt/cuda/bin"), contains_text("PATH") &&
                                                          contains_text("/opt/cuda/bin") &&
                                                          contains_text("FOLDPROOF_COMPUTE_SANITIZER"));
}

}  // namespace
}  // namespace foldproof::compute_sanitizer
