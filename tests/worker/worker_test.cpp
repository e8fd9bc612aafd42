// Jobs run in a worker process, including one that misbehaves.
#include "devices/worker.h"

#include <chrono>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "word_job.h"

using namespace foldproof;
using namespace foldproof::test;

namespace {

constexpr const char* put_ptx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry put(.param .u64 to, .param .u32 value) {
  .reg .u64 %to;
  .reg .u32 %value;
  ld.param.u64 %to, [to];
  ld.param.u32 %value, [value];
  st.global.u32 [%to], %value;
  ret;
}
)";

const std::shared_ptr<const Image> put_image = std::make_shared<const Image>(Image{"put.ptx", put_ptx});

/// A job that writes `value` into a buffer with that name.
Job job(std::uint32_t value, const std::string& name = "output", std::uint64_t past = 0,
        std::uint64_t group = 0) {
  JobBuffer buffer{name, 4, {}, 0, true};
  JobLaunch launch{"put",
                   {{1, 1, 1}, {1, 1, 1}},
                   {{ArgumentBytes(8), {{0, 0, past}}}, word_argument(value)},
                   {"put.toml", 7}};
  return {put_image, {buffer}, {launch}, {}, {}, std::nullopt, group};
}

WorkerOptions options() {
  WorkerOptions options;
  options.command = {FOLDPROOF_TEST_WORKER};
  options.limit = std::chrono::milliseconds(400);
  return options;
}

/// The results of jobs that write 1, 2 and 3; the second one's buffer has the given name.
std::vector<JobResult> results_with(const std::string& name) {
  return make_worker_runner(options())->run({job(1), job(2, name), job(3)});
}

/// Checks that the first and the last job succeeded.
void check_others(const std::vector<JobResult>& results) {
  REQUIRE(results.size() == 3);
  CHECK(results[0].findings.empty());
  CHECK(value_of(results[0]) == 1);
  CHECK(results[2].findings.empty());
  CHECK(value_of(results[2]) == 3);
}

}  // namespace

TEST_CASE("A worker returns the results of its runner", "[worker]") {
  const std::vector<JobResult> results = results_with("output");
  check_others(results);
  CHECK(value_of(results[1]) == 2);
}

TEST_CASE("A job that does not end in time is a timeout, and the others have their results", "[worker]") {
  const std::vector<JobResult> results = results_with("hangs");
  check_others(results);
  REQUIRE(results[1].findings.size() == 1);
  CHECK(results[1].findings[0].kind == Kind::timeout);
  CHECK(results[1].findings[0].message == "the case did not end within 0.4 s");
  CHECK(results[1].findings[0].at == Position{"put.toml", 7});
  CHECK_FALSE(results[1].completed);
}

TEST_CASE("No jobs are run after the second one that does not end", "[worker]") {
  const std::vector<JobResult> results =
      make_worker_runner(options())->run({job(1), job(2, "hangs"), job(3), job(4, "hangs"), job(5)});
  REQUIRE(results.size() == 4);
  CHECK(value_of(results[2]) == 3);
  CHECK(results[3].findings.at(0).kind == Kind::timeout);
}

TEST_CASE("A job that kills its process is a crash, and the others have their results", "[worker]") {
  const std::vector<JobResult> results = results_with("is killed");
  check_others(results);
  REQUIRE(results[1].findings.size() == 1);
  CHECK(results[1].findings[0].kind == Kind::crash);
  CHECK(results[1].findings[0].message ==
        "the process that ran the case on the device was terminated by signal 9 (Killed)");
}

TEST_CASE("A job that kills its process costs more than others, and one that is not run costs nothing",
          "[worker]") {
  const std::vector<JobResult> results = make_worker_runner(options())->run(
      {job(1, "output", 0, 1), job(2, "is killed", 0, 1), job(3, "output", 0, 1), job(4, "hangs", 0, 2)});
  REQUIRE(results.size() == 4);
  CHECK(results[0].cost == uncounted_cost);
  CHECK(results[1].cost == std::uint64_t{1} << 22);
  CHECK(results[2].cost == 0);
  CHECK(results[3].cost == std::uint64_t{1} << 22);
}

TEST_CASE("After a job that kills its process, only jobs of other groups are run", "[worker]") {
  const TemporaryFolder folder;
  const std::string once = "is killed once: " + (folder.path() / "mark").string();
  const std::vector<JobResult> results = make_worker_runner(options())->run(
      {job(1, "output", 0, 1), job(2, "is killed", 0, 1), job(3, once, 0, 1), job(4, "output", 0, 2)});
  REQUIRE(results.size() == 4);
  CHECK(value_of(results[0]) == 1);
  CHECK(results[1].findings.at(0).kind == Kind::crash);
  CHECK_FALSE(results[2].completed);
  CHECK(results[2].findings.empty());
  CHECK_FALSE(std::filesystem::exists(folder.path() / "mark"));
  CHECK(value_of(results[3]) == 4);
}

TEST_CASE("A job's output is not quoted in the finding of a later job", "[worker]") {
  const std::vector<JobResult> results =
      make_worker_runner(options())->run({job(1, "speaks"), job(2, "is killed")});
  REQUIRE(results.size() == 2);
  REQUIRE(results[1].findings.size() == 1);
  CHECK(results[1].findings[0].message ==
        "the process that ran the case on the device was terminated by signal 9 (Killed)");
}

TEST_CASE("A worker that is killed once in the middle of a batch costs no result", "[worker]") {
  const TemporaryFolder folder;
  const std::vector<JobResult> results = results_with("is killed once: " + (folder.path() / "mark").string());
  check_others(results);
  CHECK(results[1].findings.empty());
  CHECK(value_of(results[1]) == 2);
}

TEST_CASE("A worker that is killed once while it runs a single job costs no result", "[worker]") {
  const TemporaryFolder folder;
  const std::string name = "is killed once: " + (folder.path() / "mark").string();
  const std::vector<JobResult> results = make_worker_runner(options())->run({job(7, name)});
  REQUIRE(results.size() == 1);
  CHECK(results[0].findings.empty());
  CHECK(value_of(results[0]) == 7);
}

TEST_CASE("A worker that sends an invalid answer is a crash of the job that it was running", "[worker]") {
  const std::vector<JobResult> results = results_with("babbles");
  check_others(results);
  REQUIRE(results[1].findings.size() == 1);
  CHECK(results[1].findings[0].kind == Kind::crash);
}

TEST_CASE("Jobs that corrupt each other's device are run one by one", "[worker]") {
  const std::vector<JobResult> results = results_with("spoils");
  check_others(results);
  CHECK(value_of(results[1]) == 2);
}

TEST_CASE("Findings are returned with their positions, and the jobs before and after them succeed",
          "[worker]") {
  const auto runner = make_worker_runner(options());
  const std::vector<JobResult> results = runner->run({job(1), job(2, "output", 4096), job(3)});
  check_others(results);
  REQUIRE(results[1].findings.size() == 1);
  CHECK(results[1].findings[0].kind == Kind::out_of_bounds);
  CHECK(results[1].findings[0].at.line == 9);
}

TEST_CASE("An input that the device refuses is an error with its position", "[worker]") {
  Job wrong = job(1);
  std::get<JobLaunch>(wrong.steps[0]).entry = "nothing";
  try {
    make_worker_runner(options())->run({wrong});
    FAIL("it was run");
  } catch (const InputError& error) {
    CHECK(error.position() == Position{"put.toml", 7});
  }
}

TEST_CASE("A device that is not present is reported with the reason", "[worker]") {
  WorkerOptions none = options();
  none.command.emplace_back("without a device");
  CHECK_THROWS_WITH(make_worker_runner(none)->entries(put_image), "there is none here");
}

TEST_CASE("A program that is not a worker is refused", "[worker]") {
  WorkerOptions none = options();
  none.command = {"/bin/true"};
  CHECK_THROWS_AS(make_worker_runner(none)->entries(put_image), Unsupported);
}

TEST_CASE("A runner uses a given worker until it ends, and then starts another one", "[worker]") {
  const auto worker = std::make_shared<Worker>(options());
  const auto runner = make_worker_runner(options(), worker);
  CHECK(value_of(runner->run({job(1)}).at(0)) == 1);
  CHECK(worker->is_alive());
  runner->run({job(2, "is killed")});
  CHECK_FALSE(worker->is_alive());
  CHECK(value_of(runner->run({job(3)}).at(0)) == 3);
}

TEST_CASE("An answer to another request is a crash of the job", "[worker]") {
  const std::vector<JobResult> results = results_with("answers somebody else");
  check_others(results);
  REQUIRE(results[1].findings.size() == 1);
  CHECK(results[1].findings[0].kind == Kind::crash);
  CHECK(results[1].findings[0].message.find("a reply to another request") != std::string::npos);
}

TEST_CASE("A worker ends if its standard input is not a connection", "[worker]") {
  CHECK(std::system("timeout 10 " FOLDPROOF_TEST_WORKER " < /dev/null") == 0);
}
