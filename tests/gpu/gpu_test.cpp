// Jobs on the GPU of this machine, in a worker process; a faulting kernel costs no other job its result.
#include <signal.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "catch.h"
#include "devices/worker.h"
#include "gpu/program.h"
#include "word_job.h"

using namespace foldproof;
using namespace foldproof::test;

namespace {

// Each kernel takes the address of four bytes.
constexpr const char* ptx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 ticket = 5;
.visible .entry put(.param .u64 to, .param .u32 value) {
  .reg .u64 %to;
  .reg .u32 %value;
  ld.param.u64 %to, [to];
  ld.param.u32 %value, [value];
  st.global.u32 [%to], %value;
  ret;
}
.visible .entry beyond(.param .u64 to, .param .u32 value) {
  .reg .u64 %to;
  .reg .u32 %value;
  ld.param.u64 %to, [to];
  ld.param.u32 %value, [value];
  st.global.u32 [%to], %value;
  st.global.u32 [%to+4], %value;
  ret;
}
.visible .entry astray(.param .u64 to, .param .u32 value) {
  .reg .u64 %to;
  .reg .u32 %value;
  mov.u64 %to, 64;
  ld.param.u32 %value, [value];
  st.global.u32 [%to], %value;
  ret;
}
.visible .entry endless(.param .u64 to, .param .u32 value) {
  .reg .u64 %to;
  .reg .u32 %value;
  .reg .pred %again;
  ld.param.u64 %to, [to];
again:
  ld.volatile.global.u32 %value, [%to];
  setp.ne.u32 %again, %value, 12345;
  @%again bra again;
  ret;
}
.visible .entry stop(.param .u64 to, .param .u32 value) {
  trap;
}
.visible .entry take_ticket(.param .u64 to, .param .u32 value) {
  .reg .u64 %to;
  .reg .u32 %value;
  ld.param.u64 %to, [to];
  atom.global.add.u32 %value, [ticket], 1;
  st.global.u32 [%to], %value;
  ret;
}
)";

const std::shared_ptr<const Image> image = std::make_shared<const Image>(Image{"kernels.ptx", ptx});

Job job(const std::string& entry, std::uint32_t value) {
  JobLaunch launch{entry,
                   {{1, 1, 1}, {1, 1, 1}},
                   {{ArgumentBytes(8), {{0, 0, 0}}}, word_argument(value)},
                   {"put.toml", 7}};
  return {image, {{"output", 4, {}, 0, true}}, {launch}, {}, {}, std::nullopt};
}

WorkerOptions options() {
  WorkerOptions options;
  options.command = {gpu_tests_program(), "gpu-worker"};
  options.limit = std::chrono::seconds(3);
  return options;
}

/// The kind of the finding in the middle one of three jobs; the other two must succeed.
Kind kind_of(const std::string& entry) {
  const std::vector<JobResult> results =
      make_worker_runner(options())->run({job("put", 1), job(entry, 2), job("put", 3)});
  REQUIRE(results.size() == 3);
  for (const std::size_t other : {0U, 2U}) {
    CHECK(results[other].findings.empty());
    CHECK(value_of(results[other]) == other + 1);
  }
  REQUIRE(results[1].findings.size() == 1);
  CHECK(results[1].findings[0].at == Position{"put.toml", 7});
  return results[1].findings[0].kind;
}

/// The worker started by this process; 0 if there is none.
pid_t child() {
  std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
  pid_t id = 0;
  children >> id;
  return id;
}

}  // namespace

TEST_CASE("Kernels and the sizes of their parameters are listed", "[gpu]") {
  const auto entries = make_worker_runner(options())->entries(image);
  const auto put = std::ranges::find(entries, "put", &EntryInfo::name);
  REQUIRE(put != entries.end());
  CHECK(put->parameter_bytes == std::vector<std::uint32_t>{8, 4});
}

TEST_CASE("Every job of a batch has its own result", "[gpu]") {
  std::vector<Job> jobs;
  for (std::uint32_t value = 0; value < 200; ++value) jobs.push_back(job("put", value));
  const std::vector<JobResult> results = make_worker_runner(options())->run(jobs);
  REQUIRE(results.size() == jobs.size());
  for (std::uint32_t value = 0; value < 200; ++value) CHECK(value_of(results[value]) == value);
}

TEST_CASE("Module variables have their initial values at the start of every job", "[gpu]") {
  const auto results = make_worker_runner(options())->run({job("take_ticket", 0), job("take_ticket", 0)});
  REQUIRE(results.size() == 2);
  CHECK(value_of(results[0]) == 5);
  CHECK(value_of(results[1]) == 5);
}

TEST_CASE("A write past the end of a buffer is reported as out of bounds", "[gpu]") {
  CHECK(kind_of("beyond") == Kind::out_of_bounds);
}

TEST_CASE("An illegal address is reported as out of bounds", "[gpu]") {
  CHECK(kind_of("astray") == Kind::out_of_bounds);
}

TEST_CASE("A kernel that does not end is reported as a timeout", "[gpu]") {
  CHECK(kind_of("endless") == Kind::timeout);
}

TEST_CASE("A trap is reported as a crash", "[gpu]") { CHECK(kind_of("stop") == Kind::crash); }

TEST_CASE("Killing a worker in the middle of a batch costs no result", "[gpu]") {
  const auto runner = make_worker_runner(options());
  runner->entries(image);
  // Enough jobs that the worker is killed while it runs them.
  std::vector<Job> jobs;
  for (std::uint32_t value = 0; value < 20'000; ++value) jobs.push_back(job("put", value));
  const pid_t worker = child();
  REQUIRE(worker > 0);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(worker, SIGKILL);
  });
  const std::vector<JobResult> results = runner->run(jobs);
  killer.join();
  CHECK(child() != worker);
  REQUIRE(results.size() == jobs.size());
  for (std::uint32_t value = 0; value < 20'000; ++value) {
    REQUIRE(results[value].findings.empty());
    REQUIRE(value_of(results[value]) == value);
  }
}

TEST_CASE("A launch that the GPU refuses does not affect other jobs", "[gpu]") {
  Job large = job("put", 2);
  std::get<JobLaunch>(large.steps[0]).shape.block = {2048, 1, 1};
  const std::vector<JobResult> results =
      make_worker_runner(options())->run({job("put", 1), large, job("put", 3)});
  REQUIRE(results.size() == 3);
  CHECK(value_of(results[0]) == 1);
  CHECK(value_of(results[2]) == 3);
  REQUIRE(results[1].findings.size() == 1);
  CHECK(results[1].findings[0].kind == Kind::contract_violation);
}
