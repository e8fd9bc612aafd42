#include "sanitizer/compute_sanitizer/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <map>
#include <tuple>

#include "sanitizer/compute_sanitizer/racecheck_records.h"

namespace foldproof::compute_sanitizer {
namespace {

/// Maps records of a tool whose text or type contains `words` to a kind of finding.
struct Meaning {
  std::string_view tool;  ///< empty: any tool
  std::string_view words;
  Kind kind;
};

// The first match applies. The words come from recorded output, the manual, and CUDA's exceptions.
constexpr Meaning meanings[] = {
    {"racecheck", "might not have entered", Kind::dsmem_lifetime},
    {"racecheck", "already exited", Kind::dsmem_lifetime},
    {"initcheck", "uninitialized", Kind::uninitialized_read},
    {"synccheck", "cuda::barrier", Kind::barrier_divergence},
    {"synccheck", "cuda barrier", Kind::barrier_divergence},
    {"synccheck", "invalid argument", Kind::invalid_mask},
    {"synccheck", "barrier", Kind::barrier_divergence},
    {"memcheck", "use-after-free", Kind::dsmem_lifetime},
    {"memcheck", "use after free", Kind::dsmem_lifetime},
    {"memcheck", "use-before-alloc", Kind::dsmem_lifetime},
    {"memcheck", "use before alloc", Kind::dsmem_lifetime},
    {"memcheck", "freed", Kind::dsmem_lifetime},
    {"memcheck", "to free", Kind::dsmem_lifetime},
    {"memcheck", "double free", Kind::dsmem_lifetime},
    {"memcheck", "misaligned", Kind::misaligned},
    {"memcheck", "out of bounds", Kind::out_of_bounds},
    {"memcheck", "out-of-range", Kind::out_of_bounds},
    {"memcheck", "illegal address", Kind::out_of_bounds},
    {"memcheck", "illegal instruction", Kind::crash},
    {"memcheck", "stack overflow", Kind::crash},
    {"memcheck", "heap corruption", Kind::crash},
    {"memcheck", "trap", Kind::crash},
    {"memcheck", "assert", Kind::crash},
};

/// "Barrier error: Divergent thread(s) in warp"
std::string words_of(const Record& record) {
  const bool adds = !record.type.empty() && record.text.find(record.type) == std::string::npos;
  return adds ? record.text + (record.text.empty() ? "" : ": ") + record.type : record.text;
}

Kind kind_of(const Tool& tool, const Record& record) {
  const std::string words = boost::algorithm::to_lower_copy(words_of(record));
  for (const Meaning& meaning : meanings)
    if (meaning.tool == tool.name && words.find(meaning.words) != std::string::npos) return meaning.kind;
  // A record of a known kind concerns a kernel, whatever its words.
  if (record.kind == RecordKind::barrier) return Kind::barrier_divergence;
  if (record.kind == RecordKind::precise || record.kind == RecordKind::imprecise) return Kind::crash;
  return Kind::unsupported;
}

bool is_about_the_host(const Record& record) {
  return record.kind == RecordKind::api || record.text.starts_with("Leaked ");
}

std::string message_of(const Tool& tool, const Record& record, Kind kind) {
  std::string text = fmt::format("compute-sanitizer's {}", tool.name);
  if (kind == Kind::unsupported) text += fmt::format(" wrote a record of unknown kind {}", record.name);
  if (const std::string words = words_of(record); !words.empty())
    text += ": " + words;
  else if (record.kind == RecordKind::imprecise)
    text += ": the hardware aborted the kernel without giving a reason";
  if (record.count > 1) text += fmt::format(" ({} times)", record.count);
  for (const Access& access : record.accesses)
    if (const std::string offset = offset_in_words(access.place); !offset.empty()) text += ", at " + offset;
  return text;
}

ToolFinding event(const Tool& tool, const Record& record, const LaunchSites& sites) {
  ToolFinding found;
  Finding& finding = found.finding;
  finding.kind = kind_of(tool, record);
  const bool is_warning = record.level == "Warning" && finding.kind != Kind::unsupported;
  finding.severity = is_warning ? Severity::warning : Severity::error;
  finding.message = message_of(tool, record, finding.kind);
  for (const Access& access : record.accesses) {
    finding.at = position(access.place);
    if (access.thread) finding.threads.push_back(*access.thread);
    found.function = access.place.function;
  }
  found.site = site_of(sites, record.host_stack);
  return found;
}

/// Findings with the same identity are reported once. The order of the two positions does not matter.
auto identity(const ToolFinding& found) {
  const Finding& finding = found.finding;
  std::string one = to_string(finding.at), other = finding.other ? to_string(*finding.other) : "";
  if (other < one) std::swap(one, other);
  // Without line information, only the message contains the position.
  const bool has_lines = finding.at.line != 0;
  return std::tuple(finding.kind, one, other, has_lines ? "" : finding.message, found.launch, found.site,
                    found.function);
}

/// Keeps one finding per identity, with the highest severity.
std::vector<ToolFinding> each_once(std::vector<ToolFinding> all) {
  std::vector<ToolFinding> reported;
  std::map<decltype(identity(all.front())), std::size_t> known;
  for (ToolFinding& found : all) {
    const auto [entry, is_new] = known.try_emplace(identity(found), reported.size());
    if (is_new)
      reported.push_back(std::move(found));
    else if (ToolFinding& kept = reported[entry->second]; found.finding.severity > kept.finding.severity)
      kept = std::move(found);
  }
  return reported;
}

}  // namespace

std::string offset_in_words(const Place& place) {
  const bool says_nothing = place.function.empty() || place.line != 0;
  return says_nothing ? "" : fmt::format("{}+{:#x}", place.function, place.pc);
}

std::vector<ToolFinding> findings(const Tool& tool, const std::vector<Record>& records,
                                  const LaunchSites& sites) {
  std::vector<ToolFinding> all = races(records, sites);
  for (const Record& record : records) {
    const bool is_race = record.kind == RecordKind::hazard || record.kind == RecordKind::analysis;
    if (!is_race && !is_about_the_host(record)) all.push_back(event(tool, record, sites));
  }
  return each_once(std::move(all));
}

}  // namespace foldproof::compute_sanitizer
