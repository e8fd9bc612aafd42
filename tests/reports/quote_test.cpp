// Source lines quoted with a marker.
#include "reports/quote.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/printable.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "current_folder.h"

using namespace foldproof;

namespace {

/// A file with the given text, removed with this object.
class Source {
 public:
  explicit Source(const std::string& text) {
    const int handle = mkstemp(name_.data());
    REQUIRE(handle >= 0);
    std::ofstream(name_, std::ios::binary) << text;
  }
  ~Source() { std::filesystem::remove(name_); }
  const std::string& name() const { return name_; }

 private:
  std::string name_ = (std::filesystem::temp_directory_path() / "quote-XXXXXX").string();
};

}  // namespace

TEST_CASE("with a column, the rest of the statement is marked") {
  const Source source("int a;\n  total += part[i];  // fold\n");
  CHECK(quote({source.name(), 2, 12}, "", 100) ==
        "2 |   total += part[i];  // fold\n"
        "  |            ^^^^^^^^\n");
}

TEST_CASE("without a column, the whole line is marked except for its indentation and comment") {
  const Source source("int a;\n  total += part[i];  // fold\n");
  CHECK(quote({source.name(), 2, 0}, "    ", 100) ==
        "    2 |   total += part[i];  // fold\n"
        "      |   ^^^^^^^^^^^^^^^^^\n");
}

TEST_CASE("tabs count as one column, as in compilers") {
  const Source source("\tx = 1;\n");
  CHECK(quote({source.name(), 1, 2}, "", 100) == "1 |  x = 1;\n  |  ^^^^^^\n");
}

TEST_CASE("a line that does not exist is not quoted") {
  const Source source("one line\n");
  CHECK(quote({source.name(), 2, 1}, "", 100).empty());
  CHECK(quote({source.name(), 0, 0}, "", 100).empty());
  CHECK(quote({source.name() + "-missing", 1, 1}, "", 100).empty());
  CHECK(quote({"/", 1, 1}, "", 100).empty());
}

TEST_CASE("a column past the end marks the last character") {
  const Source source("ab\n");
  CHECK(quote({source.name(), 1, 99}, "", 100) == "1 | ab\n  |  ^\n");
}

TEST_CASE("a long line is truncated to the width") {
  const Source source(std::string(500, 'x') + "\n");
  const std::string text = quote({source.name(), 1, 1}, "", 80);
  CHECK(columns_of(text.substr(0, text.find('\n'))) == 80);
  CHECK(text.find("x…\n") != std::string::npos);
}

TEST_CASE("a line is quoted with escapes, and the marker is under the same statement") {
  const Source source("\x1b[31m\xff µ = \u202ex;\r\n");
  CHECK(quote({source.name(), 1, 11}, "", 100) ==
        "1 | \\x1b[31m\\xff µ = \\u202ex;\n"
        "  |                ^^^^^^^^^^\n");
}

TEST_CASE("a position is shown without detours, relative to the current folder if it is below it") {
  const std::string here = std::filesystem::current_path().string();
  CHECK(display({here + "/cases/../k.cu", 3, 1}) == "k.cu:3:1");
  CHECK(display({"/elsewhere/cases/../k.cu", 3, 1}) == "/elsewhere/k.cu:3:1");
}

TEST_CASE("a position in the parent of a linked folder is shown in the folder to which the link leads") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "real/cases");
  std::filesystem::create_directory_symlink("real/cases", folder.path() / "cases");
  const tests::CurrentFolder current(folder.path());
  CHECK(display({"cases/../k.cu", 3, 1}) == "real/k.cu:3:1");
}

TEST_CASE("a position with a hostile or very long path is shown with escapes, cut") {
  CHECK(display({"a\x1b[31m\xff\u202e.cu", 3, 1}) == "a\\x1b[31m\\xff\\u202e.cu:3:1");
  CHECK(display({std::string(1'000'000, 'x'), 3, 1}).size() < 2100);
}
