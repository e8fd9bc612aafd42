// Audits kernels without a contract whose truth is known: verdicts.txt has the verdict of each one.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "cli/program.h"
#include "nvcc.h"

using namespace foldproof::test;
namespace fs = std::filesystem;

namespace {

/// By file, kernel and a number if several kernels of the file have that name.
using Verdicts = std::map<std::string, std::string>;

/// "findings" only if one of them is an error, otherwise "warnings", or "doubts" if these contradict the
/// guess.
std::string verdict_of(const nlohmann::json& kernel) {
  const auto is_error = [](const nlohmann::json& finding) { return finding.at("severity") == "error"; };
  const std::string verdict = kernel.at("verdict");
  if (verdict != "findings" || std::ranges::any_of(kernel.at("findings"), is_error)) return verdict;
  return kernel.at("reason").is_null() ? "warnings" : "doubts";
}

/// Those of all files in the folder.
Verdicts audited(const std::string& folder) {
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(fs::path(FOLDPROOF_GUESSES) / folder))
    sources.push_back(entry.path());
  Verdicts verdicts;
  for (const fs::path& source : sources) {
    const Folder store;
    const RanJson ran = run_json({"audit", source.string(), "--cases", "24", "--jobs", "1", "--case-limit",
                                  "20s", "--store", store.path("cases")});
    std::map<std::string, unsigned> seen;
    for (const auto& kernel : ran.json.at("kernels")) {
      std::string name = kernel.at("entry");
      std::ranges::replace(name, ' ', '_');
      if (const unsigned number = ++seen[name]; number > 1) name += "#" + std::to_string(number);
      verdicts[folder + "/" + source.stem().string() + " " + name] = verdict_of(kernel);
    }
  }
  return verdicts;
}

/// A line is "folder/file kernel verdict"; what follows, from "#", says why.
Verdicts expected(const std::string& folder, std::set<std::string>& explained) {
  Verdicts verdicts;
  std::ifstream file(fs::path(FOLDPROOF_GUESSES) / "verdicts.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string source, kernel, verdict, why;
    words >> source >> kernel >> verdict >> why;
    if (!source.starts_with(folder + "/")) continue;
    verdicts[source + " " + kernel] = verdict;
    if (!why.empty()) explained.insert(source + " " + kernel);
  }
  return verdicts;
}

/// What an author can rely on: a right kernel has no error, and a wrong one is not clean.
bool is_sound(const std::string& folder, const std::string& verdict) {
  if (folder == "correct") return verdict != "findings";
  return verdict == "findings" || verdict == "no-fit" || verdict == "doubts";
}

void check(const std::string& folder) {
  if (foldproof::tests::lacks_nvcc()) return;
  std::set<std::string> explained;
  const Verdicts wanted = expected(folder, explained), actual = audited(folder);
  for (const auto& [kernel, verdict] : actual) {
    INFO(kernel);
    CHECK(verdict == (wanted.contains(kernel) ? wanted.at(kernel) : "a line in verdicts.txt"));
    CHECK((is_sound(folder, verdict) || explained.contains(kernel)));
  }
  CHECK(wanted.size() == actual.size());
}

}  // namespace

TEST_CASE("a correct kernel without a contract has no error, unless verdicts.txt says why", "[correct]") {
  check("correct");
}

TEST_CASE("a wrong kernel without a contract is not clean, unless verdicts.txt says why", "[wrong]") {
  check("wrong");
}
