// What is printed and written: reports, lists and help.
#include <sys/stat.h>

#include <filesystem>
#include <sstream>

#include "catch.h"
#include "cli/add_one.h"
#include "nvcc.h"

using namespace foldproof::test;

TEST_CASE("reports are written into a folder, one file per format") {
  const AddOne folder;
  REQUIRE(run({"audit", folder.path("add_one.toml"), "--report", folder.path("reports")}).status == 0);
  CHECK(std::filesystem::file_size(folder.path("reports/report.txt")) > 0);
  CHECK(std::filesystem::file_size(folder.path("reports/report.json")) > 0);
}

TEST_CASE("a run without a report leaves no report of an earlier run") {
  const AddOne folder;
  const std::string reports = folder.path("reports");
  REQUIRE(run({"audit", folder.path("add_one.toml"), "--report", reports}).status == 0);
  REQUIRE(run({"audit", folder.path("missing.toml"), "--report", reports}).status == 2);
  CHECK(std::filesystem::is_empty(reports));
}

TEST_CASE("the text report quotes the source line of a finding", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  const Folder store;
  const Ran ran = run({"audit", source_file("examples/wrong.cu"), "--store", store.path().string()});
  CHECK(ran.status == 1);
  CHECK(ran.out.find("error[out-of-bounds]: ") == 0);
  CHECK(ran.out.find("13 |     next = input[i + stride];\n") != std::string::npos);
  CHECK(ran.out.find("\x1b") == std::string::npos);
}

TEST_CASE("a wrong contract does not prevent the others in its folder from being listed") {
  const AddOne folder;
  folder.file("wrong.toml", "format = 1\nnonsense = 1\n");
  const RanJson ran = run_json({"list", folder.path().string()});
  CHECK(ran.status == 2);
  REQUIRE(ran.json.at("kernels").size() == 1);
  CHECK(ran.json.at("kernels").at(0).at("id") == "add_one");
  REQUIRE(ran.json.at("errors").size() == 1);
  CHECK(ran.json.at("errors").at(0).at("file") == folder.path("wrong.toml"));
  CHECK(ran.json.at("errors").at(0).at("line") == 2);
  CHECK(ran.err.find("nonsense") != std::string::npos);
  CHECK(run({"list", folder.path().string()}).out.starts_with("add_one "));
}

TEST_CASE("what an audit writes can be read by its user whatever the umask is") {
  const AddOne folder;
  const std::string report = folder.path("report");
  const mode_t before = umask(0577);
  const Ran ran = run({"audit", folder.path("add_one.toml"), "--cases", "2", "--report", report});
  umask(before);
  CHECK(ran.status == 0);
  CHECK((std::filesystem::status(report).permissions() & std::filesystem::perms::owner_all) ==
        std::filesystem::perms::owner_all);
}

TEST_CASE("the bundled kernels are listed from any working directory") {
  const Folder elsewhere;
  const RanJson ran = run_json({"list"}, {std::chrono::milliseconds(0), elsewhere.path()});
  CHECK(ran.status == 0);
  bool found = false;
  for (const auto& kernel : ran.json.at("kernels")) {
    for (const char* key : {"id", "entry", "operator", "input", "accumulator", "output", "file", "devices"})
      CHECK(kernel.contains(key));
    found =
        found || (kernel.at("id") == "A5" && kernel.at("operator") == "sum" && kernel.at("input") == "f32");
  }
  CHECK(found);
}

TEST_CASE("the options --help and --version give status 0") {
  const Ran help = run({"--help"});
  CHECK(help.status == 0);
  for (const char* verb : {"audit", "mutate", "sanitize", "init", "replay", "list", "exact", "tree"})
    CHECK(help.out.find(verb) != std::string::npos);
  CHECK(run({"audit", "--help"}).status == 0);
  const Ran version = run({"--version"});
  CHECK(version.status == 0);
  CHECK(version.out.starts_with("foldproof "));
}

TEST_CASE("the help of both programs fits on a screen of 24 lines and 80 columns") {
  for (const Ran& help : {run({"--help"}), run_laboratory({"--help"})}) {
    std::istringstream lines(help.out);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
    CHECK(count <= 24);
  }
}

TEST_CASE("a report that cannot be written gives status 3 and one sentence") {
  const AddOne folder;
  How full;
  full.out = "/dev/full";
  const std::string contract = folder.path("add_one.toml");
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"audit", contract},
                                                    {"audit", contract, "--format", "json"},
                                                    {"list"},
                                                    {"--help"}}) {
    const Ran ran = run(arguments, full);
    CHECK(ran.status == 3);
    CHECK(ran.err == "error: cannot write to standard output: No space left on device\n");
  }
}

TEST_CASE("a link in place of a report is refused before the audit and is not followed") {
  const AddOne folder;
  std::filesystem::create_directory(folder.path("reports"));
  const std::string target = folder.file("target", "kept");
  std::filesystem::create_symlink(target, folder.path("reports/report.txt"));
  const RanJson ran = run_json({"audit", folder.path("add_one.toml"), "--report", folder.path("reports")});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message").get<std::string>().find("symbolic link") != std::string::npos);
  CHECK(std::filesystem::file_size(target) == 4);
}

TEST_CASE("prepare prints how many sources it prepared") {
  const AddOne folder;
  const RanJson ran = run_json({"prepare", folder.path("add_one.toml")});
  CHECK(ran.status == 0);
  CHECK(ran.json == nlohmann::json{{"prepared", 1}, {"skipped", 0}});
  CHECK(run({"prepare", folder.path("add_one.toml")}).out == "prepared: 1 of 1 sources\n");
}
