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

}  // namespace
}  // namespace foldproof::machine_tests
