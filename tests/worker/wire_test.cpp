// Jobs and results as messages: every field is sent, and malformed messages are refused.
#include "devices/worker/wire.h"

#include "catch.h"

using namespace foldproof;

namespace {

std::vector<std::byte> bytes(std::size_t count) { return std::vector<std::byte>(count, std::byte{7}); }

/// A job with every field set.
Job whole_job() {
  Job job;
  job.buffers = {{"input", 8, bytes(3), 2, false}, {"output", 4, {}, 0, true}};
  JobLaunch launch{"sum", {{2, 3, 4}, {5, 6, 7}, {1, 1, 1}, 48, true}, {}, {"sum.toml", 3, 4}};
  launch.arguments = {{ArgumentBytes(16), {{8, 1, 4}}}};
  job.steps = {JobReset{1}, launch};
  job.order = Schedule{Schedule::Order::random, 11};
  job.limits.warp_instructions = 12;
  return job;
}

std::vector<std::byte> message_of(const Job& job) {
  ByteWriter writer(Request::run);
  write(writer, std::span(&job, 1));
  return writer.message();
}

std::vector<Job> jobs_in(std::span<const std::byte> message) {
  ByteReader reader(message);
  reader.number();
  std::vector<Job> jobs = read_jobs(reader, nullptr);
  reader.expect_end();
  return jobs;
}

}  // namespace

TEST_CASE("A job is unchanged after being sent", "[wire]") {
  const Job job = whole_job();
  const std::vector<Job> jobs = jobs_in(message_of(job));
  REQUIRE(jobs.size() == 1);
  // Writing it again gives the same bytes: every field that is sent is also read.
  CHECK(message_of(jobs[0]) == message_of(job));
  const auto& launch = std::get<JobLaunch>(jobs[0].steps[1]);
  CHECK(launch.shape.block == Dim3{5, 6, 7});
  CHECK(launch.shape.cooperative);
  CHECK(launch.where == Position{"sum.toml", 3, 4});
  CHECK(launch.arguments[0].pointers[0].offset == 4);
  CHECK(jobs[0].buffers[0].offset == 2);
  CHECK(jobs[0].order == job.order);
}

TEST_CASE("A result is unchanged after being sent", "[wire]") {
  JobResult result;
  result.contents = {bytes(5), {}};
  Finding finding;
  finding.kind = Kind::shared_race;
  finding.severity = Severity::warning;
  finding.message = "two writes";
  finding.at = {"sum.cu", 5, 6};
  finding.other = Position{"sum.cu", 7};
  finding.threads = {{{1, 2, 3}, {4, 5, 6}}};
  result.findings = {finding};
  result.warp_instructions = 9;
  result.printed = "hello";
  result.completed = false;
  result.unsupported = "no such instruction";
  ByteWriter writer(Answer::results);
  write(writer, std::vector<JobResult>{result});
  ByteReader reader(writer.message());
  reader.number();
  const JobResult back = read_results(reader).at(0);
  reader.expect_end();
  CHECK(back.contents == result.contents);
  REQUIRE(back.findings.size() == 1);
  CHECK(back.findings[0].kind == finding.kind);
  CHECK(back.findings[0].severity == finding.severity);
  CHECK(back.findings[0].message == finding.message);
  CHECK(back.findings[0].at == finding.at);
  CHECK(back.findings[0].other == finding.other);
  CHECK(back.findings[0].threads == finding.threads);
  CHECK(back.warp_instructions == 9);
  CHECK(back.printed == "hello");
  CHECK_FALSE(back.completed);
  CHECK(back.unsupported == "no such instruction");
}

TEST_CASE(
    "A co-running load is unchanged after being sent, and an occupancy limit beyond the tightest is refused",
    "[wire]") {
  Job job = whole_job();
  job.order = CoRunningLoad{5, true};
  CHECK(jobs_in(message_of(job)).at(0).order == job.order);
  job.order = CoRunningLoad{tightest_occupancy_limit + 1, false};
  CHECK_THROWS_AS(jobs_in(message_of(job)), ProtocolError);
}

TEST_CASE("A missing instruction count stays missing", "[wire]") {
  ByteWriter writer(Answer::results);
  write(writer, std::vector<JobResult>{JobResult{}});
  ByteReader reader(writer.message());
  reader.number();
  CHECK_FALSE(read_results(reader).at(0).warp_instructions);
  reader.expect_end();
}

TEST_CASE("A message that is cut off at any position is refused", "[wire]") {
  const std::vector<std::byte> whole = message_of(whole_job());
  for (std::size_t size = 8; size < whole.size(); ++size)
    CHECK_THROWS_AS(jobs_in(std::span(whole).first(size)), ProtocolError);
}

TEST_CASE("A corrupted message is refused or read as another job, without a crash", "[wire]") {
  const std::vector<std::byte> whole = message_of(whole_job());
  for (std::size_t at = 8; at < whole.size(); ++at)
    for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
      std::vector<std::byte> changed = whole;
      changed[at] ^= std::byte{static_cast<unsigned char>(change)};
      try {
        jobs_in(changed);
      } catch (const ProtocolError&) {
      }
    }
}

TEST_CASE("A job that refers to a buffer that it does not have is refused", "[wire]") {
  Job job = whole_job();
  std::get<JobReset>(job.steps[0]).buffer = 2;
  CHECK_THROWS_AS(jobs_in(message_of(job)), ProtocolError);
}
