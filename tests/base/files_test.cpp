#include "base/files.h"
#include "base/temporary_folders.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/error.h"
#include "catch.h"
#include "current_folder.h"
#include "session.h"

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

TEST_CASE("only a regular file is replaced") {
  const TemporaryFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(replace_file(pipe, "text"));
  CHECK(errno == EEXIST);
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("a file that cannot be read gives an error with its name and the reason") {
  const TemporaryFolder folder;
  const std::string name = (folder.path() / "file").string();
  CHECK_THROWS_WITH(read_text_file(name, 4), name + ": the file does not exist");
  CHECK_THROWS_WITH(read_text_file(folder.path(), 4), folder.path().string() + ": not a regular file");
  REQUIRE(replace_file(name, "12345"));
  CHECK_THROWS_WITH(read_text_file(name, 4), name + ": the file has 5 bytes; the limit is 4");
}

TEST_CASE("a FIFO and a link to a device are refused at once") {
  const TemporaryFolder folder;
  const std::string fifo = (folder.path() / "fifo").string(), link = (folder.path() / "link").string();
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", link);
  CHECK_THROWS_WITH(read_text_file(fifo, 4), fifo + ": not a regular file");
  CHECK_THROWS_WITH(read_text_file(link, 4), link + ": not a regular file");
  CHECK_FALSE(line_of(link, 1));
}

TEST_CASE("an output replaces a regular file as a whole and keeps its permissions") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "out";
  REQUIRE(write_file(file, "a longer text"));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  const fs::path other = folder.path() / "other";
  fs::create_hard_link(file, other);
  write_output(file, "text");
  CHECK(read_text_file(file, 100) == "text");
  CHECK(read_text_file(other, 100) == "a longer text");  // the file itself was not written
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("an output never replaces a link or a folder") {
  const TemporaryFolder folder;
  const fs::path target = folder.path() / "target", link = folder.path() / "link";
  REQUIRE(write_file(target, "kept"));
  fs::create_symlink(target, link);
  CHECK_THROWS_AS(check_output(link), InputError);
  CHECK_THROWS_AS(write_output(link, "text"), InputError);
  CHECK_THROWS_AS(write_output(folder.path(), "text"), InputError);
  CHECK(fs::is_symlink(link));
  CHECK(read_text_file(target, 100) == "kept");
}

TEST_CASE("an output is written to a FIFO or a device") {
  const TemporaryFolder folder;
  const std::string fifo = (folder.path() / "fifo").string();
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK_THROWS_AS(write_output(fifo, "text"), InputError);  // no process reads it
  const Descriptor reader(open(fifo.c_str(), O_RDONLY | O_NONBLOCK));
  write_output(fifo, "text");
  char text[4];
  REQUIRE(read_all(reader.number(), text, sizeof text));
  CHECK(std::string_view(text, 4) == "text");
  CHECK(fs::is_fifo(fifo));
  write_output("/dev/null", "text");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("an output to a full device is an error of this machine") {
  CHECK_THROWS_AS(write_output("/dev/full", "text"), Unsupported);
}

TEST_CASE("a private folder is this user's own, with mode 0700") {
  const TemporaryFolder folder;
  const fs::path fresh = folder.path() / "fresh", open_to_all = folder.path() / "open";
  CHECK(make_private(fresh));
  CHECK(fs::status(fresh).permissions() == fs::perms::owner_all);
  fs::create_directory(open_to_all);
  fs::permissions(open_to_all, fs::perms::all);
  CHECK(make_private(open_to_all));
  CHECK(fs::status(open_to_all).permissions() == fs::perms::owner_all);
  CHECK(make_private(folder.path() / "missing" / "deep"));  // its parent is created
}

TEST_CASE("a link, a file, and a folder that others can replace are not made private") {
  const TemporaryFolder folder;
  fs::create_directory_symlink(folder.path(), folder.path() / "link");
  REQUIRE(write_file(folder.path() / "file", ""));
  fs::create_directories(folder.path() / "shared" / "cache");
  fs::permissions(folder.path() / "shared", fs::perms::all);
  CHECK_FALSE(make_private(folder.path() / "link"));
  CHECK_FALSE(make_private(folder.path() / "file"));
  CHECK_FALSE(make_private(folder.path() / "shared" / "cache"));
}

TEST_CASE("a folder of another user is not made private") {
  if (geteuid() != 0) return tests::skip("only root can give a folder to another user");
  const TemporaryFolder folder;
  const fs::path planted = folder.path() / "planted";
  fs::create_directory(planted);
  REQUIRE(chown(planted.c_str(), 12345, 12345) == 0);
  CHECK_FALSE(make_private(planted));
}

TEST_CASE("without HOME, the cache is a private folder that carries the user's number") {
  const char* home = std::getenv("HOME");
  const std::string kept_home = home ? home : "";
  const TemporaryFolder temporary;
  setenv("TMPDIR", temporary.path().c_str(), 1);
  unsetenv("HOME"), unsetenv("XDG_CACHE_HOME");
  const fs::path expected = temporary.path() / ("foldproof-" + std::to_string(geteuid()));
  CHECK(user_cache() == expected);
  make_temporary_folders_in(temporary.path() / "task");
  CHECK(user_cache() == expected);  // also in a task, whose temporary folders are removed with it
  make_temporary_folders_in("");
  CHECK(fs::status(expected).permissions() == fs::perms::owner_all);
  fs::remove(expected);
  fs::create_directory_symlink("/", expected);  // planted by another user
  CHECK(user_cache() != expected);
  CHECK(fs::status(user_cache()).permissions() == fs::perms::owner_all);
  unsetenv("TMPDIR");
  if (home) setenv("HOME", kept_home.c_str(), 1);
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

TEST_CASE("a settled path has no links in the parents of an absolute path") {
  const TemporaryFolder folder;
  const fs::path here = fs::canonical(folder.path());
  fs::create_directory(here / "a");
  fs::create_directory_symlink(here / "a", here / "link");
  CHECK(settled_path(here / "link" / "b") == here / "a" / "b");
  CHECK(settled_path(here / "link") == here / "link");
  CHECK(settled_path("link/b/") == "link/b");
  CHECK_THROWS_AS(OutputFolder(here / "link" / "b"), InputError);
  CHECK_NOTHROW(OutputFolder(settled_path(here / "link" / "b")));
}

TEST_CASE("the parent of a link is that of its target") {
  const TemporaryFolder folder;
  const fs::path here = fs::canonical(folder.path());
  fs::create_directories(here / "a" / "b");
  fs::create_directory_symlink(here / "a" / "b", here / "link");
  CHECK(resolved_path(here / "link" / ".." / "file") == here / "a" / "file");
  CHECK(resolved_path(here / "link" / "." / "file") == here / "link" / "file");
  CHECK(resolved_path(here / "none" / ".." / "file") == here / "file");
  CHECK(resolved_path("file") == fs::current_path() / "file");
}

TEST_CASE("an output folder stays the same although a link replaces it") {
  const TemporaryFolder outer;
  const fs::path folder = outer.path() / "new" / "folder", moved = outer.path() / "moved",
                 victim = outer.path() / "victim";
  fs::create_directory(victim);
  const OutputFolder output(folder);
  fs::rename(folder, moved);
  fs::create_directory_symlink(victim, folder);
  CHECK(output.replace_file("a", "text"));
  output.write_output("b", "text");
  CHECK(read_text_file(moved / "a", 100) == "text");
  CHECK(read_text_file(moved / "b", 100) == "text");
  CHECK(fs::is_empty(victim));
  CHECK_THROWS_WITH(OutputFolder(folder), folder.string() +
                                              ": this is a symbolic link, and Foldproof does not "
                                              "write through symbolic links; name its target instead");
}

TEST_CASE("an output folder is not a file, and can be the root or the current folder") {
  const TemporaryFolder folder;
  REQUIRE(write_file(folder.path() / "file", ""));
  CHECK_THROWS_WITH(OutputFolder(folder.path() / "file"), folder.path().string() + "/file: not a folder");
  CHECK_THROWS_AS(OutputFolder(folder.path() / "file" / "folder"), InputError);
  for (const char* existing : {"/", ".", "./", "..", "/tmp"}) CHECK_NOTHROW(OutputFolder(existing));
}

TEST_CASE("no link in a relative path to an output is followed") {
  const TemporaryFolder folder;
  const tests::CurrentFolder current(folder.path());
  fs::create_directories("real/sub");
  fs::create_directory_symlink("real", "link");
  const std::string refused =
      "link: this is a symbolic link, and Foldproof does not write through symbolic links; name its target "
      "instead";
  CHECK_THROWS_WITH(write_output("link/file", "text"), refused);
  CHECK_THROWS_WITH(write_output("link/sub/file", "text"), refused);
  CHECK_THROWS_WITH(check_output("link/file"), refused);
  CHECK_THROWS_WITH(OutputFolder("link/sub"), refused);
  CHECK_THROWS_WITH(OutputFolder("link/new"), refused);
  CHECK(files_in("real") == 1);
  CHECK(fs::is_empty("real/sub"));
  write_output("file", "a");
  write_output("real/sub/../file", "b");
  CHECK(read_text_file("file", 100) == "a");
  CHECK(read_text_file("real/file", 100) == "b");
  write_output(folder.path() / "link" / "file", "c");  // the user named every folder of an absolute path
  CHECK(read_text_file("real/file", 100) == "c");
}

TEST_CASE("the folder of an output file is not created") {
  const TemporaryFolder folder;
  const tests::CurrentFolder current(folder.path());
  CHECK_THROWS_WITH(write_output("none/file", "text"),
                    "none: the folder cannot be opened: No such file or directory");
  CHECK_THROWS_AS(write_output(folder.path() / "none" / "file", "text"), InputError);
  CHECK(fs::is_empty(folder.path()));
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
  REQUIRE(write_file(file, "one\n" + std::string(std::size_t{4} << 20, ' ')));
  CHECK_FALSE(line_of(file, 1));
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
