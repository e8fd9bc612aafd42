// How compute-sanitizer is found and started, and its self-test.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "catch.h"
#include "sanitizer/compute_sanitizer/findings.h"
#include "sanitizer/compute_sanitizer/self_test.h"
#include "sanitizer/compute_sanitizer/tool.h"
#include "sanitizer/compute_sanitizer_records.h"

namespace foldproof::compute_sanitizer {
namespace {

namespace fs = std::filesystem;
using namespace for_tests;
using foldproof::tests::contains_text;

// --- Self-test

TEST_CASE("compute-sanitizer: the self-test module has an entry for every tool") {
  for (const Tool& each : tools())
    CHECK(self_test_ptx().find(fmt::format(".visible .entry {}(", each.self_test)) != std::string_view::npos);
}

TEST_CASE("compute-sanitizer: a tool that does not report its self-test counts as silent") {
  const Tool& memcheck = tool("memcheck");
  const auto report_of = [](const std::string& words, const std::string& function) {
    return found_in("memcheck", event("Precise", text(words), where(0, function)));
  };
  const std::string own(memcheck.self_test);
  CHECK(silent(memcheck, report_of("out of bounds", own), own) == std::nullopt);
  CHECK_THAT(silent(memcheck, {}, own).value_or(""),
             contains_text("memcheck did not report foldproof_self_test_memcheck"));
  CHECK(silent(memcheck, report_of("out of bounds", "kernel"), own).has_value());
  CHECK(silent(memcheck, report_of("misaligned", own), own).has_value());
}

TEST_CASE("compute-sanitizer: findings about the self-test are removed") {
  const std::string own = "foldproof_self_test_memcheck";
  const auto all = found_in("memcheck", event("Precise", text("out of bounds"), where(0, own)) +
                                            event("Precise", text("out of bounds"), where(9)));
  const auto rest = without_self_test(all, own);
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].function == "kernel");
}

// --- The tool

TEST_CASE("compute-sanitizer: the command requests all records as XML and no host checks") {
  CHECK(command_line(tool("racecheck"), "/bin/compute-sanitizer", "/tmp/x.xml") ==
        std::vector<std::string>{"/bin/compute-sanitizer",
                                 "--tool",
                                 "racecheck",
                                 "--xml",
                                 "--save",
                                 "/tmp/x.xml",
                                 "--print-limit",
                                 "0",
                                 "--demangle",
                                 "no",
                                 "--strip-paths",
                                 "no",
                                 "--show-backtrace",
                                 "yes",
                                 "--destroy-on-device-error",
                                 "kernel",
                                 "--check-exit-code",
                                 "no",
                                 "--target-processes",
                                 "application-only",
                                 "--racecheck-report",
                                 "all"});
}

TEST_CASE("compute-sanitizer: percent signs in the file name are escaped") {
  CHECK(command_line(tool("synccheck"), "cs", "/tmp/100%p.xml")[5] == "/tmp/100%%p.xml");
}

TEST_CASE("compute-sanitizer: the tool's version is parsed from its output") {
  const std::string head = "NVIDIA (R) Compute Sanitizer\nCopyright (c) 2020-2025 NVIDIA Corporation\n";
  CHECK(version_in(head + "Version 2025.3.1.0 (build 36400806) (public-release)\n") == Version{2025, 3, 1});
  CHECK(version_in(head + "Version 2022.4.1.0 (build 1)\n") == Version{2022, 4, 1});
  CHECK(version_in("Version 2026.2.1") == Version{2026, 2, 1});
  CHECK(to_string(Version{2025, 3, 1}) == "2025.3.1");
  for (const char* unknown : {"", "Version 13", "Version 2025", "Version 99999999999999999999.1.1"})
    CHECK_THROWS_AS(version_in(unknown), Unsupported);
  CHECK_THROWS_WITH(version_in("Version 2021.3.1.0"), contains_text("2021.3.1 is too old"));
}

/// An environment variable with another value during the lifetime of this object.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "foldproof-test-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  fs::path program(const std::string& name) const {
    std::ofstream(path_ / name) << "#!/bin/sh\n";
    fs::permissions(path_ / name, fs::perms::owner_all);
    return path_ / name;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

TEST_CASE(
    "compute-sanitizer: the environment variable precedes PATH, and the program that it names must exist") {
  const Folder folder;
  const fs::path in_path = folder.program("compute-sanitizer"), other = folder.program("other");
  const Setting path("PATH", "/nowhere::" + folder.path().string());
  {
    const Setting variable("FOLDPROOF_COMPUTE_SANITIZER", "");
    CHECK(find_executable() == in_path);
  }
  {
    const Setting variable("FOLDPROOF_COMPUTE_SANITIZER", other.string());
    CHECK(find_executable() == other);
  }
  const Setting variable("FOLDPROOF_COMPUTE_SANITIZER", "/nowhere/at/all");
  CHECK_THROWS_WITH(find_executable(), contains_text("FOLDPROOF_COMPUTE_SANITIZER=/nowhere/at/all"));
}

TEST_CASE("compute-sanitizer: if the tool is missing, the error lists where it was searched for") {
  const Setting variable("FOLDPROOF_COMPUTE_SANITIZER", ""), path("PATH", "/nowhere");
  CHECK_THROWS_AS(find_executable("/opt/cuda/bin"), Unsupported);
  CHECK_THROWS_WITH(find_executable("/opt/cuda/bin"), contains_text("PATH") &&
                                                          contains_text("/opt/cuda/bin") &&
                                                          contains_text("FOLDPROOF_COMPUTE_SANITIZER"));
}

}  // namespace
}  // namespace foldproof::compute_sanitizer
