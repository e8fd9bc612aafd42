// `foldproof explain`, and the kernels of docs/findings.md that it prints.
#include <map>

#include "catch.h"
#include "cli/program.h"
#include "markdown.h"
#include "nvcc.h"
#include "sanitizer/finding.h"

using namespace foldproof::test;

namespace {

std::vector<std::string> all_kinds() {
  return {
#define FOLDPROOF_KIND(id, name, family, traits, help) name,
#include "sanitizer/kinds.def"
#undef FOLDPROOF_KIND
  };
}

/// The blocks of code of a Markdown text, by language.
std::multimap<std::string, std::string> code_in(const std::string& text) {
  std::multimap<std::string, std::string> blocks;
  for (const auto& block : foldproof::tests::code_blocks_in(text)) blocks.emplace(block.info, block.text());
  return blocks;
}

/// The audit of a kernel of the page, with the section's contract.
RanJson audited(const Folder& folder, const std::string& kernel, const std::string& contract) {
  const std::string source = folder.file("kernel.cu", kernel);
  if (!contract.empty()) folder.file("kernel.toml", contract);
  return run_json({"audit", source, "--jobs", "1", "--cases", "12"});
}

std::vector<std::string> kinds_found(const RanJson& ran) {
  std::vector<std::string> kinds;
  for (const auto& finding : ran.json.at("kernels").at(0).at("findings")) kinds.push_back(finding.at("kind"));
  return kinds;
}

}  // namespace

TEST_CASE("every kind of finding and every verdict is explained") {
  std::vector<std::string> names = all_kinds();
  names.insert(names.end(),
               {"clean", "findings", "another-finding", "skipped", "error", "notes", "not-audited"});
  for (const std::string& name : names) {
    INFO(name);
    const RanJson ran = run_json({"explain", name});
    CHECK(ran.status == 0);
    CHECK(ran.json.at("topics").at(0).at("text").get<std::string>().size() > 100);
  }
}

TEST_CASE("an explanation names another one by the command that prints it") {
  const std::string text = run({"explain", "findings"}).out;
  CHECK(text.find("`foldproof explain unchecked`") != std::string::npos);
  CHECK(text.find("](") == std::string::npos);
}

TEST_CASE("an explanation is text without Markdown fences and links") {
  const std::string text = run({"explain", "outside-bound"}).out;
  CHECK(text.starts_with("outside-bound (finding)\n\nThe error of the result is larger"));
  CHECK(text.find("\n    __global__ void sum(") != std::string::npos);
  CHECK(text.find("```") == std::string::npos);
  CHECK(text.find("Specification: docs/numerics.md.") != std::string::npos);
}

TEST_CASE("each item of a list begins a line") {
  const std::string text = run({"explain", "unchecked"}).out;
  CHECK(text.find("\n- The contract leaves the result open") != std::string::npos);
  CHECK(text.find(". - ") == std::string::npos);
}

TEST_CASE("every name means one thing") {
  const RanJson ran = run_json({"explain"});
  std::map<std::string, int> times;
  for (const auto& topic : ran.json.at("topics")) ++times[topic.at("name")];
  CHECK(times.size() > 60);
  for (const auto& [name, number] : times) {
    INFO(name);
    CHECK(number == 1);
  }
}

TEST_CASE("the letters in the meaning of a word of a case are explained, and no others") {
  const auto text_of = [](const std::string& name) {
    return run_json({"explain", name}).json.at("topics").at(0).at("text").get<std::string>();
  };
  CHECK(text_of("shuffled") == "\nIn a case, `shuffled` means: the elements in random order.\n");
  CHECK(text_of("negative").ends_with("\n\nHere x is an element of the input.\n"));
  CHECK(text_of("scale").ends_with("\n\nHere x is an element of the input; k is the exponent.\n"));
}

TEST_CASE("an unknown name suggests the nearest one") {
  const RanJson ran = run_json({"explain", "shared-rice"});
  CHECK(ran.status == 2);
  CHECK(ran.json.at("error").at("message") == "unknown name \"shared-rice\"; did you mean \"shared-race\"?");
}

TEST_CASE("a word of a report that is not a name leads to the topic that mentions it") {
  CHECK(run({"explain", "as-expected"}).err.find("`foldproof explain findings` mentions it") !=
        std::string::npos);
  CHECK(run({"explain", "vacuous"}).err.find("`foldproof explain notes` mentions it") != std::string::npos);
  CHECK(run({"explain", "qqqq"}).err.find("`foldproof explain` lists all names") != std::string::npos);
}

TEST_CASE("the kernels of the explanations show their finding, and the repaired ones are clean", "[nvcc]") {
  if (foldproof::tests::lacks_nvcc()) return;
  for (const std::string& kind : all_kinds()) {
    INFO(kind);
    const RanJson explained = run_json({"explain", kind});
    const auto code = code_in(explained.json.at("topics").at(0).at("text"));
    if (kind == "unsupported") continue;  // a later version may support any example
    REQUIRE(code.count("cuda") == 2);
    const std::string contract = code.contains("toml") ? code.find("toml")->second : "";
    const Folder wrong("explain/" + kind), right("explain/" + kind + "-repaired");
    const auto kernels = code.equal_range("cuda");
    const RanJson found = audited(wrong, kernels.first->second, contract);
    CHECK(found.status == 1);
    CHECK_THAT(kinds_found(found), Catch::VectorContains(kind));
    const RanJson repaired = audited(right, std::next(kernels.first)->second, contract);
    INFO(repaired.json.dump());
    CHECK(repaired.status == 0);
  }
}
