// Failing cases are stored and replayed; announced and suppressed findings are distinguished from new ones.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "current_folder.h"
#include "fake_kernel.h"
#include "properties/store/triage.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;
using fake::Launch;

void loses_element_40(const Launch& launch) {
  auto values = launch.elements<float>();
  if (values.size() > 40) values.erase(values.begin() + 40);
  launch.store(fake::random_tree_sum(values, 1));
}

void correct(const Launch& launch) { launch.store(fake::random_tree_sum(launch.elements<float>(), 1)); }

AuditOptions storing_in(const fs::path& folder, std::uint64_t cases = 40) {
  AuditOptions options;
  options.store = folder;
  options.cases = cases;
  return options;
}

/// Ends before the first generated case.
AuditOptions without_time(const fs::path& folder) {
  AuditOptions options = storing_in(folder);
  options.budget = std::chrono::milliseconds(0);
  return options;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  return {fs::directory_iterator(folder), fs::directory_iterator()};
}

Contract contract_at(const fs::path& file) {
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.file = file;
  return contract;
}

TEST_CASE("a failing case is stored, replayed first, and gives the same finding again") {
  const TemporaryFolder folder;
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.file = folder.path() / "fake.toml";
  const KernelReport first = fake::audit(contract, loses_element_40, storing_in(folder.path() / "cases"));
  REQUIRE(first.findings.size() == 1);
  REQUIRE(files_in(folder.path() / "cases").size() == 1);
  const fs::path file = files_in(folder.path() / "cases").front();
  CHECK(first.findings[0].replay == "foldproof replay " + file.string());

  const StoredCase stored = load_case(file);
  CHECK(fs::weakly_canonical(stored.contract) == fs::weakly_canonical(contract.file));
  CHECK(describe(stored.c) == first.findings[0].case_text);

  // The stored case suffices without generated ones.
  const KernelReport again = fake::audit(contract, loses_element_40, storing_in(folder.path() / "cases", 0));
  REQUIRE(again.findings.size() == 1);
  CHECK(again.findings[0].message == first.findings[0].message);
  CHECK(fake::audit(contract, correct, storing_in(folder.path() / "cases", 0)).verdict == Verdict::clean);

  fake::FakeRunner runner(loses_element_40);
  const KernelReport replayed = replay_case(contract, contract.instances.front(),
                                            std::make_shared<const Image>(), runner, stored.c, {});
  REQUIRE(replayed.findings.size() == 1);
  CHECK(replayed.findings[0].message == first.findings[0].message);
  CHECK(replayed.cases == 1);
}

TEST_CASE("instances whose labels differ only in a sign have their own cases") {
  const TemporaryFolder folder;
  Contract contract = fake::contract(Operator::sum, Element::f32);
  for (const char* label : {"SIGN=1", "SIGN=-1"}) {
    contract.instances.front().label = label;
    fake::audit(contract, loses_element_40, storing_in(folder.path()));
  }
  CHECK(files_in(folder.path()).size() == 2);
}

TEST_CASE("kernels of one source without a contract have their own cases") {
  const TemporaryFolder folder;
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.file.clear();
  for (const char* entry : {"sum<128>", "sum<256>"}) {
    contract.instances.front().launches.front().entry = entry;
    fake::audit(contract, loses_element_40, storing_in(folder.path()));
  }
  CHECK(files_in(folder.path()).size() == 2);
}

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

TEST_CASE("a case that was stored before its source had a contract runs under the contract") {
  const TemporaryFolder folder;
  Contract guessed = contract_at("");
  guessed.source = folder.path() / "fake.cu";
  const fs::path store = folder.path() / "cases";
  REQUIRE(fake::audit(guessed, loses_element_40, storing_in(store)).findings.size() == 1);
  Contract written = contract_at(folder.path() / "fake.toml");
  written.source = guessed.source;
  Contract other = written;
  other.source = folder.path() / "other.cu";
  CHECK(fake::audit(other, loses_element_40, storing_in(store, 0)).findings.empty());
  CHECK(fake::audit(written, loses_element_40, storing_in(store, 0)).findings.size() == 1);
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
  CHECK(renamed.notes.front() == fmt::format("a stored case was skipped, since {} does not exist: {}",
                                             (before / "fake.toml").string(),
                                             files_in(store).front().string()));
  CHECK(findings(after / "fake.toml") == 1);
}

TEST_CASE("what is not read in a store is noted") {
  const TemporaryFolder folder;
  const fs::path store = folder.path() / "cases";
  Contract contract = contract_at(folder.path() / "fake.toml");
  REQUIRE(fake::audit(contract, loses_element_40, storing_in(store)).findings.size() == 1);
  const fs::path file = files_in(store).front();
  const std::string text = read_text_file(file, 1 << 20);
  const auto notes = [&] {
    const KernelReport report = fake::audit(contract, correct, storing_in(store, 0));
    REQUIRE_FALSE(report.notes.empty());
    return report.notes.front();
  };
  SECTION("a file that is empty, cut off or without a key") {
    for (const std::string& damaged :
         {std::string(), text.substr(0, 20), "format = 1\n" + text.substr(text.find("[case"))}) {
      REQUIRE(write_file(file, damaged));
      CHECK(notes() == fmt::format("1 .toml file in {} is not a stored case or cannot be read: {}",
                                   store.string(), file.filename().string()));
    }
  }
  SECTION("a case of an instance that the contract no longer has") {
    std::string other = text;
    other.replace(other.find("T=f32"), 5, "T=f64");
    REQUIRE(write_file(file, other));
    CHECK(notes() ==
          "stored cases were skipped, since the contract has no instance \"T=f64\": " + file.string());
  }
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

TEST_CASE("a budget that ends while stored cases run leaves nothing checked") {
  const TemporaryFolder folder;
  const Contract contract = contract_at(folder.path() / "fake.toml");
  StoredCase stored{"fake.toml", contract.instances[0].label, "wrong-value", {}};
  stored.c.input = {"uniform", 4, {}, {}};
  stored.c.variables = {{"count", 5}, {"block", 32}};
  REQUIRE(replace_file(folder.path() / "a.toml", to_toml(stored)));
  const KernelReport report = fake::audit(contract, correct, without_time(folder.path()));
  CHECK(report.cases == 1);
  CHECK(report.verdict == Verdict::skipped);
}

TEST_CASE("an optional announcement does not make a run clean that ended before it checked anything") {
  const TemporaryFolder folder;
  Contract contract = contract_at(folder.path() / "fake.toml");
  contract.expected = {{Kind::deadlock, {"fake.cu", 1, 0}, true}};
  const KernelReport report = fake::audit(contract, loses_element_40, without_time(folder.path()));
  CHECK(report.cases == 0);
  CHECK(report.verdict == Verdict::skipped);
}

TEST_CASE("a suppressed timeout ends the audit, which is then not clean") {
  const TemporaryFolder folder;
  Contract contract = contract_at(folder.path() / "fake.toml");
  contract.allows = {{Kind::timeout, "fake.cu", "known", "9999-01-01", {}}};
  const auto never_ends = [](const Launch& launch) {
    Finding& found = launch.findings->emplace_back();
    found.kind = Kind::timeout;
    found.at = {"fake.cu", 1, 0};
  };
  const KernelReport report = fake::audit(contract, never_ends, storing_in(folder.path()));
  CHECK(report.verdict == Verdict::skipped);
  CHECK(report.reason == "the audit stopped at the first case that did not end");
  CHECK(report.findings.empty());
}

std::string note_of_stored(const KernelReport& report) {
  const auto is_about_stored = [](const std::string& note) { return note.find("a stored case") == 0; };
  const auto found = std::ranges::find_if(report.notes, is_about_stored);
  return found == report.notes.end() ? "" : *found;
}

TEST_CASE("a replayed case keeps its transforms, its relation and its planted elements") {
  const TemporaryFolder folder;
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.file = folder.path() / "fake.toml";
  StoredCase stored{"fake.toml", contract.instances[0].label, "wrong-value", {}};
  stored.c.input = {"uniform", 4, {{1, "-0x1.8p+3"}}, {"scale:-1", "shuffled"}};
  stored.c.variables = {{"count", 5}, {"block", 32}};
  stored.c.relation = "permuted";
  REQUIRE(replace_file(folder.path() / "a.toml", to_toml(stored)));
  std::vector<std::vector<float>> seen;
  const auto watching = [&](const Launch& l) {
    seen.push_back(l.elements<float>());
    correct(l);
  };
  const KernelReport report = fake::audit(contract, watching, storing_in(folder.path(), 0));
  CHECK(report.cases == 1);
  CHECK(note_of_stored(report).empty());
  REQUIRE(seen.size() == 2);  // the case, and the input that its relation derives from it
  CHECK(seen[0][1] == -12);
  CHECK(seen[0] != seen[1]);
  CHECK(std::ranges::is_permutation(seen[0], seen[1]));
}

TEST_CASE("a stored case with an unknown word, relation or value is skipped with a note") {
  const auto note_of = [](const Case& changed) {
    const TemporaryFolder folder;
    Contract contract = fake::contract(Operator::sum, Element::i32);
    contract.file = folder.path() / "fake.toml";
    StoredCase stored{"fake.toml", contract.instances[0].label, "wrong-value", changed};
    stored.c.variables = {{"count", 5}, {"block", 32}};
    REQUIRE(replace_file(folder.path() / "a.toml", to_toml(stored)));
    const KernelReport report = fake::audit(contract, correct, storing_in(folder.path(), 0));
    CHECK(report.findings.empty());
    return note_of_stored(report);
  };
  Case c;
  c.input = {"equal", 3, {}, {"scaled:3"}};
  CHECK(note_of(c).find("a stored case was skipped (unknown transform \"scaled\"") == 0);
  c.input = {"equal", 3};
  c.relation = "transposed";
  CHECK(note_of(c).find("a stored case was skipped (unknown relation \"transposed\"") == 0);
  c.relation.clear();
  c.input = {"equal", 3, {{0, "0x1p+0"}}};
  CHECK(note_of(c).find("a stored case was skipped (i32 cannot represent the planted value 0x1p+0)") == 0);
}

TEST_CASE("a case outside the contract's domain is refused in one sentence") {
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  fake::FakeRunner runner(correct);
  const auto replayed = [&](const Case& c) {
    return replay_case(contract, contract.instances.front(), std::make_shared<const Image>(), runner, c, {});
  };
  Case c;
  c.input.distribution = "equal";
  c.variables = {{"count", 5}, {"block", 32}};
  CHECK(replayed(c).verdict == Verdict::clean);

  Case other = c;
  other.variables["block"] = 2000;
  CHECK_THROWS_WITH(replayed(other), "the case has block = 2000, outside the contract's 1 .. 1024");
  other = c;
  other.variables["count"] = std::int64_t{1} << 62;
  CHECK_THROWS_AS(replayed(other), InputError);
  other = c;
  other.variables.erase("block");
  CHECK_THROWS_WITH(replayed(other), "the case lacks \"block\", a variable of the contract's domain");
  other = c;
  other.variables["blocks"] = 1;
  CHECK_THROWS_WITH(replayed(other), "the case sets \"blocks\", which is not in the contract's domain");
}

Finding race_at(unsigned line) {
  Finding finding;
  finding.kind = Kind::shared_race;
  finding.at = {"/home/me/kernels/tail.cuh", line, 5};
  return finding;
}

Announced announced(Kind kind, const char* file, unsigned line, bool is_optional = false) {
  return {kind, {file, line, 0}, is_optional};
}

KernelReport report_of(std::vector<Finding> findings) {
  KernelReport report;
  report.findings = std::move(findings);
  return report;
}

TEST_CASE("a suppression applies until its date, at its position, to its kind") {
  Contract contract;
  contract.allows = {
      {Kind::shared_race, "tail.cuh:40", "checked by hand", "2027-01-01", {"tail.toml", 9, 1}}};
  KernelReport report = report_of({race_at(40), race_at(41)});
  triage(report, contract, "2026-12-31");
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].at.line == 41);
  CHECK(report.notes.at(0) == "accepted until 2027-01-01: shared-race at tail.cuh:40 (checked by hand)");

  report = report_of({race_at(40)});
  triage(report, contract, "2027-01-01");
  CHECK(report.verdict == Verdict::findings);
  CHECK(report.notes.at(0) == "tail.toml:9:1: [[allow]] of shared-race at tail.cuh:40 expired on 2027-01-01");
}

TEST_CASE("a suppression for a file does not apply to another file whose name ends alike") {
  Contract contract;
  contract.allows = {{Kind::shared_race, "ail.cuh", "no", "2027-01-01", {}}};
  KernelReport report = report_of({race_at(40)});
  triage(report, contract, "2026-01-01");
  CHECK(report.findings.size() == 1);
  contract.allows[0].at = "kernels/tail.cuh";
  triage(report, contract, "2026-01-01");
  CHECK(report.verdict == Verdict::clean);
}

TEST_CASE("a defect of a host function must be found, since no other device runs it") {
  Contract contract;
  contract.expected = {announced(Kind::wrong_value, "/home/me/kernels/tail.cuh", 40)};
  contract.instances.resize(1);
  contract.instances[0].launches.resize(1);
  contract.instances[0].launches[0].host = true;
  KernelReport silent = report_of({});
  triage(silent, contract, "2026-01-01", Watched::no);
  CHECK(exit_status({"a GPU", 1, {silent}}, Severity::error) == 1);

  Finding varies;  // how a value that is wrong at random is reported
  varies.kind = Kind::not_reproducible;
  KernelReport found = report_of({varies});
  triage(found, contract, "2026-01-01", Watched::no);
  CHECK(found.expected);
  CHECK(exit_status({"a GPU", 1, {found}}, Severity::error) == 0);
}

TEST_CASE("on a device without checks, a defect need not be found") {
  Contract contract;
  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 40)};
  KernelReport report = report_of({});
  triage(report, contract, "2026-01-01", Watched::no);
  CHECK(report.verdict == Verdict::clean);
  CHECK_FALSE(report.expected);
  CHECK(exit_status({"a GPU", 1, {report}}, Severity::error) == 0);
}

TEST_CASE("on a device without checks, a finding in the family of the announced one counts as found") {
  struct Row {
    Kind announced, made;
  };
  const Row found[] = {{Kind::shared_race, Kind::unordered_access},
                       {Kind::cluster_race, Kind::shared_race},
                       {Kind::deadlock, Kind::timeout},
                       {Kind::out_of_bounds, Kind::misaligned},
                       {Kind::schedule_dependent, Kind::wrong_value}};
  const Row another[] = {{Kind::shared_race, Kind::wrong_value},
                         {Kind::out_of_bounds, Kind::uninitialized_read},
                         {Kind::invalid_mask, Kind::crash}};
  Contract contract;
  Finding finding;  // a GPU may not know the position
  const auto triaged = [&](const Row& row) {
    INFO(name(row.announced) << " announced, " << name(row.made) << " made");
    contract.expected = {announced(row.announced, "/home/me/kernels/tail.cuh", 40)};
    finding.kind = row.made;
    KernelReport report = report_of({finding});
    triage(report, contract, "2026-01-01", Watched::no);
    // Undefined behaviour explains its consequences, and no defect is required to be found here.
    CHECK(exit_status({"a GPU", 1, {report}}, Severity::error) == 0);
    return report;
  };
  for (const Row& row : found) {
    const KernelReport report = triaged(row);
    CHECK(report.verdict == Verdict::findings);
    CHECK(report.expected);
    CHECK(report.notes.empty());
  }
  for (const Row& row : another) {
    const KernelReport report = triaged(row);
    CHECK(report.verdict == Verdict::another_finding);
    CHECK_FALSE(report.expected);
    CHECK(report.notes == std::vector<std::string>{fmt::format(
                              "another finding: the source announces {}, but this device reports {}",
                              name(row.announced), name(row.made))});
  }
}

TEST_CASE("a finding that the announced defect does not explain fails the run on every device") {
  Finding race = race_at(40), refused;
  refused.kind = Kind::contract_violation;
  Contract contract;
  contract.expected = {announced(Kind::wrong_value, "/home/me/kernels/tail.cuh", 40)};
  KernelReport report = report_of({race});
  triage(report, contract, "2026-01-01", Watched::no);
  CHECK(report.verdict == Verdict::another_finding);
  CHECK(exit_status({"a GPU", 1, {report}}, Severity::error) == 1);

  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 40)};
  report = report_of({race, refused});
  triage(report, contract, "2026-01-01", Watched::no);
  CHECK(report.verdict == Verdict::findings);
  CHECK_FALSE(report.expected);
  CHECK(exit_status({"a GPU", 1, {report}}, Severity::error) == 1);

  report = report_of({race});
  triage(report, Contract{}, "2026-01-01", Watched::no);
  CHECK_FALSE(report.expected);
  CHECK(exit_status({"a GPU", 1, {report}}, Severity::error) == 1);
}

TEST_CASE("a defect is as expected if exactly the announced findings were made") {
  Contract contract;
  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 40),
                       announced(Kind::wrong_value, "/home/me/kernels/tail.cu", 3)};
  Finding wrong;
  wrong.kind = Kind::wrong_value;
  wrong.at = {"/home/me/kernels/tail.cu", 9};

  KernelReport report = report_of({race_at(40), wrong});
  triage(report, contract, "2026-01-01");
  CHECK(report.expected);
  CHECK(exit_status({"emulated", 1, {report}}, Severity::error) == 0);

  report = report_of({race_at(40), wrong, race_at(7)});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);
  CHECK(exit_status({"emulated", 1, {report}}, Severity::error) == 1);

  report = report_of({wrong});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[1].message == "the source announces shared-race, but no case showed it");
  CHECK(report.findings[1].at == Position{"/home/me/kernels/tail.cuh", 40, 0});
  CHECK(exit_status({"emulated", 1, {report}}, Severity::error) == 1);
}

TEST_CASE("a race may be announced at either of its two accesses") {
  Contract contract;
  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 38)};
  Finding race = race_at(40);
  race.other = Position{"/home/me/kernels/tail.cuh", 38, 5};
  KernelReport report = report_of({race});
  triage(report, contract, "2026-01-01");
  CHECK(report.expected);
}

TEST_CASE("a finding announced with a question mark is optional") {
  Contract contract;
  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 40),
                       announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 7, true)};
  KernelReport report = report_of({race_at(40), race_at(7)});
  triage(report, contract, "2026-01-01");
  CHECK(report.expected);

  report = report_of({race_at(40)});
  triage(report, contract, "2026-01-01");
  CHECK(report.expected);
  CHECK(report.findings.size() == 1);
}

TEST_CASE("wrong values after announced undefined behaviour are ignored") {
  Finding wrong, changed_input;
  wrong.kind = Kind::wrong_value;
  changed_input.kind = Kind::contract_violation;
  Contract contract;
  contract.expected = {announced(Kind::shared_race, "/home/me/kernels/tail.cuh", 40)};

  for (const Kind kind :
       {Kind::wrong_value, Kind::outside_bound, Kind::not_reproducible, Kind::schedule_dependent}) {
    wrong.kind = kind;
    KernelReport report = report_of({race_at(40), wrong});
    triage(report, contract, "2026-01-01");
    CHECK(report.expected);
  }

  KernelReport report = report_of({wrong});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);  // the race itself was not reported

  contract.expected.front().is_optional = true;
  report = report_of({wrong});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);
  contract.expected.front().is_optional = false;

  report = report_of({race_at(40), changed_input});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);

  contract.expected = {announced(Kind::deadlock, "/home/me/kernels/tail.cuh", 40)};
  Finding deadlock = race_at(40);
  deadlock.kind = Kind::deadlock;
  report = report_of({deadlock, wrong});
  triage(report, contract, "2026-01-01");
  CHECK_FALSE(report.expected);
}

TEST_CASE("the exit status depends on severity, expectation and kernels that could not run") {
  KernelReport clean, warned, stuck;
  warned.verdict = Verdict::findings;
  warned.findings = {race_at(1)};
  warned.findings[0].severity = Severity::warning;
  stuck.verdict = Verdict::unsupported;
  CHECK(exit_status({"", 1, {clean}}, Severity::error) == 0);
  CHECK(exit_status({"", 1, {clean, warned}}, Severity::error) == 0);
  CHECK(exit_status({"", 1, {clean, warned}}, Severity::warning) == 1);
  CHECK(exit_status({"", 1, {clean, stuck}}, Severity::error) == 3);
  CHECK(exit_status({"", 1, {warned, stuck}}, Severity::warning) == 1);
  CHECK(exit_status({"", 1, {clean}, {{"cuda", "there is none"}}}, Severity::error) == 3);
  CHECK(exit_status({"", 1, {warned}, {{"cuda", "there is none"}}}, Severity::warning) == 1);
}

}  // namespace
}  // namespace foldproof
