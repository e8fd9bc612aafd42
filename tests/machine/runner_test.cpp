// Jobs that run one after another on one device.
#include "devices/emulated/runner.h"

#include "machine/fixture.h"
#include "sanitizer/barrier_check.h"

namespace foldproof::machine_tests {
namespace {

// Each launch draws the next ticket from a module variable.
Job ticket_job(std::size_t launches) {
  static const auto image = std::make_shared<const Image>(
      Image{"test.ptx", text_of("atom.global.add.u32 %r1, [ticket], 1; st.global.u32 [mine], %r1;",
                                {.buffers = {zeros(4)}, .module = ".global .u32 ticket = 7;"})});
  Job job;
  job.image = image;
  job.buffers.push_back({"buffer0", 4, {}, 0, true});
  JobLaunch launch;
  launch.entry = "k";
  launch.shape = {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0, false};
  launch.arguments.push_back({Bytes(8), {{0, 0, 0}}});
  job.steps.assign(launches, launch);
  job.limits = {1000};
  return job;
}

TEST_CASE("module variables persist between the launches of a job") {
  const auto runner = emulated::make_runner();
  CHECK(runner->run({ticket_job(3)})[0].contents[0] == words({9}));
}

TEST_CASE("module variables are reset before each job, so that a case can be replayed alone") {
  const auto runner = emulated::make_runner();
  const std::vector<JobResult> results = runner->run({ticket_job(1), ticket_job(2)});
  CHECK(results[0].contents[0] == words({7}));
  CHECK(results[1].contents[0] == words({8}));
}

TEST_CASE("what a launch wrote to a buffer is lost when the buffer is reset") {
  Job job = ticket_job(1);
  const auto runner = emulated::make_runner({}, true);
  job.steps.emplace_back(JobReset{0});
  CHECK(runner->run({job})[0].contents[0] == words({UndefinedFill::poison}));
  job.buffers[0].initial = words({1});
  CHECK(runner->run({job})[0].contents[0] == words({1}));
}

TEST_CASE("an undefined value that a launch stored is not reported after a reset of its buffer") {
  Job job = ticket_job(1);
  job.image = std::make_shared<const Image>(
      Image{"test.ptx", text_of("st.global.u32 [mine], %r9;", {.buffers = {zeros(4)}})});
  const auto runner = emulated::make_runner({}, true);
  CHECK(runner->run({job})[0].findings.at(0).kind == Kind::uninitialized_read);
  job.steps.emplace_back(JobReset{0});
  CHECK(runner->run({job})[0].findings.empty());
}

TEST_CASE("no job is run after one that does not end") {
  // Counts up to 2^64, which the detection of endless loops cannot prove to be endless.
  const auto counting = std::make_shared<const Image>(Image{
      "test.ptx",
      text_of("next: add.u64 %rd1, %rd1, 1; setp.ne.u64 %p1, %rd1, 0; @%p1 bra next;", {.buffers = {}})});
  Job endless;
  endless.image = counting;
  endless.steps.emplace_back(JobLaunch{"k", {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0, false}, {}});
  endless.limits = {100'000};
  const auto runner = emulated::make_runner();
  const std::vector<JobResult> results = runner->run({ticket_job(1), endless, ticket_job(1)});
  REQUIRE(results.size() == 2);
  CHECK(results[0].completed);
  CHECK(results[1].findings.at(0).kind == Kind::timeout);
}

TEST_CASE("findings of an aborted launch are not reported for the next job") {
  Observers checks;
  checks.push_back(std::make_unique<BarrierCheck>());
  const auto runner = emulated::make_runner(std::move(checks));
  const auto job = [](const std::string& body) {
    Job made;
    made.image = std::make_shared<const Image>(Image{"test.ptx", text_of(body, {.buffers = {}})});
    made.steps.emplace_back(JobLaunch{"k", {{1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0, false}, {}});
    made.limits = {1000};
    return made;
  };
  const std::string apart =
      "setp.lt.u32 %p1, lane, 16; @%p1 bra A; bar.sync 0; bra B; A: bar.sync 0; B: tex.1d.v4.f32.f32 "
      "{%f1, %f2, %f3, %f4}, [%rd1, {%f5}];";
  const std::vector<JobResult> results = runner->run({job(apart), job("")});
  CHECK(results[0].unsupported);
  CHECK(results[1].findings.empty());
}

// Each of 32 threads reads its element of buffer 0 and the next one, %r1 and %r2; the last one reads past the
// end. It stores %r1, as changed by `body`, to buffer 1.
JobResult reading_past_the_end(const std::string& body, const AcceptsFinding& accepts,
                               std::uint64_t most_instructions = 1000) {
  std::vector<std::uint32_t> tens;
  for (std::uint32_t i = 0; i < 32; ++i) tens.push_back(10 * i);
  const Bytes input = words(tens);
  Job job;
  job.image = std::make_shared<const Image>(
      Image{"test.ptx", text_of("\nld.global.u32 %r1, [mine];\nld.global.u32 %r2, [mine+4];\n" + body +
                                    "sub.u64 %rd1, mine, buffer0; add.u64 %rd1, buffer1, %rd1;\n"
                                    "st.global.u32 [%rd1], %r1;",
                                {.buffers = {input, input}})});
  job.buffers = {{"input", input.size(), input}, {"output", input.size(), {}, 0, true}};
  JobLaunch launch;
  launch.entry = "k";
  launch.shape = {{1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0, false};
  launch.arguments = {{Bytes(8), {{0, 0, 0}}}, {Bytes(8), {{0, 1, 0}}}};
  job.steps = {launch};
  job.limits = {most_instructions};
  job.accepts = accepts;
  return emulated::make_runner({}, true)->run({job}).at(0);
}

std::vector<Kind> kinds_of(const JobResult& result) {
  std::vector<Kind> kinds;
  for (const Finding& finding : result.findings) kinds.push_back(finding.kind);
  return kinds;
}

bool accepts_line_3(const Finding& finding) {
  return finding.kind == Kind::out_of_bounds && finding.at.line == 3;
}

TEST_CASE("after an accepted access out of bounds, a job goes on") {
  const std::string discards = "setp.eq.u32 %p1, tid, 31; @!%p1 add.u32 %r1, %r1, %r2;\n";
  const JobResult result = reading_past_the_end(discards, accepts_line_3);
  CHECK(kinds_of(result) == std::vector{Kind::out_of_bounds});
  REQUIRE(result.completed);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 31; ++i) expected.push_back(10 * i + 10 * (i + 1));
  expected.push_back(310);
  CHECK(result.contents.at(1) == words(expected));
}

TEST_CASE("what an accepted access out of bounds reads is undefined") {
  const JobResult used = reading_past_the_end("add.u32 %r1, %r1, %r2;\n", accepts_line_3);
  CHECK(used.completed);
  REQUIRE(kinds_of(used) == std::vector{Kind::out_of_bounds, Kind::uninitialized_read});
  CHECK(used.findings[1].message ==
        "byte 124 of the buffer output depends on 4 bytes whose address was out of bounds or misaligned");
  CHECK(used.findings[1].other->line == 3);
}

TEST_CASE("what an accepted access out of bounds reads may have any value, if it does not matter") {
  // x * 0
  CHECK(kinds_of(reading_past_the_end("mul.lo.u32 %r2, %r2, lane; mul.lo.u32 %r2, %r2, 0;\n"
                                      "add.u32 %r1, %r1, %r2;\n",
                                      accepts_line_3)) == std::vector{Kind::out_of_bounds});
}

TEST_CASE(
    "an access out of bounds that is not accepted ends a job, without other findings about what it read") {
  const JobResult result = reading_past_the_end("add.u32 %r1, %r1, %r2;\n",
                                                [](const Finding& finding) { return finding.at.line == 2; });
  CHECK(kinds_of(result) == std::vector{Kind::out_of_bounds});
  CHECK(!result.completed);
}

TEST_CASE("a launch ends soon after an access out of bounds, even if what was read is the bound of a loop") {
  const Setting setting{.buffers = {zeros(4)}, .limits = {400'000'000}};
  const Outcome run =
      run_module(text_of("ld.global.u32 %r1, [buffer0+4096]; mov.u32 %r2, 0; next: add.u32 %r2, %r2, "
                         "1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra next;",
                         setting),
                 setting);
  REQUIRE(run.report.findings.size() == 1);
  CHECK(run.report.findings[0].kind == Kind::out_of_bounds);
  CHECK(!run.report.completed);
  CHECK(run.report.warp_instructions < 2'000'000);
}

TEST_CASE("a launch ends soon if what an accepted access out of bounds read is the bound of a loop") {
  const JobResult result = reading_past_the_end(
      "mov.u32 %r3, 0; again: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra again;\n",
      accepts_line_3, 400'000'000);
  CHECK(kinds_of(result) == std::vector{Kind::out_of_bounds, Kind::uninitialized_read});
  CHECK(!result.completed);
  CHECK(result.warp_instructions < 2'000'000);
}

TEST_CASE("an accepted store out of bounds changes no memory") {
  const JobResult result =
      reading_past_the_end("setp.eq.u32 %p1, tid, 31; mov.u32 %r2, 0; @%p1 st.global.u32 [mine+4], %r1;\n",
                           [](const Finding& finding) { return finding.kind == Kind::out_of_bounds; });
  CHECK(kinds_of(result) == std::vector{Kind::out_of_bounds, Kind::out_of_bounds});
  CHECK(result.completed);
}

}  // namespace
}  // namespace foldproof::machine_tests
