// What is about a GPU, where there is none; and the pages that are made from its reports.
#include "catch.h"
#include "cli/add_one.h"
#include "cli/program.h"

using namespace foldproof;
using namespace foldproof::test;

namespace {

/// A machine with a GPU shows none to this run.
How without_gpu() { return {{}, {}, {}, {"CUDA_VISIBLE_DEVICES="}}; }

/// As `foldproof audit --format json` prints: a defect D1 with these findings on that device.
std::string report(const std::string& device, const std::string& findings) {
  return R"({"tool": "foldproof", "version": "0", "device": "a device", "seed": "1", "kernels": [{"kernel": "D1 wrong",
    "entry": "wrong", "id": "D1", "instance": "", "file": "wrong.cu", "device": ")" +
         device + R"(", "verdict": ")" + (findings.empty() ? "clean" : "findings") +
         R"(", "expected": true, "cases": 40, "worst_error_over_bound": null, "worst_case": null,
    "worst_judged_by": null, "worst_is_vacuous": false, "worst_error_ulps": null, "judged_by": {"nothing": 0, "category": 0,
    "exact": 40, "bound": 0, "tree": 0}, "why_not_judged": null, "tree": null, "untried_above": [], "findings": [)" +
         findings + R"(], "notes": [], "reason": null, "seconds": 1, "warp_instructions": 1, "counters": null,
    "coverage": null}]})";
}

std::string finding(const std::string& kind, const std::string& message) {
  return R"({"kind": ")" + kind + R"(", "severity": "error", "expected": true, "message": ")" + message +
         R"(", "file": null, "line": null, "column": null, "other_file": null, "other_line": null, "other_column": null,
    "threads": [], "case": null, "replay": null})";
}

}  // namespace

TEST_CASE("What needs a GPU says that there is none, with status 3", "[cli][gpu]") {
  const AddOne folder;
  const std::string contract = folder.path("add_one.toml");
  const std::vector<std::vector<std::string>> commands{
      {"compare", contract},
      {"bench", "gpu", contract},
      {"bench", "kernels"},
      {"bench", "exact"},
      {"audit", contract, "--device", "cuda", "--sanitizer", "memcheck"}};
  for (const auto& command : commands) {
    INFO(command.front());
    const RanJson ran = run_json(command, without_gpu());
    CHECK(ran.status == 3);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("there is no CUDA device here") == 0);
  }
}

TEST_CASE("The devices are listed, with the reason why one is not there", "[cli][gpu]") {
  const RanJson ran = run_json({"list", "--devices"}, without_gpu());
  CHECK(ran.status == 0);
  const auto& devices = ran.json.at("devices");
  CHECK(devices.at(0).at("device") == "emulated");
  CHECK(devices.at(0).at("lack").is_null());
  CHECK(devices.at(1).at("device") == "cuda");
  CHECK(devices.at(1).at("name").is_null());
  CHECK(devices.at(1).at("lack").get<std::string>().find("there is no CUDA device here") == 0);
}

TEST_CASE("A tool of compute-sanitizer needs the GPU to be asked for", "[cli][gpu]") {
  const AddOne folder;
  const std::string contract = folder.path("add_one.toml");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"audit", contract, "--sanitizer", "memcheck"},
        {"audit", contract, "--large"},
        {"replay", contract, "--sanitizer", "memcheck"}}) {
    INFO(command.front() << " " << command[2]);
    const RanJson ran = run_json(command);
    CHECK(ran.status == 2);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("add --device cuda") !=
          std::string::npos);
  }
}

TEST_CASE("Large sums have cases of their own", "[cli][gpu]") {
  const AddOne folder;
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--sanitizer", "memcheck"},
                                               {"--case", "count=3 uniform seed=1"},
                                               {"--cases", "3"},
                                               {"--counters"}}) {
    std::vector<std::string> command{"audit", folder.path("add_one.toml"), "--device", "cuda", "--large"};
    command.insert(command.end(), more.begin(), more.end());
    const RanJson ran = run_json(command);
    CHECK(ran.status == 2);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("leave it or " + more.front()) !=
          std::string::npos);
  }
}

TEST_CASE("Large sums are not less than the first of them", "[cli][gpu]") {
  const AddOne folder;
  const RanJson ran =
      run_json({"audit", folder.path("add_one.toml"), "--device", "cuda", "--large", "--largest", "1000000"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find("begins with 1048577 elements") !=
        std::string::npos);
}

TEST_CASE("A tool that there is not is refused with the names of those that there are", "[cli][gpu]") {
  const AddOne folder;
  const RanJson ran = run_json(
      {"audit", folder.path("add_one.toml"), "--device", "all", "--sanitizer", "memcheck,leakcheck"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find("\"leakcheck\"") != std::string::npos);
}

TEST_CASE("The page of what finds which defect has a column for each device and tool", "[cli][gpu]") {
  const Folder folder;
  const std::string emulated =
      folder.file("emulated.json", report("emulated", finding("shared-race", "two writes")));
  const std::string cuda = folder.file("cuda.json", report("cuda", finding("wrong-value", "1 and not 2")));
  const std::string memcheck =
      folder.file("memcheck.json", report("cuda/memcheck", finding("wrong-value", "1 and not 2")));
  const std::string racecheck = folder.file(
      "racecheck.json",
      report("cuda/racecheck", finding("shared-race", "compute-sanitizer's racecheck: a hazard")));
  const Ran ran = run({"detection", emulated, cuda, memcheck, racecheck});
  CHECK(ran.status == 0);
  // A wrong value is no finding of the tool that watched meanwhile.
  CHECK(ran.out.find("| D1 wrong | shared-race | shared-race |  | not run | not run | wrong |") !=
        std::string::npos);
  CHECK(ran.out.find("| found, of 1 | 1 | 1 | 0 | 0 | 0 | 1 |") != std::string::npos);
}

TEST_CASE("A page is made of reports only", "[cli][gpu]") {
  const Folder folder;
  CHECK(run({"detection", folder.file("none.json", "{")}).status == 2);
  CHECK(run({"detection", folder.file("other.json", "{\"kernels\": [{}]}")}).status == 2);
  CHECK(run({"bench", "kernels", "--measured", folder.file("no.json", "[]")}).status == 2);
}
