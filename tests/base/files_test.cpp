#include "base/files.h"

#include <cstdlib>

#include "base/error.h"
#include "catch.h"

using namespace foldproof;
namespace fs = std::filesystem;

namespace {

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a replaced file holds the new content, and no temporary file remains") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  REQUIRE(replace_file(file, "a much longer first text"));
  REQUIRE(replace_file(file, std::string_view("b\0c\n", 4)));
  CHECK(read_text_file(file, 4) == std::string("b\0c\n", 4));
  CHECK(files_in(folder.path()) == 1);
  CHECK_FALSE(is_program(file));
}

TEST_CASE("a replaced program is executable") {
  const TemporaryFolder folder;
  REQUIRE(replace_program(folder.path() / "program", "#!/bin/sh\n"));
  CHECK(is_program(folder.path() / "program"));
}

TEST_CASE("replacing a file that cannot be written returns false") {
  const TemporaryFolder folder;
  CHECK_FALSE(replace_file(folder.path() / "no such folder" / "file", "text"));
  fs::create_directory(folder.path() / "folder");
  CHECK_FALSE(replace_file(folder.path() / "folder", "text"));
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("a file that cannot be read gives an error with its name and the reason") {
  const TemporaryFolder folder;
  const std::string name = (folder.path() / "file").string();
  CHECK_THROWS_WITH(read_text_file(name, 4), name + ": the file does not exist");
  CHECK_THROWS_WITH(read_text_file(folder.path(), 4), folder.path().string() + ": not a regular file");
  REQUIRE(replace_file(name, "12345"));
  CHECK_THROWS_WITH(read_text_file(name, 4), name + ": the file has 5 bytes; the limit is 4");
}

TEST_CASE("reading an optional file gives nothing if it is missing or too large") {
  const TemporaryFolder folder;
  CHECK_FALSE(read_if_possible(folder.path() / "file"));
  REQUIRE(write_file(folder.path() / "file", "12345"));
  CHECK(read_if_possible(folder.path() / "file") == "12345");
  CHECK_FALSE(read_if_possible(folder.path() / "file", 4));
}

TEST_CASE("writing a file replaces its content") {
  const TemporaryFolder folder;
  REQUIRE(write_file(folder.path() / "file", "a longer text"));
  REQUIRE(write_file(folder.path() / "file", "text"));
  CHECK(read_text_file(folder.path() / "file", 100) == "text");
  CHECK_FALSE(write_file(folder.path() / "no such folder" / "file", "text"));
}

TEST_CASE("lines of a file are numbered from 1") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  REQUIRE(write_file(file, "one\n\nthree"));
  CHECK_FALSE(line_of(file, 0));
  CHECK(line_of(file, 1) == "one");
  CHECK(line_of(file, 2) == "");
  CHECK(line_of(file, 3) == "three");
  CHECK_FALSE(line_of(file, 4));
  CHECK_FALSE(line_of(folder.path(), 1));
}

TEST_CASE("a program is an executable file in the first folder of PATH that has one") {
  const TemporaryFolder folder;
  const std::string path = std::getenv("PATH");
  fs::create_directories(folder.path() / "second" / "not-this");
  REQUIRE(write_file(folder.path() / "tool", "text"));
  REQUIRE(replace_program(folder.path() / "second" / "tool", "#!/bin/sh\n"));
  setenv("PATH", (folder.path().string() + ":" + (folder.path() / "second").string() + ":" + path).c_str(),
         1);
  CHECK(find_program("tool") == folder.path() / "second" / "tool");
  CHECK_FALSE(find_program("not-this"));
  setenv("PATH", path.c_str(), 1);
  CHECK_FALSE(find_program("tool"));
}

TEST_CASE("a temporary folder is removed with its content") {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    fs::create_directories(path / "deep" / "er");
    REQUIRE(replace_file(path / "deep" / "file", "text"));
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("temporary folders are created in the folder chosen by the process") {
  const TemporaryFolder outer;
  make_temporary_folders_in(outer.path());
  CHECK(TemporaryFolder().path().parent_path() == outer.path());
  make_temporary_folders_in("");
  CHECK(TemporaryFolder().path().parent_path() != outer.path());
}
