// Jobs under a tool of compute-sanitizer, without a GPU or the tool: the worker is the tests' own, and the
// tool is a script that runs it and then writes given records.
#include "devices/sanitized.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "tool_records.h"

using namespace foldproof;
using namespace foldproof::compute_sanitizer;
using namespace foldproof::test;

namespace {

constexpr const char* ptx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry put(.param .u64 to) {
  .reg .u64 %to;
  ld.param.u64 %to, [to];
  st.global.u32 [%to], 1;
  ret;
}
)";

std::shared_ptr<const Image> image(const std::string& name) {
  return std::make_shared<const Image>(Image{name, ptx});
}

/// A job with two launches.
Job sanitized_job(const std::shared_ptr<const Image>& of, const std::string& buffer = "output") {
  const JobLaunch launch{"put", {{1, 1, 1}, {1, 1, 1}}, {{ArgumentBytes(8), {{0, 0, 0}}}}, {"put.toml", 7}};
  return {of, {{buffer, 4, {}, 0, true}}, {launch, launch}, {}, {}, std::nullopt};
}

/// The tool as a script in a folder; each of its processes writes the next of these records, and the last one
/// is repeated.
class Script {
 public:
  explicit Script(const std::vector<std::string>& records) {
    for (std::size_t k = 0; k < records.size(); ++k)
      std::ofstream(folder_.path() / ("records-" + std::to_string(k))) << records_file(records[k]);
    std::ofstream script(path());
    script << "#!/bin/sh\nhere=" << folder_.path().string() << R"(
for word; do
  [ "$before" = --save ] && save=$word
  before=$word
done
while [ "$1" != )"
           << FOLDPROOF_TEST_WORKER << R"( ]; do shift; done
"$@"
[ $? = 137 ] && exit  # killed, as this process will be in a moment
turn=$(cat $here/turn 2>/dev/null || echo 0)
[ -e $here/records-$turn ] || turn=$((turn - 1))
cp $here/records-$turn "$save"
echo $((turn + 1)) > $here/turn
)";
    script.close();
    chmod(path().c_str(), 0755);
  }
  std::filesystem::path path() const { return folder_.path() / "compute-sanitizer"; }

 private:
  TemporaryFolder folder_;
};

const Tool& racecheck() { return *tool_named("racecheck"); }

/// The records of a process whose self-test was its launch with that number.
std::string self_test(unsigned launch) { return hazard(launch, std::string(racecheck().self_test)); }

std::vector<std::optional<JobResult>> run(const Script& script, const std::vector<Job>& jobs) {
  WorkerOptions worker;
  worker.command = {FOLDPROOF_TEST_WORKER};
  worker.limit = std::chrono::milliseconds(4000);
  return run_sanitized(racecheck(), worker, script.path(), jobs);
}

}  // namespace

TEST_CASE("A record is attributed to the job of the launch that it names", "[sanitized]") {
  const auto one = image("one.cu");
  // Two launches per job: the third belongs to the second job; the seventh is the self-test.
  const Script script({hazard(3, "put") + self_test(7)});
  const auto results = run(script, {sanitized_job(one), sanitized_job(one), sanitized_job(one)});
  REQUIRE(results.size() == 3);
  CHECK(results[0]->findings.empty());
  CHECK(results[0]->completed);
  REQUIRE(results[1]->findings.size() == 1);
  CHECK(results[1]->findings[0].kind == Kind::shared_race);
  CHECK(results[1]->findings[0].at == Position{"/src/put.cu", 3});
  CHECK_FALSE(results[1]->completed);
  CHECK(results[2]->findings.empty());
}

TEST_CASE("A tool that does not report its self-test is unsupported", "[sanitized]") {
  const auto one = image("one.cu");
  CHECK_THROWS_AS(run(Script({hazard(1, "put")}), {sanitized_job(one)}), Unsupported);
  CHECK_THROWS_AS(run(Script({""}), {sanitized_job(one)}), Unsupported);
}

TEST_CASE("A kernel that prevents the self-test's report costs no other job its result", "[sanitized]") {
  const auto one = image("one.cu"), two = image("two.cu");
  // Not reported next to both kernels; reported alone; reported next to the first; not reported next to the
  // second.
  const Script script({"", self_test(1), self_test(3), ""});
  const auto results = run(script, {sanitized_job(one), sanitized_job(two)});
  REQUIRE(results.size() == 2);
  CHECK(results[0]->completed);
  CHECK_FALSE(results[0]->unsupported);
  REQUIRE(results[1]->unsupported);
  CHECK(results[1]->unsupported->find("compute-sanitizer's racecheck did not report") == 0);

  // A record is valid even if the self-test is not reported.
  const Script talkative({"", self_test(1), self_test(3), hazard(1, "put")});
  const auto found = run(talkative, {sanitized_job(one), sanitized_job(two)});
  REQUIRE(found[1]->findings.size() == 1);
  CHECK(found[1]->findings[0].kind == Kind::shared_race);
  CHECK_FALSE(found[1]->unsupported);
}

TEST_CASE("An image that the driver refuses costs only its own jobs", "[sanitized]") {
  const auto one = image("one.cu");
  const auto refused = std::make_shared<const Image>(Image{"refused.cu", "this is not PTX"});
  // It launches nothing: the first two launches are those of the last job.
  const Script script({hazard(1, "put") + self_test(3)});
  const auto results = run(script, {sanitized_job(refused), sanitized_job(refused), sanitized_job(one)});
  REQUIRE(results.size() == 3);
  for (const std::size_t k : {0U, 1U}) {
    REQUIRE(results[k]->unsupported);
    CHECK(results[k]->unsupported->find("refused.cu") == 0);
  }
  REQUIRE(results[2]->findings.size() == 1);
  CHECK(results[2]->findings[0].kind == Kind::shared_race);
}

TEST_CASE("A tool that writes no valid records is an error", "[sanitized]") {
  const Script script({"<record>"});
  CHECK_THROWS_AS(run(script, {sanitized_job(image("one.cu"))}), Unsupported);
}

TEST_CASE("A job that does not end costs only the later jobs of its image", "[sanitized]") {
  const auto one = image("one.cu"), two = image("two.cu");
  // The hanging process is killed and writes nothing. The next one runs the job before it, whose race is
  // reported; the third runs the job of the other image.
  const Script script({hazard(1, "put") + self_test(3), self_test(3)});
  const auto results =
      run(script, {sanitized_job(one), sanitized_job(one, "hangs"), sanitized_job(one), sanitized_job(two)});
  REQUIRE(results.size() == 4);
  REQUIRE(results[0]->findings.size() == 1);
  CHECK(results[0]->findings[0].kind == Kind::shared_race);
  REQUIRE(results[1]->findings.size() == 1);
  CHECK(results[1]->findings[0].kind == Kind::timeout);
  CHECK(results[1]->findings[0].message ==
        "under compute-sanitizer's racecheck, the case did not end within 4 s");
  CHECK_FALSE(results[2]);
  REQUIRE(results[3]);
  CHECK(results[3]->findings.empty());
}

TEST_CASE("A process whose job does not end is killed together with its tool", "[sanitized]") {
  const TemporaryFolder folder;
  const auto number = folder.path() / "process";
  // Like compute-sanitizer, the script has a process between itself and the worker.
  const auto script = folder.path() / "compute-sanitizer";
  std::ofstream(script) << "#!/bin/sh\nexec 3<&0\n( " FOLDPROOF_TEST_WORKER " <&3 &\necho $! >> "
                        << number.string() << "\nwait ) &\nwait\n";
  chmod(script.c_str(), 0755);
  WorkerOptions worker;
  worker.command = {FOLDPROOF_TEST_WORKER};
  worker.limit = std::chrono::milliseconds(200);
  CHECK_THROWS_AS(run_sanitized(racecheck(), worker, script, {{sanitized_job(image("one.cu"), "hangs")}}),
                  Unsupported);

  pid_t id = 0;
  std::ifstream(number) >> id;
  REQUIRE(id > 0);
  const auto is_there = [id] { return kill(id, 0) == 0; };
  for (int k = 0; k < 500 && is_there(); ++k) usleep(10'000);
  CHECK_FALSE(is_there());
}

TEST_CASE("A warning from the tool does not replace the device's own error", "[sanitized]") {
  const auto one = image("one.cu");
  // A store far past the buffer, which is an error on the device; the tool only warns of a race within a
  // warp.
  Job astray = sanitized_job(one);
  for (JobStep& step : astray.steps) std::get<JobLaunch>(step).arguments[0].pointers[0].offset = 1 << 20;
  std::string warning = hazard(1, "put");
  warning.replace(warning.find("64</x>"), 6, "1</x>");
  const Script script(
      {warning + R"(<record><kind>Analysis</kind><level>Warning</level><what><text>Race condition</text>
<source><direction>Write</direction><where><func>put</func><path>/src/put.cu</path><line>3</line><pc>0x10</pc></where></source>
<destination><direction>Write</direction><where><func>put</func><path>/src/put.cu</path><line>3</line><pc>0x10</pc></where>
<count>1</count></destination></what></record>)",
       self_test(1)});
  const auto results = run(script, {astray});
  REQUIRE(results[0]);
  REQUIRE(results[0]->findings.size() == 2);
  CHECK(results[0]->findings[0].kind == Kind::out_of_bounds);
  CHECK(results[0]->findings[1].severity == Severity::warning);
  CHECK_FALSE(results[0]->completed);
}

TEST_CASE("Without jobs, the tool must still report its self-test", "[sanitized]") {
  CHECK(run(Script({self_test(1)}), {}).empty());
  CHECK_THROWS_AS(run(Script({""}), {}), Unsupported);
}
