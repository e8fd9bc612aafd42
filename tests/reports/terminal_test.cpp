// The text report.
#include "reports/terminal.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/printable.h"
#include "catch.h"

using namespace foldproof;

namespace {

KernelReport clean(const Bindings& bindings) {
  KernelReport kernel;
  kernel.id = "A8";
  kernel.kernel = "A8 unrolled f32 sum";
  kernel.label = to_text(bindings);
  kernel.bindings = bindings;
  kernel.file = "unrolled.cu";
  kernel.cases = 40;
  kernel.worst_error_over_bound = 0.25;
  return kernel;
}

Finding race() {
  Finding finding;
  finding.kind = Kind::shared_race;
  finding.message = "thread 32 writes what thread 0 reads";
  finding.at = {"nowhere.cu", 17, 5};
  finding.threads = {{{0, 0, 0}, {32, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
  finding.case_text = "count=33 uniform seed=7";
  finding.replay = "foldproof replay case.toml";
  return finding;
}

AuditReport report_of(std::vector<KernelReport> kernels) {
  AuditReport report;
  report.device = "emulated";
  report.seed = 7;
  report.kernels = std::move(kernels);
  return report;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.rfind('\n', text.size() - 2);
  return text.substr(end == std::string::npos ? 0 : end + 1);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a clean report has one row per instance and a summary") {
  const std::string text = to_text(report_of({clean({{"T", "f32"}})}), {});
  CHECK(contains(text, "A8  unrolled f32 sum  T=f32        40         0.25  clean"));
  CHECK(last_line(text) == "1 instance (40 cases, emulated device, seed 7): 1 clean\n");
}

TEST_CASE("accepted findings are counted, and tables that accepted nothing are named") {
  KernelReport first = clean({{"T", "f32"}}), second = clean({{"T", "f64"}});
  first.accepted = {{Kind::shared_race, "k.cu:9", "why", "2099-01-01", 2},
                    {Kind::timeout, "k.cu", "why", "2099-01-01", 0}};
  second.accepted = {{Kind::shared_race, "k.cu:9", "why", "2099-01-01", 0},
                     {Kind::timeout, "k.cu", "why", "2099-01-01", 0}};
  const std::string text = to_text(report_of({first, second}), {});
  CHECK(contains(text, "note: the acceptance of timeout at k.cu matched no finding\n"));
  CHECK_FALSE(contains(text, "shared-race at k.cu:9 matched no finding"));
  CHECK(last_line(text) == "2 instances (80 cases, emulated device, seed 7): 2 clean; 2 findings accepted\n");
  first.cases = second.cases = 1;  // as in a replay
  CHECK_FALSE(contains(to_text(report_of({first, second}), {}), "matched no finding"));
}

TEST_CASE("clean instances that differ only in numbers share a row with the range") {
  const std::string text =
      to_text(report_of({clean({{"T", "f32"}, {"B", "32"}}), clean({{"T", "f32"}, {"B", "64"}}),
                         clean({{"T", "f32"}, {"B", "128"}})}),
              {});
  CHECK(contains(text, "T=f32,B=32..128    120"));
  CHECK(contains(last_line(text), "3 instances (120 cases"));
}

TEST_CASE("the line on a kernel counts the verdicts of its instances") {
  KernelReport wrong = clean({{"T", "f64"}});
  wrong.verdict = Verdict::findings;
  const KernelReport right = clean({{"T", "f32"}});
  CHECK(kernel_line(std::vector{right, right}) == "A8 (unrolled.cu): 2 instances: 2 clean");
  CHECK(kernel_line(std::vector{right, wrong}) == "A8 (unrolled.cu): 2 instances: 1 clean, 1 with findings");
  wrong.id.clear();
  CHECK(kernel_line(std::vector{wrong}) == "unrolled.cu: 1 instance: 1 with findings");
}

TEST_CASE("an instance names its device if several devices ran it") {
  KernelReport emulated = clean({{"T", "f32"}}), large = clean({{"T", "f32"}});
  emulated.device = "emulated";
  large.device = "cuda/large";
  const std::string text = to_text(report_of({emulated, large}), {});
  CHECK(contains(text, "  emulated,T=f32 "));
  CHECK(contains(text, "  cuda/large,T=f32 "));
  KernelReport other = clean({{"T", "f64"}});
  other.device = "cuda/large";
  CHECK_FALSE(contains(to_text(report_of({emulated, other}), {}), "cuda/large,"));
}

TEST_CASE("an instance with a finding has its own row") {
  KernelReport racy = clean({{"T", "f32"}, {"B", "64"}});
  racy.verdict = Verdict::findings;
  racy.findings = {race()};
  const std::string text =
      to_text(report_of({clean({{"T", "f32"}, {"B", "32"}}), racy, clean({{"T", "f32"}, {"B", "128"}})}), {});
  CHECK(contains(text, "T=f32,B=32 "));
  CHECK(contains(text, "T=f32,B=64 "));
  CHECK(contains(text, "1 finding"));
  CHECK(contains(last_line(text), "2 clean, 1 with findings"));
}

TEST_CASE("a finding is shown with position, threads, case, help and replay command") {
  KernelReport racy = clean({{"T", "f32"}});
  racy.verdict = Verdict::findings;
  racy.findings = {race()};
  const std::string text = to_text(report_of({racy}), {});
  CHECK(contains(text, "error[shared-race]: thread 32 writes what thread 0 reads\n  --> nowhere.cu:17:5\n"));
  CHECK(contains(text, "threads block 0 thread 32, block 0 thread 0"));
  CHECK(contains(text, "case    count=33 uniform seed=7"));
  CHECK(contains(text, "help    Put __syncthreads() between the two accesses."));
  CHECK(contains(text, "replay  foldproof replay case.toml"));
}

TEST_CASE("a finding that another one may explain names it, and has no help of its own") {
  KernelReport racy = clean({{"T", "f32"}});
  racy.verdict = Verdict::findings;
  racy.findings = {race()};
  racy.findings[0].cause = {Kind::deadlock, {"nowhere.cu", 3, 0}};
  const std::string text = to_text(report_of({racy}), {});
  CHECK(contains(text, "cause   possibly the `deadlock` at nowhere.cu:3\n"));
  CHECK_FALSE(contains(text, "help    "));
}

TEST_CASE("races of one kind for one variable are one finding with several pairs of places") {
  KernelReport racy = clean({{"T", "f32"}});
  racy.verdict = Verdict::findings;
  racy.findings = {race(), race(), race(), race()};
  for (Finding& finding : racy.findings) finding.memory = "the shared variable tile";
  racy.findings[1].at.line = 18;
  racy.findings[1].other = Position{"nowhere.cu", 20, 1};
  racy.findings[2].memory = "the shared variable other";
  racy.findings[3].at = *racy.findings[1].other;  // the same accesses in the other order
  racy.findings[3].other = racy.findings[1].at;
  const std::string text = to_text(report_of({racy}), {});
  CHECK(contains(text, "also    at nowhere.cu:18:5 and nowhere.cu:20:1\n"));
  const std::string head = "error[shared-race]";
  const std::size_t first = text.find(head), second = text.find(head, first + 1);
  CHECK(second != std::string::npos);
  CHECK(text.find(head, second + 1) == std::string::npos);
  CHECK(contains(text, "omitted 1 more of this kind"));
}

TEST_CASE("a replay command names a file below the working folder by a relative path, never like an option") {
  KernelReport racy = clean({{"T", "f32"}});
  racy.verdict = Verdict::findings;
  racy.findings = {race()};
  const std::string here = std::filesystem::current_path().string();
  racy.findings[0].replay = "foldproof replay " + here + "/cases/a.toml";
  CHECK(contains(to_text(report_of({racy}), {}), "replay  foldproof replay cases/a.toml"));
  racy.findings[0].replay = "foldproof replay " + here + "/-rf/a.toml";
  CHECK(contains(to_text(report_of({racy}), {}), "replay  foldproof replay ./-rf/a.toml"));
}

TEST_CASE("the help of a race names the lines between which a barrier is missing") {
  Finding finding = race();
  finding.threads[0].thread.x = 31;  // in the warp of thread 0
  const auto help_with = [&](const Position& other) {
    finding.other = other;
    return help_of(finding);
  };
  CHECK(help_with({"nowhere.cu", 20, 5}) ==
        "Put a barrier (__syncthreads or __syncwarp) between lines 17 and 20.");
  CHECK(help_with({"nowhere.cu", 16, 5}) ==
        "Put a barrier (__syncthreads or __syncwarp) between lines 16 and 17 or, if a loop repeats them, "
        "after each "
        "step.");
  CHECK(help_with({"/lib/tree.cuh", 20, 5}) ==
        "Put a barrier (__syncthreads or __syncwarp) between nowhere.cu:17 and tree.cuh:20.");
  CHECK(help_with(finding.at) ==
        "Put a barrier (__syncthreads or __syncwarp) between the two accesses: in a loop, after each step, "
        "and also "
        "between a read and a write of the same step if threads read what others write.");
  CHECK(help_with({}) == "Put a barrier (__syncthreads or __syncwarp) between the two accesses.");
}

TEST_CASE("only a block barrier helps against a race between warps") {
  Finding finding = race();
  finding.other = {"nowhere.cu", 20, 5};
  CHECK(help_of(finding) ==
        "Put __syncthreads() between lines 17 and 20. The two threads are in different warps.");
  finding.threads[0].thread = {0, 32, 0};  // which warp that is depends on the block
  CHECK(help_of(finding) == "Put a barrier (__syncthreads or __syncwarp) between lines 17 and 20.");
}

TEST_CASE("the second position is the other access of a race, or the origin of an undefined value") {
  Finding finding = race();
  finding.other = Position{"nowhere.cu", 16, 5};
  KernelReport kernel = clean({{"T", "f32"}});
  const auto text_of = [&] {
    kernel.findings = {finding};
    return to_text(report_of({kernel}), {});
  };
  CHECK(contains(text_of(), "  and nowhere.cu:16:5"));
  finding.kind = Kind::uninitialized_read;
  CHECK(contains(text_of(), "  which originates at nowhere.cu:16:5"));
  finding.other = finding.at;
  CHECK(contains(text_of(), "  which originates on the same line"));
}

TEST_CASE("a finding shared by several instances is shown once, with all of them") {
  KernelReport one = clean({{"T", "f32"}}), other = clean({{"T", "i32"}});
  one.verdict = other.verdict = Verdict::findings;
  one.findings = other.findings = {race()};
  const std::string text = to_text(report_of({one, other}), {});
  CHECK(text.find("error[") == text.rfind("error["));
  CHECK(contains(text, "kernel  A8 [T=f32]; A8 [T=i32]"));
}

TEST_CASE("findings of one kernel at one position are shown once, with the number of those not shown") {
  KernelReport kernel = clean({});
  kernel.verdict = Verdict::findings;
  kernel.findings = {race(), race(), race()};
  kernel.findings[1].message = "thread 40 writes what thread 8 reads";
  const std::string text = findings_text(report_of({kernel}), {});
  CHECK(text.find("error[") == text.rfind("error["));
  CHECK(contains(text, "  omitted 2 more of this kind at this place; --format json prints all\n"));
  kernel.findings.resize(1);
  CHECK_FALSE(contains(findings_text(report_of({kernel}), {}), "besides"));
}

TEST_CASE("the expected findings of a defect are not shown as errors") {
  KernelReport defect = clean({{"T", "f32"}});
  defect.verdict = Verdict::findings;
  defect.expected = true;
  defect.findings = {race()};
  defect.findings[0].expected = true;
  const std::string text = to_text(report_of({defect}), {});
  CHECK_FALSE(contains(text, "error["));
  CHECK(contains(text, "as expected"));
}

TEST_CASE("a defect with findings other than those announced is not counted as found") {
  KernelReport defect = clean({{"T", "f32"}});
  defect.verdict = Verdict::another_finding;
  defect.findings = {race()};
  defect.findings[0].expected = true;
  const std::string text = to_text(report_of({defect}), {});
  CHECK_FALSE(contains(text, "error["));
  CHECK(contains(text, "  another-finding  "));
  CHECK(contains(last_line(text), ": 1 with findings other than those announced\n"));
}

TEST_CASE("the largest tried counts are shown for a single source but not for a catalogue") {
  KernelReport kernel = clean({{"T", "f32"}});
  kernel.file = "a.cu";
  kernel.untried_above = {{"count", 66560}, {"grid", 24}};
  KernelReport narrow = kernel;
  narrow.untried_above = {{"count", 4096}};
  CHECK(contains(to_text(report_of({kernel, narrow}), {}),
                 "note: counts above 66560, \"grid\" above 24 were not tried\n"));
  narrow.file = "b.cu";
  CHECK_FALSE(contains(to_text(report_of({kernel, narrow}), {}), "not tried"));
}

TEST_CASE("only commands to be copied exceed the requested width") {
  KernelReport wordy = clean(
      {{"T", "f32"}, {"OPERATOR", "sum"}, {"ACCUMULATOR", "f64"}, {"LAYOUT", "interleaved"}, {"B", "1024"}});
  wordy.kernel = "A8 a kernel whose name goes on and on and on and on and on until the end of it";
  wordy.notes = {
      "one note that is so long that it has to be broken, since lines that do not end are never read, and so "
      "on"};
  wordy.verdict = Verdict::findings;
  wordy.findings = {race()};
  wordy.findings[0].message = std::string(30, 'm') + " " + std::string(50, 'n') + " " + std::string(40, 'o');
  std::istringstream lines(to_text(report_of({wordy}), {false, 100, {}}));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
}

TEST_CASE("counters are shown as tables per block, and only if they were counted") {
  KernelReport kernel = clean({{"T", "f32"}});
  CHECK_FALSE(contains(to_text(report_of({kernel}), {}), "Counters"));
  kernel.counters = Counted{"count=512", {}};
  Counters& c = kernel.counters->counters;
  c.blocks = 2;
  c.threads = 512;
  c.warp_instructions = 2000;
  c.live_lanes = 64000;
  c.active_lanes = 48000;
  c.divergent_branches = 13;
  c.block_barriers = 18;
  c.classes[static_cast<std::size_t>(InstructionClass::integer)] = 1500;
  c.classes[static_cast<std::size_t>(InstructionClass::shuffle)] = 500;
  c.shared.loads = {50, 1600, 60, 10};
  c.global.loads = {16, 512, 64};
  const std::string text = to_text(report_of({kernel}), {});
  CHECK(contains(text,
                 "A8  T=f32          2      256    1000     75%      6.5         9          0       250"));
  CHECK(contains(text, "A8  T=f32             25/0          5           8/0            4/-        0"));
  CHECK(contains(text, "A8  T=f32         75%      25%"));
}

TEST_CASE("how values were checked is shown for failures, and for clean kernels if requested") {
  KernelReport kernel = clean({{"T", "f32"}});
  kernel.accuracy.checked_by = {0, 0, 3, 0, 0};
  kernel.accuracy.worst_ulps = 0.5;
  CHECK_FALSE(contains(to_text(report_of({kernel}), {}), "bit for bit"));
  CHECK(contains(to_text(report_of({kernel}), {.verbose = true}),
                 "  checked  3 bit for bit\n  worst    largest error of all cases: 0.5 ulp\n"));
  kernel.verdict = Verdict::findings;
  CHECK(contains(to_text(report_of({kernel}), {}), "bit for bit"));
}

TEST_CASE("the result with the largest error is shown with the exact one, the error and the bound") {
  KernelReport kernel = clean({{"T", "f32"}});
  kernel.accuracy.checked_by = {0, 0, 0, 1, 0};
  kernel.worst_error_over_bound = 0.5;
  kernel.worst_case = "count=3 ladder seed=1";
  kernel.accuracy.worst_by = CheckResult::Evidence::bound;
  kernel.accuracy.worst = BoundedResult{1.5, 1.25, 0.25, 0.5};
  CHECK(contains(to_text(report_of({kernel}), {.verbose = true}),
                 "In that case, the result is 1.5 instead of 1.25. The error is 0.25, the bound 0.5.\n"));
}

TEST_CASE("an error of more than a million ulp is shown as such, without its digits, if a value is wrong") {
  KernelReport kernel = clean({{"T", "f32"}});
  kernel.accuracy.checked_by = {0, 0, 3, 0, 0};
  kernel.accuracy.worst_ulps = 4.36e40;
  CHECK_FALSE(contains(to_text(report_of({kernel}), {.verbose = true}), " ulp"));
  Finding wrong;
  wrong.kind = Kind::wrong_value;
  kernel.findings = {wrong};
  CHECK(contains(to_text(report_of({kernel}), {.verbose = true}),
                 "largest error of all cases: more than 1e+06 ulp\n"));
}

TEST_CASE("colours are used only if requested") {
  CHECK(contains(to_text(report_of({clean({{"T", "f32"}})}), {true, 100, {}}), "\x1b["));
  CHECK_FALSE(contains(to_text(report_of({clean({{"T", "f32"}})}), {false, 100, {}}), "\x1b["));
}

TEST_CASE("control characters from input are shown as escapes") {
  const std::string hostile = "\x1b[2J\x07\r\u202e\u009b\xff";
  KernelReport sly = clean({{"T", hostile}});
  sly.id = sly.kernel = sly.file = sly.worst_case = sly.accuracy.why_not = sly.reason = hostile;
  sly.notes = {hostile};
  sly.untried_above = {{hostile, 5}};
  sly.coverage = {{hostile, {{hostile, 1}}}};
  sly.counters.emplace();
  sly.accuracy.checked_by = {1, 1, 1, 1, 1};
  sly.accuracy.order = OrderShown{hostile, 1, 2};
  sly.findings = {race()};
  sly.findings[0].message = sly.findings[0].case_text = sly.findings[0].replay = hostile;
  sly.findings[0].at.file = hostile;
  sly.findings[0].other = Position{hostile, 1, 0};
  AuditReport report = report_of({sly});
  report.device = hostile;
  report.skipped_devices = {{hostile, hostile}};
  const std::string text = to_text(report, {});
  CHECK(printable_lines(text) == text);
  CHECK(contains(text, "error[shared-race]: \\x1b[2J\\x07\\x0d\\u202e\\u009b\\xff\n"));
}

TEST_CASE("a sentence and an id of a megabyte are cut") {
  const std::string words(1'000'000, 'x');
  KernelReport wordy = clean({{"T", words}});
  wordy.id = wordy.kernel = wordy.reason = words;
  wordy.notes = {words};
  wordy.findings = {race()};
  wordy.findings[0].message = words;
  const std::string text = to_text(report_of({wordy}), {});
  CHECK(text.size() < 20'000);
  CHECK(contains(text, "x…\n    (truncated to the first 1940 of 1000000 bytes)"));
}

TEST_CASE("the table counts characters, not bytes") {
  KernelReport greek = clean({{"T", "f32"}});
  greek.id = "µµ";
  const std::string text = to_text(report_of({greek}), {});
  CHECK(contains(text, "id  kernel"));
  CHECK(contains(text, "µµ  A8 unrolled f32 sum"));
}
