// Failing cases are stored and replayed, and cases that no longer fit are skipped or refused.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/files.h"
#include "base/temporary_folders.h"
#include "catch.h"
#include "fake_kernel.h"
#include "storing.h"

namespace foldproof {
namespace {

namespace fs = std::filesystem;
using fake::contract_at;
using fake::correct;
using fake::files_in;
using fake::Launch;
using fake::loses_element_40;
using fake::storing_in;

/// Ends before the first generated case.
AuditOptions without_time(const fs::path& folder) {
  AuditOptions options = storing_in(folder);
  options.budget = std::chrono::milliseconds(0);
  return options;
}

std::string note_of_stored(const KernelReport& report) {
  const auto is_about_stored = [](const std::string& note) { return note.find("a stored case") == 0; };
  const auto found = std::ranges::find_if(report.not_audited, is_about_stored);
  return found == report.not_audited.end() ? "" : *found;
}

StoredCase stored_with(const Contract& contract, std::int64_t count, const std::string& distribution) {
  StoredCase stored{"fake.toml", contract.instances[0].label, "wrong-value", {}};
  stored.c.input = {{distribution}, 4, {}, {}};
  stored.c.variables = {{"count", count}, {"block", 32}};
  return stored;
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

TEST_CASE("another failure at the same place does not replace the stored case of an earlier one") {
  const TemporaryFolder folder;
  const Contract contract = contract_at(folder.path() / "fake.toml");
  const fs::path store = folder.path() / "cases";
  fake::audit(contract, loses_element_40, storing_in(store));
  REQUIRE(files_in(store).size() == 1);
  const auto earlier = read_if_possible(files_in(store).front());
  // The stored case is too small for it.
  const auto loses_last_of_80 = [](const Launch& launch) {
    auto values = launch.elements<float>();
    if (values.size() >= 80) values.pop_back();
    launch.store(fake::random_tree_sum(values, 1));
  };
  const KernelReport later = fake::audit(contract, loses_last_of_80, storing_in(store));
  CHECK_FALSE(later.findings.empty());
  CHECK(files_in(store).size() == 1 + later.findings.size());
  CHECK(std::ranges::any_of(files_in(store),
                            [&](const fs::path& file) { return read_if_possible(file) == earlier; }));
  CHECK(fake::audit(contract, loses_element_40, storing_in(store, 0)).findings.size() == 1);
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

TEST_CASE("what is not read in a store is noted") {
  const TemporaryFolder folder;
  const fs::path store = folder.path() / "cases";
  Contract contract = contract_at(folder.path() / "fake.toml");
  REQUIRE(fake::audit(contract, loses_element_40, storing_in(store)).findings.size() == 1);
  const fs::path file = files_in(store).front();
  const std::string text = read_text_file(file, 1 << 20);
  const auto notes = [&] {
    const KernelReport report = fake::audit(contract, correct, storing_in(store, 0));
    REQUIRE_FALSE(report.not_audited.empty());
    return report.not_audited.front();
  };
  SECTION("a file that is empty, cut off or without a key") {
    for (const std::string& damaged :
         {std::string(), text.substr(0, 20), "format = 1\n" + text.substr(text.find("[case"))}) {
      REQUIRE(write_file(file, damaged));
      CHECK(notes() == file.string() + " is not a stored case or cannot be read");
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

TEST_CASE("a budget that ends while stored cases run leaves nothing checked") {
  const TemporaryFolder folder;
  const Contract contract = contract_at(folder.path() / "fake.toml");
  REQUIRE(replace_file(folder.path() / "a.toml", to_toml(stored_with(contract, 5, "uniform"))));
  const KernelReport report = fake::audit(contract, correct, without_time(folder.path()));
  CHECK(report.cases == 0);
  CHECK(report.verdict == Verdict::skipped);
}

TEST_CASE("many stored cases leave half of the time to generated ones") {
  const TemporaryFolder folder;
  const Contract contract = contract_at(folder.path() / "fake.toml");
  for (int k = 0; k < 60; ++k)
    REQUIRE(
        replace_file(folder.path() / fmt::format("{}.toml", k), to_toml(stored_with(contract, k, "zeros"))));
  AuditOptions options = storing_in(folder.path());
  options.budget = std::chrono::seconds(1);
  const auto is_slow_and_wrong_for_numbers = [](const Launch& launch) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    auto values = launch.elements<float>();
    if (!values.empty()) values.back() = 0;
    launch.store(fake::random_tree_sum(values, 1));
  };
  CHECK(fake::audit(contract, is_slow_and_wrong_for_numbers, options).verdict == Verdict::findings);
}

TEST_CASE("a stored case that is larger than generated ones runs again, after them") {
  const TemporaryFolder folder;
  const Contract contract = contract_at(folder.path() / "fake.toml");
  REQUIRE(replace_file(folder.path() / "a.toml", to_toml(stored_with(contract, 3000, "uniform"))));
  std::vector<std::size_t> counts;
  const auto loses_element_2500 = [&](const Launch& launch) {
    counts.push_back(launch.count);
    auto values = launch.elements<float>();
    if (values.size() > 2500) values.erase(values.begin() + 2500);
    launch.store(fake::random_tree_sum(values, 1));
  };
  AuditOptions options = storing_in(folder.path(), 8);
  options.largest_count = 1000;
  options.shrinks = false;
  SECTION("and fails") {
    const KernelReport report = fake::audit(contract, loses_element_2500, options);
    CHECK(report.cases == 9);
    CHECK(std::ranges::max(counts) == 3000);
    CHECK(counts.back() == 3000);
    CHECK(report.verdict == Verdict::findings);
  }
  SECTION("unless time is over") {
    options.budget = std::chrono::milliseconds(0);
    const KernelReport report = fake::audit(contract, loses_element_2500, options);
    CHECK(counts.empty());
    CHECK(report.verdict == Verdict::skipped);
  }
}

TEST_CASE("an audit is not clean if a stored case was not run") {
  const TemporaryFolder folder;
  const Contract contract = contract_at(folder.path() / "fake.toml");
  for (const std::int64_t count : {2000, 3000})
    REQUIRE(replace_file(folder.path() / fmt::format("{}.toml", count),
                         to_toml(stored_with(contract, count, "zeros"))));
  AuditOptions options = storing_in(folder.path(), 8);
  options.largest_count = 1000;
  options.budget = std::chrono::seconds(1);
  const auto is_slow_for_many = [](const Launch& launch) {
    if (launch.count == 2000) std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    correct(launch);
  };
  const KernelReport report = fake::audit(contract, is_slow_for_many, options);
  CHECK(report.verdict == Verdict::unchecked);
  CHECK(report.reason.starts_with("1 of the stored cases was not run"));
}

TEST_CASE("small stored cases run before large ones, whatever their files are called") {
  const TemporaryFolder folder;
  const Contract contract = contract_at(folder.path() / "fake.toml");
  REQUIRE(replace_file(folder.path() / "a.toml", to_toml(stored_with(contract, 900, "zeros"))));
  REQUIRE(replace_file(folder.path() / "b.toml", to_toml(stored_with(contract, 7, "zeros"))));
  std::vector<std::size_t> counts;
  const auto keeps_counts = [&](const Launch& launch) {
    counts.push_back(launch.count);
    correct(launch);
  };
  fake::audit(contract, keeps_counts, storing_in(folder.path(), 1));
  REQUIRE(counts.size() > 2);
  CHECK(counts.front() == 7);
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

TEST_CASE("a replayed case keeps its transforms, its relation and its planted elements") {
  const TemporaryFolder folder;
  Contract contract = fake::contract(Operator::sum, Element::f32);
  contract.file = folder.path() / "fake.toml";
  StoredCase stored{"fake.toml", contract.instances[0].label, "wrong-value", {}};
  stored.c.input = {{"uniform"}, 4, {{1, "-0x1.8p+3"}}, {{"scale", -1}, {"shuffled"}}};
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
    const std::string note = note_of_stored(report);
    CHECK_THAT(note, tests::contains_text("; correct or delete " + (folder.path() / "a.toml").string() +
                                          ": count=5"));
    return note;
  };
  Case c;
  c.input = {{"equal"}, 3, {}, {{"scaled", 3}}};
  CHECK(note_of(c).find(
            "a stored case no longer fits the contract and was skipped (unknown transform \"scaled\"") == 0);
  c.input = {{"equal"}, 3};
  c.relation = "transposed";
  CHECK(note_of(c).find(
            "a stored case no longer fits the contract and was skipped (unknown relation \"transposed\"") ==
        0);
  c.relation.clear();
  c.input = {{"equal"}, 3, {{0, "0x1p+0"}}};
  CHECK(note_of(c).find("a stored case no longer fits the contract and was skipped (i32 cannot represent the "
                        "planted value 0x1p+0)") == 0);
}

TEST_CASE("a case that no longer fits is a matter of the user's store if it is not next to the contract") {
  const TemporaryFolder folder;
  Contract contract = fake::contract(Operator::sum, Element::i32);
  contract.file = folder.path() / "fake.toml";
  const fs::path elsewhere = folder.path() / "cache", beside = folder.path() / "foldproof-cases";
  for (const fs::path& store : {elsewhere, beside}) fs::create_directory(store);
  AuditOptions options = storing_in(elsewhere, 0);
  options.other_stores = {beside};
  StoredCase stored = stored_with(contract, 5, "equal");
  stored.c.relation = "transposed";
  stored.contract = "../fake.toml";
  REQUIRE(replace_file(elsewhere / "a.toml", to_toml(stored)));
  const KernelReport cached = fake::audit(contract, correct, options);
  CHECK(cached.not_audited.empty());
  CHECK(std::ranges::count_if(cached.notes, [](const std::string& note) {
          return note.starts_with("a stored case no longer fits");
        }) == 1);
  fs::rename(elsewhere / "a.toml", beside / "a.toml");
  CHECK(fake::audit(contract, correct, options).not_audited.size() == 1);
}

TEST_CASE("a case outside the contract's domain is refused in one sentence") {
  const Contract contract = fake::contract(Operator::sum, Element::f32);
  fake::FakeRunner runner(correct);
  const auto replayed = [&](const Case& c) {
    return replay_case(contract, contract.instances.front(), std::make_shared<const Image>(), runner, c, {});
  };
  Case c;
  c.input.distribution = {"equal"};
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

}  // namespace
}  // namespace foldproof
