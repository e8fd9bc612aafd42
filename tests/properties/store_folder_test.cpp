// Stores and contracts that were moved, are named through links, or cannot be written.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "current_folder.h"
#include "fake_kernel.h"
#include "storing.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;
using fake::contract_at;
using fake::files_in;
using fake::Launch;
using fake::loses_element_40;
using fake::storing_in;

TEST_CASE("a stored case has the same name wherever its contract is") {
  const TemporaryFolder here, there;
  const auto stored_name = [](const fs::path& folder) {
    fake::audit(contract_at(folder / "fake.toml"), loses_element_40, storing_in(folder / "cases"));
    const auto files = files_in(folder / "cases");
    REQUIRE(files.size() == 1);
    return files.front().filename();
  };
  CHECK(stored_name(here.path()) == stored_name(there.path()));
}

TEST_CASE(
    "a stored case runs although its contract was moved, and is noted if its contract has another name") {
  const TemporaryFolder folder;
  const fs::path store = folder.path() / "cases", before = folder.path() / "before",
                 after = folder.path() / "after";
  for (const fs::path& place : {before, after}) fs::create_directory(place);
  REQUIRE(write_file(before / "fake.toml", ""));
  const auto findings = [&](const fs::path& file) {
    return fake::audit(contract_at(file), loses_element_40, storing_in(store, 0)).findings.size();
  };
  fake::audit(contract_at(before / "fake.toml"), loses_element_40, storing_in(store));
  CHECK(findings(after / "fake.toml") == 0);  // two contracts of this name
  fs::remove(before / "fake.toml");
  const KernelReport renamed =
      fake::audit(contract_at(after / "renamed.toml"), loses_element_40, storing_in(store, 0));
  CHECK(renamed.findings.empty());
  CHECK(renamed.not_audited.front() == fmt::format("a stored case was skipped, since {} does not exist: {}",
                                                   (before / "fake.toml").string(),
                                                   files_in(store).front().string()));
  CHECK(findings(after / "fake.toml") == 1);
}

TEST_CASE("a store that cannot be written gives one note, and the finding keeps its case") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "a file", link = folder.path() / "link";
  REQUIRE(write_file(file, ""));
  fs::create_directory_symlink(folder.path(), link);
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.file = folder.path() / "fake.toml";
  for (const auto& [store, reason] : {std::pair{file, "a file (not a folder)"},
                                      {link, "link (link is a symbolic link)"},
                                      {link / "", "link (link is a symbolic link)"}}) {
    const KernelReport report = fake::audit(contract, loses_element_40, storing_in(store));
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].replay.empty());
    CHECK_FALSE(report.findings[0].case_text.empty());
    CHECK(std::ranges::count_if(report.notes, [&](const std::string& note) {
            return note.starts_with("the failing case could not be stored in ") &&
                   note.ends_with(std::string(reason) + "; choose another folder with --store");
          }) == 1);
  }
}

TEST_CASE("a case is not stored through a link in a relative path") {
  const TemporaryFolder folder;
  const tests::CurrentFolder current(folder.path());
  fs::create_directories("repo");
  fs::create_directory("victim");
  fs::create_directory_symlink("../victim", "repo/link");
  const KernelReport report =
      fake::audit(contract_at("repo/link/fake.toml"), loses_element_40, storing_in("repo/link/cases"));
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].replay.empty());
  CHECK(fs::is_empty("victim"));
  CHECK(std::ranges::count(
            report.notes,
            "the failing case could not be stored in repo/link/cases (repo/link: this is a symbolic "
            "link, and Foldproof does not write through symbolic links; name its target instead); choose "
            "another folder with "
            "--store") == 1);
}

TEST_CASE("a link that replaces a folder of the store during an audit is not followed") {
  const TemporaryFolder folder;
  const tests::CurrentFolder current(folder.path());
  fs::create_directories("repo/sub");
  fs::create_directory("victim");
  const bool is_absolute = GENERATE(false, true);
  const fs::path root = is_absolute ? fs::canonical(".") : fs::path();
  const auto replaces_folder = [](const Launch& launch) {
    if (!fs::exists("repo/moved")) {
      fs::rename("repo/sub", "repo/moved");
      fs::create_directory_symlink("../victim", "repo/sub");
    }
    loses_element_40(launch);
  };
  const KernelReport report = fake::audit(contract_at(root / "repo/sub/fake.toml"), replaces_folder,
                                          storing_in(root / "repo/sub/cases"));
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].replay.empty());
  CHECK(fs::is_empty("victim"));
}

TEST_CASE("a case in a relative folder is replayed by its absolute path") {
  const TemporaryFolder folder;
  const tests::CurrentFolder current(folder.path());
  const Contract contract = contract_at("fake.toml");
  const KernelReport report = fake::audit(contract, loses_element_40, storing_in("cases"));
  REQUIRE(report.findings.size() == 1);
  REQUIRE(files_in("cases").size() == 1);
  const fs::path file = files_in("cases").front();
  CHECK(report.findings[0].replay == "foldproof replay " + (fs::current_path() / file).string());
  CHECK(load_case(file).contract == fs::path("cases/../fake.toml"));
  CHECK(fake::audit(contract, loses_element_40, storing_in("cases", 0)).findings.size() == 1);
}

TEST_CASE("a stored case is found again although its folder or its contract is named through a link") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "real" / "deep");
  fs::create_directory_symlink(folder.path() / "real" / "deep", folder.path() / "link");
  REQUIRE(replace_file(folder.path() / "real" / "deep" / "shared.toml", ""));
  fs::create_symlink("shared.toml", folder.path() / "link" / "fake.toml");
  const Contract contract = contract_at(folder.path() / "link" / "fake.toml");
  const fs::path store = settled_path(folder.path() / "link" / "cases");
  REQUIRE(fake::audit(contract, loses_element_40, storing_in(store)).findings.size() == 1);
  REQUIRE(files_in(store).size() == 1);
  CHECK(load_case(files_in(store).front()).contract == store / "../fake.toml");
  CHECK(fake::audit(contract, loses_element_40, storing_in(store, 0)).findings.size() == 1);
}

}  // namespace
}  // namespace foldproof
