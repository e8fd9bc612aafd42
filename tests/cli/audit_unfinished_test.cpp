// An audit that is interrupted, has no time left or cannot run a part reports everything else.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "catch.h"
#include "cli/add_one.h"
#include "cli/fake_nvcc.h"
#include "cli/interrupted.h"
#include "nvcc.h"

using namespace foldproof::test;

namespace {

/// A contract that cannot be evaluated for that count.
std::string failing_for(const std::string& count, const std::string& contract) {
  return replaced(contract, "\"count\"]", "\"count + 0 / (count - " + count + ")\"]");
}

/// Adds broken.cu and its contract. Returns an nvcc that rejects every source with this error.
std::string reject_another_source(const Folder& folder, const std::string& error) {
  folder.file("broken.cu", "");
  folder.file("broken.toml", replaced(add_one_contract, "add_one.ptx", "broken.cu"));
  return fake_nvcc(folder, "echo release 13.0", "echo 'broken.cu(3): error: " + error + "'; exit 1");
}

/// A pipe for standard error that is never read and that accepts nothing more.
struct FullPipe {
  explicit FullPipe(const Folder& folder) : path(folder.path("pipe")) {
    REQUIRE(mkfifo(path.c_str(), 0600) == 0);
    end = open(path.c_str(), O_RDWR | O_NONBLOCK);
    while (write(end, "x", 1) == 1) {
    }
  }
  ~FullPipe() { close(end); }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;

  std::string path;
  int end = -1;
};

/// Adds a kernel whose cases take longer than any limit of a test.
void add_endless(const AddOne& folder) {
  const std::string endless =
      replaced(add_one_ptx, "ret;", "spin: ld.global.u32 %r6, [%rd1]; add.u64 %rd2, %rd2, 1; bra spin; ret;");
  folder.file("endless.ptx", endless);
  folder.file("endless.toml", replaced(add_one_contract, "add_one.ptx", "endless.ptx"));
}

}  // namespace

TEST_CASE("an interrupted audit ends within two seconds and reports its results so far") {
  const AddOne folder;
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "4000000000"},
                               {std::chrono::milliseconds(700), {}});
  check_is_interrupted(ran);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "skipped");
}

TEST_CASE("an interrupted compilation leaves neither processes nor temporary files") {
  const Folder temporary;
  const AddOne folder(replaced(add_one_contract, "add_one.ptx", "add_one.cu"));
  folder.file("add_one.cu", "__global__ void add_one(int* data, unsigned count);");
  const std::string started = folder.path("started");
  const std::string endless =
      fake_nvcc(folder, "echo release 13.0", "touch $TMPDIR/half " + started + "; sleep 60");
  const Ran ran = run({"audit", folder.path("add_one.toml"), "--nvcc", endless},
                      {.environment = {"TMPDIR=" + temporary.path().string()}, .interrupt_once = started});
  check_is_interrupted(ran);
  CHECK(std::filesystem::is_empty(temporary.path()));
}

TEST_CASE("a source that does not compile leaves the results of the others") {
  const AddOne folder(too_short);
  const std::string nvcc = reject_another_source(folder, "identifier \"x\" is undefined");
  const std::vector<std::string> audit{"audit",    folder.path().string(), "--nvcc", nvcc,
                                       "--report", folder.path("reports"), "--jobs", "1"};
  const RanJson ran = run_json(audit);
  CHECK(ran.status == 2);
  const auto& kernels = ran.json.at("kernels");
  CHECK(kernels.at(0).at("findings").at(0).at("kind") == "out-of-bounds");
  CHECK(kernels.at(1).at("verdict") == "error");
  CHECK(kernels.at(1).at("reason") == "broken.cu:3: nvcc cannot compile this: identifier \"x\" is undefined");
  CHECK(ran.err.find("broken.cu:3: error: nvcc cannot compile this") != std::string::npos);
  CHECK(std::filesystem::file_size(folder.path("reports/report.json")) > 0);
}

TEST_CASE("an interrupted audit reports a source that does not compile") {
  const AddOne folder;
  const std::string nvcc = reject_another_source(folder, "no");
  const RanJson ran =
      run_json({"audit", folder.path().string(), "--nvcc", nvcc, "--cases", "4000000000", "--jobs", "2"},
               {std::chrono::milliseconds(1500), {}});
  check_is_interrupted(ran);
  CHECK(ran.json.at("kernels").at(1).at("verdict") == "error");
  CHECK(ran.err.find("broken.cu:3: error: nvcc cannot compile this: no") != std::string::npos);
}

TEST_CASE("an interrupt while nvcc is asked for its version ends the run with one JSON object") {
  const Folder folder;
  const std::string source = folder.file("k.cu", "__global__ void k() {}");
  const std::string started = folder.path("started");
  const std::string endless = fake_nvcc(folder, "touch " + started + "; sleep 60", "exit 1");
  const RanJson ran =
      run_json({"sanitize", source, "--entry", "k", "--nvcc", endless}, {.interrupt_once = started});
  check_is_interrupted(ran);
  CHECK(ran.json.at("error").at("message") == "the run was interrupted");
}

TEST_CASE("an interrupted audit reports the findings of the running instance") {
  const AddOne folder(replaced(add_one_contract, "count = \"count\"", "count = \"count - 1\""));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "4000000000"},
                               {std::chrono::milliseconds(1500), {}});
  check_is_interrupted(ran);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "findings");
  CHECK(kernel.at("findings").at(0).at("kind") == "out-of-bounds");
  CHECK(kernel.at("notes").dump().find("cases, the run was interrupted") != std::string::npos);
}

TEST_CASE("a budget ends an audit early, and the report says so") {
  const AddOne folder;
  std::vector<std::string> command = {
      "audit", folder.path("add_one.toml"), "--cases", "4000000000", "--budget", "0.5s"};
  const RanJson ran = run_json(command);
  CHECK(ran.status == 3);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "skipped");
  CHECK(kernel.at("cut_off") == true);
  CHECK(kernel.at("reason").get<std::string>().find("of 4000000000 cases; use --min-cases") !=
        std::string::npos);
  command.insert(command.end(), {"--min-cases", "1"});
  const RanJson enough = run_json(command);
  CHECK(enough.status == 0);
  CHECK(enough.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(enough.json.at("kernels").at(0).at("notes").dump().find("budget") != std::string::npos);
}

TEST_CASE("a slow instance has the time that the others leave of the budget", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder folder;
  folder.file("slow.cu", R"cu(
template <int SLOW> __global__ void last_of(const int* in, int* out, int n) {
  for (volatile int k = 0; SLOW && k < 1000000; ++k) {}
  if (threadIdx.x == 0) *out = n == 0 ? 0 : in[n - 1];
})cu");
  std::string numbers = "0";
  for (int k = 1; k < 100; ++k) numbers += fmt::format(", {}", k);
  folder.file("slow.toml", "format = 1\nid = \"slow\"\ntypes = { M = [" + numbers + R"(] }
[domain]
count = "0 .. 100"
[[buffer]]
name = "in"
type = "i32"
count = "count"
initial = "zero"
[[buffer]]
name = "out"
type = "i32"
count = "1"
[[launch]]
entry = "last_of<({M} == 0)>"
grid = 1
block = 1
arguments = ["in", "out", "count"]
)");
  const RanJson ran =
      run_json({"audit", folder.path("slow.toml"), "--cases", "40", "--budget", "60s", "--jobs", "1"});
  CHECK(ran.status == 0);
  CHECK(ran.json.at("kernels").size() == 100);
  for (const auto& kernel : ran.json.at("kernels")) CHECK(kernel.at("cut_off") == false);
}

TEST_CASE("a budget ends an audit whose standard error is never read") {
  const AddOne folder;
  folder.file("second.toml", add_one_contract);
  const FullPipe pipe(folder);
  const auto begin = std::chrono::steady_clock::now();
  const Ran ran = run({"audit", folder.path().string(), "--cases", "20000", "--budget", "1s", "--jobs", "1"},
                      {.err = pipe.path});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(8));  // for a loaded machine
  CHECK(ran.out.find("add_one") != std::string::npos);
}

TEST_CASE("an error is printed as JSON although standard error is never read") {
  const Folder folder;
  const FullPipe pipe(folder);
  const RanJson ran = run_json({"audit", folder.path("missing.toml")}, {.err = pipe.path});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message") == "the file does not exist");
}

TEST_CASE("an interrupt after the last case keeps the results") {
  const AddOne folder(too_short);
  const std::string nvcc = reject_another_source(folder, "no");
  const FullPipe pipe(folder);  // the run waits a second for it, after the reports are written
  const RanJson ran =
      run_json({"audit", folder.path().string(), "--nvcc", nvcc, "--report", folder.path("reports")},
               {.err = pipe.path, .interrupt_once = folder.path("reports/report.json")});
  check_is_interrupted(ran);
  CHECK(ran.json.at("kernels").at(0).at("findings").at(0).at("kind") == "out-of-bounds");
}

TEST_CASE("an instance keeps its findings if a later case cannot be evaluated") {
  const AddOne folder(failing_for("64", too_short));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "80"});
  CHECK(ran.status == 2);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("findings").at(0).at("kind") == "out-of-bounds");
  CHECK(kernel.at("notes").dump().find("the process did not finish") != std::string::npos);
  CHECK(ran.err.find("division of 0 by zero") != std::string::npos);
}

TEST_CASE("a contract that cannot be evaluated gives status 2, also next to others") {
  const AddOne folder(failing_for("64", add_one_contract));
  folder.file("second.toml", add_one_contract);
  const RanJson ran = run_json({"audit", folder.path().string(), "--cases", "80"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "error");
  CHECK(ran.json.at("kernels").at(1).at("verdict") == "clean");
  CHECK(ran.err.find("division of 0 by zero") != std::string::npos);
}

TEST_CASE("counters that cannot be counted do not affect the audit") {
  // Counters are counted for 65536 elements.
  const AddOne folder(failing_for("65536", replaced(add_one_contract, "1 .. 1000", "1 .. 100000")));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--cases", "2", "--counters"});
  CHECK(ran.status == 0);
  const auto& kernel = ran.json.at("kernels").at(0);
  CHECK(kernel.at("verdict") == "clean");
  CHECK(kernel.at("notes").dump().find("counters omitted: ") != std::string::npos);
}

TEST_CASE("--prove proves the other kernels if one source does not compile") {
  const AddOne folder;
  const std::string nvcc = reject_another_source(folder, "no");
  const RanJson ran = run_json({"audit", folder.path().string(), "--nvcc", nvcc, "--prove"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "clean");
  CHECK(ran.json.at("kernels").at(1).at("verdict") == "error");
  CHECK(ran.json.at("mutation").at("kernels").size() == 1);
}

TEST_CASE("a budget ends an audit whose first case takes longer") {
  const AddOne folder;
  add_endless(folder);
  const RanJson ran = run_json({"audit", folder.path("endless.toml"), "--budget", "0.5s"});
  CHECK(ran.status == 3);
  CHECK(ran.json.at("kernels").at(0).at("verdict") == "skipped");
  CHECK(ran.json.at("kernels").at(0).at("cut_off") == true);
}

TEST_CASE("an instance that a case limit ends gives status 3, even if others are clean") {
  const AddOne folder;
  add_endless(folder);
  std::vector<std::string> arguments{
      "audit", folder.path().string(), "--cases", "2", "--case-limit", "400ms", "--jobs", "1"};
  for (const bool counts : {false, true}) {  // the counted case would exceed the limit, too
    if (counts) arguments.emplace_back("--counters");
    const RanJson ran = run_json(arguments);
    CHECK(ran.status == 3);
    const auto& kernels = ran.json.at("kernels");
    CHECK(kernels.at(0).at("verdict") == "clean");
    CHECK(kernels.at(1).at("verdict") == "skipped");
    CHECK(kernels.at(1).at("reason").get<std::string>().find("a case exceeded the limit of 0.4 s") == 0);
  }
}
