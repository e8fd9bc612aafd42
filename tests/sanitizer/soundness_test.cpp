// Compares the race check with an exhaustive computation on random programs: it must report no access that
// does not race, and for every race at least the latest of the earlier accesses that race with the same one.
#include <cstdlib>
#include <iostream>

#include "sanitizer/generator.h"
#include "sanitizer/truth.h"

namespace foldproof::sanitizer_tests {
namespace {

bool is_race(Kind kind) {
  return kind == Kind::shared_race || kind == Kind::global_race || kind == Kind::cluster_race ||
         kind == Kind::unordered_access;
}

/// A recorder that outlives the device.
class Recorder final : public Observer {
 public:
  explicit Recorder(Truth& truth) : truth_(truth) {}
  void launch_begins(const LaunchView& launch) override { truth_.launch_begins(launch); }
  void accesses(const AccessEvent& event) override { truth_.accesses(event); }
  void fences(const FenceEvent& event) override { truth_.fences(event); }
  void warp_barrier_completes(const BarrierEvent& event) override { truth_.warp_barrier_completes(event); }
  void barrier_arrives(const BarrierEvent& event) override { truth_.barrier_arrives(event); }
  void barrier_completes(BlockNumber block, std::uint32_t barrier) override {
    truth_.barrier_completes(block, barrier);
  }
  void cluster_arrives(const BarrierEvent& event, bool releases) override {
    truth_.cluster_arrives(event, releases);
  }
  void cluster_completes(std::uint64_t cluster) override { truth_.cluster_completes(cluster); }
  void cluster_waits(const BarrierEvent& event, bool acquires) override {
    truth_.cluster_waits(event, acquires);
  }
  void exits(const BarrierEvent& event) override { truth_.exits(event); }

 private:
  Truth& truth_;
};

struct Checked {
  std::size_t findings = 0, nodes = 0;
  std::string disagreement;
};

std::string describe(const Clash& clash) {
  return fmt::format("{} of line {} with line {} before it", name(clash.kind), clash.later, clash.earlier);
}

Checked check(const RandomProgram& program) {
  Truth truth;
  Observers observers = only<RaceCheck>();
  observers.push_back(std::make_unique<Recorder>(truth));
  const std::vector<Finding> findings = findings_of(program.body, program.setting, std::move(observers));
  Checked checked;
  checked.nodes = truth.nodes().size();
  const std::vector<Truth::Race> races = truth.races();
  std::map<Clash, Severity> worst;
  for (const Truth::Race& race : races) {
    const auto [entry, is_new] = worst.try_emplace(race.clash, race.severity);
    if (race.severity == Severity::error) entry->second = Severity::error;
  }
  std::map<Clash, Severity> reported;
  for (const Finding& f : findings) {
    if (!is_race(f.kind)) {
      checked.disagreement += fmt::format("the program is bad: {}\n", f.message);
      continue;
    }
    const Clash clash{f.kind, f.at.line, f.other ? f.other->line : 0};
    reported[clash] = f.severity;
    const auto known = worst.find(clash);
    if (known == worst.end())
      checked.disagreement += "no such race: " + describe(clash) + "\n";
    else if (f.severity == Severity::error && known->second == Severity::warning)
      checked.disagreement += "only a warning: " + describe(clash) + "\n";
  }
  checked.findings = reported.size();
  // Reported directly, or for a later access that represents the earlier one.
  const auto is_reported = [&](const Truth::Race& race, Severity at_least) {
    const auto found = reported.find(race.clash);
    return found != reported.end() && found->second >= at_least;
  };
  std::map<std::size_t, std::vector<const Truth::Race*>> reported_of;
  for (const Truth::Race& race : races)
    if (is_reported(race, race.severity)) reported_of[race.later].push_back(&race);
  const auto stands_for = [&](const Truth::Race& by, const Truth::Race& race) {
    return by.severity >= race.severity &&
           Truth::overlap(truth.nodes()[race.earlier], truth.nodes()[by.earlier]) &&
           truth.leniently_ordered(race.earlier, by.earlier);
  };
  std::set<Clash> listed;
  for (const Truth::Race& race : races) {
    if (!race.certain || is_reported(race, race.severity)) continue;
    const auto& all = reported_of[race.later];
    if (std::any_of(all.begin(), all.end(), [&](const auto* by) { return stands_for(*by, race); })) continue;
    if (listed.insert(race.clash).second)
      checked.disagreement +=
          fmt::format("not reported{}: {}\n", race.severity == Severity::error ? " as an error" : "",
                      describe(race.clash));
  }
  return checked;
}

std::string numbered(const std::string& text) {
  std::string result;
  unsigned number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result += fmt::format("{:4} {}\n", number, text.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// FOLDPROOF_PROGRAMS: number of programs; FOLDPROOF_FIRST: the first seed.
TEST_CASE("the race check reports all races in random programs and nothing else") {
  const std::uint64_t programs = number_from("FOLDPROOF_PROGRAMS", 1500);
  const std::uint64_t first = number_from("FOLDPROOF_FIRST", 1);
  std::size_t racy = 0, findings = 0, nodes = 0, wrong = 0;
  for (std::uint64_t seed = first; seed < first + programs && wrong < 5; ++seed) {
    const RandomProgram program = random_program(seed);
    const Checked checked = check(program);
    racy += checked.findings != 0;
    findings += checked.findings;
    nodes += checked.nodes;
    if (checked.disagreement.empty()) continue;
    ++wrong;
    UNSCOPED_INFO(fmt::format("seed {}, {} blocks of {}, {}\n{}{}", seed, program.setting.grid.x,
                              program.setting.block.x, to_string(program.setting.schedule),
                              numbered(program.body), checked.disagreement));
    CHECK(checked.disagreement.empty());
  }
  std::cout << fmt::format("{} random programs, {} with races, {} pairs of places, {} operations of lanes\n",
                           programs, racy, findings, nodes);
  CHECK(racy > programs / 4);
  CHECK(racy < programs);
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
