#include "sanitizer/compute_sanitizer/racecheck_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace foldproof::compute_sanitizer {
namespace {

using Side = std::tuple<std::string, Place>;
/// Two accesses in either order: an analysis does not say which came first.
using Pair = std::pair<Side, Side>;

Pair pair_of(const Access& one, const Access& other) {
  const Side a{one.what, one.place}, b{other.what, other.place};
  return a < b ? Pair{a, b} : Pair{b, a};
}

struct Analysis {
  Severity severity = Severity::warning;
  const Record* record = nullptr;
  const Access* source = nullptr;
  const Access* clashing = nullptr;
  bool has_hazard = false;
};
using Analyses = std::map<Pair, Analysis>;

Severity severity_of(const std::string& level) {
  return level == "Warning" || level == "Info" ? Severity::warning : Severity::error;
}

Analyses analyses_in(const std::vector<Record>& records) {
  Analyses result;
  for (const Record& record : records) {
    if (record.kind != RecordKind::analysis) continue;
    const Access& source = record.accesses.front();
    // With a single place, the access conflicts with itself.
    const std::size_t first = record.accesses.size() == 1 ? 0 : 1;
    for (std::size_t i = first; i < record.accesses.size(); ++i) {
      Analysis& analysis = result[pair_of(source, record.accesses[i])];
      analysis.severity = std::max(analysis.severity, severity_of(record.level));
      analysis.record = &record;
      analysis.source = &source;
      analysis.clashing = &record.accesses[i];
    }
  }
  return result;
}

std::string hazard_in_words(const std::string& type) {
  static const std::map<std::string, std::string> words = {
      {"RAW", "read-after-write"}, {"WAR", "write-after-read"}, {"WAW", "write-after-write"}};
  const auto found = words.find(type);
  return found == words.end() ? type : found->second;
}

// Only a cluster gives access to another block's shared memory.
bool is_of_cluster(const Record& hazard) {
  return hazard.accesses[0].thread->block != hazard.accesses[1].thread->block ||
         hazard.text.find("cluster") != std::string::npos;
}

Kind kind_of(const Record& hazard, Severity severity) {
  if (is_of_cluster(hazard)) return Kind::cluster_race;
  const bool is_warp_level = hazard.in_one_warp && severity == Severity::warning;
  return is_warp_level ? Kind::unordered_access : Kind::shared_race;
}

std::string places_in_words(const Access& earlier, const Access& later) {
  const std::string one = offset_in_words(earlier.place), other = offset_in_words(later.place);
  if (one.empty() || other.empty()) return one + other;
  return one + " and " + other;
}

std::string message_of(const Record& hazard, const std::string& rating) {
  std::string text =
      fmt::format("compute-sanitizer's racecheck: a {} hazard on shared memory{}, {} byte{} ({})",
                  hazard_in_words(hazard.type), is_of_cluster(hazard) ? " of a cluster" : "", hazard.count,
                  hazard.count == 1 ? "" : "s", rating);
  // The text may say more, for example for asynchronous copies.
  if (hazard.text != fmt::format("Potential {} hazard detected", hazard.type)) text += ": " + hazard.text;
  const std::string places = places_in_words(hazard.accesses[0], hazard.accesses[1]);
  return places.empty() ? text : text + ", at " + places;
}

ToolFinding race_of(const Record& hazard, Analyses& analyses, const LaunchSites& sites) {
  const Access &earlier = hazard.accesses[0], &later = hazard.accesses[1];
  const auto analysis = analyses.find(pair_of(earlier, later));
  const bool is_analysed = analysis != analyses.end();
  if (is_analysed) analysis->second.has_hazard = true;
  Finding finding;
  finding.severity = is_analysed ? analysis->second.severity : severity_of(hazard.level);
  finding.kind = kind_of(hazard, finding.severity);
  finding.message =
      message_of(hazard, is_analysed ? fmt::format("analysis: {}", name(finding.severity)) : "no analysis");
  finding.at = position(later.place);
  finding.other = position(earlier.place);
  finding.threads = {*later.thread, *earlier.thread};
  return {std::move(finding), hazard.launch, site_of(sites, hazard.host_stack), later.place.function};
}

ToolFinding race_of(const Analysis& analysis, const LaunchSites& sites) {
  Finding finding;
  finding.kind = Kind::shared_race;
  finding.severity = analysis.severity;
  finding.message = fmt::format(
      "compute-sanitizer's racecheck: {}: {} and {} (analysis: {}, no hazard record)", analysis.record->text,
      analysis.source->what, analysis.clashing->what, name(analysis.severity));
  if (const std::string places = places_in_words(*analysis.source, *analysis.clashing); !places.empty())
    finding.message += ", at " + places;
  finding.at = position(analysis.source->place);
  finding.other = position(analysis.clashing->place);
  return {std::move(finding), std::nullopt, site_of(sites, analysis.record->host_stack),
          analysis.source->place.function};
}

}  // namespace

std::vector<ToolFinding> races(const std::vector<Record>& records, const LaunchSites& sites) {
  Analyses analyses = analyses_in(records);
  std::vector<ToolFinding> found;
  for (const Record& record : records)
    if (record.kind == RecordKind::hazard) found.push_back(race_of(record, analyses, sites));
  for (const auto& [pair, analysis] : analyses)
    if (!analysis.has_hazard) found.push_back(race_of(analysis, sites));
  return found;
}

}  // namespace foldproof::compute_sanitizer
