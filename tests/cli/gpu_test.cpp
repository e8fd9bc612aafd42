// GPU commands on a machine without a GPU.
#include <tuple>

#include "catch.h"
#include "cli/add_one.h"
#include "cli/program.h"

using namespace foldproof;
using namespace foldproof::test;

namespace {

/// Hides the GPU of a machine that has one.
How without_gpu() { return {.environment = {"CUDA_VISIBLE_DEVICES="}}; }

}  // namespace

TEST_CASE("A command that needs a GPU is refused with status 3 if there is none", "[cli][gpu]") {
  const AddOne folder;
  const std::string contract = folder.path("add_one.toml");
  const std::vector<std::vector<std::string>> commands{
      {"audit", contract, "--device", "cuda"},
      {"audit", contract, "--device", "cuda", "--sanitizer", "memcheck"}};
  for (const auto& command : commands) {
    INFO(command.front());
    const RanJson ran = run_json(command, without_gpu());
    CHECK(ran.status == 3);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("no CUDA device available") == 0);
  }
}

TEST_CASE("The option --skip-status is the status if only a GPU is missing", "[cli][gpu]") {
  const AddOne folder;
  const std::string contract = folder.path("add_one.toml");
  const auto status = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"audit", contract, "--skip-status", "77"});
    const RanJson ran = run_json(options, without_gpu());
    return ran.status;
  };
  CHECK(status({}) == 0);
  CHECK(status({"--device", "cuda"}) == 77);
  CHECK(status({"--device", "all"}) == 77);
  CHECK(status({"--device", "all", "--budget", "1ms"}) == 3);
  CHECK(run({"audit", contract, "--skip-status", "0"}).status == 2);
  // An error of the user must not look like a missing GPU.
  const AddOne wrong("format = 1\nlaunches = 1\n");
  for (const auto& [path, option, value] : {std::tuple{folder.path("none.toml"), "--seed", "1"},
                                            {wrong.path("add_one.toml"), "--seed", "1"},
                                            {contract, "--only", "nothing"},
                                            {contract, "--entry", "nothing"},
                                            {contract, "--sanitizer", "none"}}) {
    INFO(path << " " << option);
    CHECK(run({"audit", path, option, value, "--device", "cuda", "--skip-status", "77"}, without_gpu())
              .status == 2);
  }
}

TEST_CASE("Devices are listed with the reason why one is missing", "[cli][gpu]") {
  const RanJson ran = run_json({"list", "--devices"}, without_gpu());
  CHECK(ran.status == 0);
  const auto& devices = ran.json.at("devices");
  CHECK(devices.at(0).at("device") == "emulated");
  CHECK(devices.at(0).at("lack").is_null());
  CHECK(devices.at(1).at("device") == "cuda");
  CHECK(devices.at(1).at("name").is_null());
  CHECK(devices.at(1).at("count") == 0);
  CHECK(devices.at(1).at("lack").get<std::string>().find("no CUDA device available") == 0);
}

TEST_CASE("The options --sanitizer and --large require --device cuda", "[cli][gpu]") {
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

TEST_CASE("The option --large cannot be combined with options that choose cases or count", "[cli][gpu]") {
  const AddOne folder;
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--sanitizer", "memcheck"},
                                               {"--case", "count=3 uniform seed=1"},
                                               {"--cases", "3"},
                                               {"--counters"}}) {
    std::vector<std::string> command{"audit", folder.path("add_one.toml"), "--device", "cuda", "--large"};
    command.insert(command.end(), more.begin(), more.end());
    const RanJson ran = run_json(command);
    CHECK(ran.status == 2);
    CHECK(ran.json.at("error").at("message").get<std::string>().find("omit it or " + more.front()) !=
          std::string::npos);
  }
}

TEST_CASE("The option --largest cannot be below the size of the first large sum", "[cli][gpu]") {
  const AddOne folder;
  const RanJson ran =
      run_json({"audit", folder.path("add_one.toml"), "--device", "cuda", "--large", "--largest", "1000000"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find("to be at least 1048577") !=
        std::string::npos);
}

TEST_CASE("An unknown compute-sanitizer tool is refused with the names of the known ones", "[cli][gpu]") {
  const AddOne folder;
  const RanJson ran = run_json(
      {"audit", folder.path("add_one.toml"), "--device", "all", "--sanitizer", "memcheck,leakcheck"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find("\"leakcheck\"") != std::string::npos);
}
