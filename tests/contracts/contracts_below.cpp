// Which files of a folder are contracts: a broken contract must not be skipped.
#include <sys/stat.h>

#include <string>

#include "catch.h"
#include "workshop.h"

using namespace foldproof;
namespace fs = std::filesystem;

namespace {

const std::string launch = "[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n";

/// The contract is found, and loading it is an error.
void check_is_found(const std::string& name, const std::string& text) {
  const Workshop workshop;
  const fs::path file = workshop.write(name, text);
  INFO(name << ": " << text.substr(0, 100));
  CHECK(contracts_below(workshop.path()) == std::vector<fs::path>{file});
  CHECK_FALSE(error_of([&] { load_contract(file, Trust::full); }).empty());
}

std::string in_utf16(const std::string& text) {
  std::string wide = "\xff\xfe";
  for (const char c : text) wide += {c, '\0'};
  return wide;
}

}  // namespace

TEST_CASE(
    "a broken contract of a source is found by the source, as one with its name or one that mentions it") {
  const Workshop workshop;
  const fs::path source = workshop.write("sum.cu", "");
  std::vector<fs::path> broken = {
      workshop.write("max.toml", "[source]\npath = \"sum.cu\"\n<<<<<<< HEAD\n" + launch),
      workshop.write("sum.a.toml", "format = 1\n<<<<<<< HEAD\n" + launch),
      workshop.write("sum.b.toml", "format = 1\n[source]\npath = \"sun.cu\"\n" + launch),
      workshop.write("sum.c.toml", "format = 1\n" + launch)};
  broken.push_back(workshop.path() / "sum.d.toml");
  fs::create_symlink("missing", broken.back());
  CHECK(contracts_of(source) == broken);
}

TEST_CASE("what belongs to another source is not a broken contract of this one") {
  const Workshop workshop;
  const fs::path source = workshop.write("sum.cu", "");
  workshop.write("sum.fast.cu", "");
  workshop.write("sum.fast.toml", "format = 1\n" + launch);
  workshop.write("max.toml", "format = 1\n<<<<<<< HEAD\n" + launch);
  workshop.write("mysum.toml", "[source]\npath = \"mysum.cu\"\n<<<<<<< HEAD\n" + launch);
  workshop.write("template.toml", "{% for %}\nsources = [\"sum.cu\"]\n");
  workshop.write("sum.case.toml", "contract = \"sum.toml\"\nfinding = \"wrong-value\"\ncase = \"count=1\"\n");
  CHECK(contracts_of(source).empty());
}

TEST_CASE("contracts of a folder are found by their format, in path order") {
  const Workshop workshop;
  const auto b = workshop.write("b/x.toml", "# first a comment\nformat = 1\n");
  const auto a = workshop.write("a.toml", "format=1\nthis is not TOML");
  workshop.write("other.toml", "[package]\nformat = 1\n");
  workshop.write("formatting.toml", "formatting = 1\n");
  workshop.write("a.txt", "format = 1\n");
  const auto kept =
      workshop.write("mine/kept.toml", "format = 1\ncontract = \"../a.toml\"\nfinding = \"x\"\n[case");
  CHECK(is_kept_case(kept));
  CHECK_FALSE(is_kept_case(a));
  CHECK(contracts_below(workshop.path()) == std::vector<std::filesystem::path>{a, b});
  const std::string last = "format = 1\n[[launch]]\nentry = \"k\"\n";
  const std::vector<std::filesystem::path> all{
      a,
      b,
      workshop.write("c/byte_order_mark.toml", "\xef\xbb\xbf" + last),
      workshop.write("c/comment.toml", "#" + std::string(70'000, 'x') + "\n" + last),
      workshop.write("c/quoted.toml", "\"format\" = 1\n"),
      workshop.write("c/table_in_text.toml", "summary = \"\"\"\n[x]\n\"\"\"\n" + last)};
  CHECK(contracts_below(workshop.path()) == all);
  CHECK(error_of([] { contracts_below("/nowhere/at/all"); }).find("cannot be searched") != std::string::npos);
}

TEST_CASE("a contract that is not valid TOML is found") {
  const std::string contract = "format = 1\nid =\n" + launch;
  check_is_found("k.toml", contract);
  check_is_found("k.toml", "\"format\" = 1\nid =\n");
  check_is_found("k.toml", std::string(70'000, '#') + "\n" + contract);
  check_is_found("k.toml", in_utf16("format = 1\n" + launch));
  check_is_found("k.toml", "contract = \"a\"\nfinding = \"b\"\n" + contract);
}

TEST_CASE("a contract without a format, or with the keys of a stored case, is found") {
  check_is_found("k.toml", launch);
  check_is_found("k.toml", "[reduction]\noperator = \"sum\"\n");
  check_is_found("k.toml", "[source]\ncall = \"f(x)\"\n");
  check_is_found("k.toml", "format = \"1\"\n");
  const std::string with_case_keys = "format = 1\ncontract = \"a\"\nfinding = \"b\"\n";
  for (const std::string& table :
       {launch, std::string("[source]\n"), std::string("[reduction]\n"), std::string("[output]\n"),
        std::string("[[buffer]]\n"), std::string("[domain]\n")})
    check_is_found("k.toml", with_case_keys + table);
}

TEST_CASE("a file next to a source of the same name is a contract unless it is valid TOML of another tool") {
  for (const char* const source : {"k.cu", "k.cuh", "k.ptx"}) {
    const Workshop workshop;
    workshop.write(source, "");
    workshop.write("other.cu", "");
    workshop.write("other.toml", "title = \"x\"\n");
    const auto found = [&] { return contracts_below(workshop.path()); };
    const std::vector<fs::path> only{workshop.path() / "k.toml"};
    workshop.write("k.toml", "garbage");
    CHECK(found() == only);
    workshop.write("k.toml", "#" + std::string(2 << 20, 'x'));  // too large
    CHECK(found() == only);
    CHECK(error_of([&] { load_contract(only[0], Trust::full); }).find("the limit is 1048576") !=
          std::string::npos);
    fs::remove(only[0]);
    fs::create_symlink(workshop.path() / "nowhere", only[0]);
    CHECK(found() == only);
  }
}

TEST_CASE("the files of other tools are not contracts") {
  const Workshop workshop;
  workshop.write("pyproject.toml", "[project]\nname = \"x\"\n[tool.launch]\nformat = 1\n");
  workshop.write("template/pyproject.toml", "[project]\nname = {{ cookiecutter.name }}\n");
  workshop.write("ruff.toml", "[format]\nquote-style = \"double\"\n");
  workshop.write(".cargo/config.toml", "[source.crates-io]\nreplace-with = \"vendored\"\n");
  workshop.write("empty.toml", "");
  workshop.write("large.toml", "text = \"" + std::string(2 << 20, 'x') + "\"\n");
  fs::create_directory(workshop.path() / "folder.toml");
  CHECK(contracts_below(workshop.path()).empty());
}

TEST_CASE("a damaged stored case is a stored case, and a contract with its keys is not") {
  const Workshop workshop;
  const std::string keys = "\"contract\" = \"k.toml\"\nfinding='wrong-value'\n";
  CHECK(is_kept_case(workshop.write("a.toml", "#" + std::string(70'000, 'x') + "\n" + keys + "[case")));
  CHECK(is_kept_case(workshop.write("b.toml", "format = 1\n" + keys)));
  CHECK_FALSE(is_kept_case(workshop.write("c.toml", "format = 1\n" + keys + launch)));
  CHECK_FALSE(is_kept_case(workshop.write("d.toml", "format = 1\nid =\n" + keys + launch)));
  CHECK_FALSE(is_kept_case(workshop.path() / "missing.toml"));
}

TEST_CASE("a contract that is too large, or that cannot be read, is found") {
  check_is_found("large.toml", "format = 1\n" + launch + std::string(std::size_t{1} << 20, '#'));
  const Workshop workshop;
  const fs::path dangling = workshop.path() / "a.toml", fifo = workshop.path() / "b.toml";
  fs::create_symlink(workshop.path() / "not checked out", dangling);
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(contracts_below(workshop.path()) == std::vector<fs::path>{dangling, fifo});
}
