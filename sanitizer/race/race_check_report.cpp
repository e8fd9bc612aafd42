// RaceCheck: the kind of race between two accesses, and its message.
#include <fmt/format.h>

#include "sanitizer/race/race_check.h"

namespace foldproof {
namespace {

/// Whether the write, or the later of two, stored the value that was already in memory.
bool is_harmless(const Entry& earlier, const Entry& now) {
  return now.manner.writes ? now.manner.unchanged : earlier.manner.unchanged;
}

Severity severity_of(Kind kind, const Entry& earlier, const Entry& now) {
  return kind == Kind::unordered_access || is_harmless(earlier, now) ? Severity::warning : Severity::error;
}

std::string_view verb(const Manner& m) { return m.update ? "updates" : m.writes ? "writes" : "reads"; }

}  // namespace

Kind RaceCheck::kind_of(const AccessEvent& event, unsigned lane, const Entry& earlier,
                        const Entry& now) const {
  if (morally_strong(earlier, now)) return Kind::unordered_access;
  if (!event.shared) return Kind::global_race;
  const bool is_of_a_peer = event.owner && event.owner[lane] != now.warp.block;
  return is_of_a_peer || earlier.warp.block != now.warp.block ? Kind::cluster_race : Kind::shared_race;
}

// Whether nothing as severe has been reported for these two sites.
bool RaceCheck::is_news(Kind kind, const Entry& earlier, const Entry& now) const {
  const Finding* reported = reported_for(kind, earlier, now);
  if (!reported)
    return !is_harmless(earlier, now) || !launch_->is_of_cooperative_groups(earlier.site) ||
           !launch_->is_of_cooperative_groups(now.site);
  return reported->severity == Severity::warning && severity_of(kind, earlier, now) == Severity::error;
}

// What was reported for these two sites; null if nothing was.
const Finding* RaceCheck::reported_for(Kind kind, const Entry& earlier, const Entry& now) const {
  const auto known = reported_.find({kind, earlier.site, now.site});
  return known == reported_.end() ? nullptr : &findings_[known->second];
}

void RaceCheck::report(const AccessEvent& event, unsigned lane, const Entry& earlier, unsigned earlier_lane,
                       const Entry& now, std::uint64_t address) {
  const Kind kind = kind_of(event, lane, earlier, now);
  if (!is_news(kind, earlier, now)) return;
  const Manner a = earlier.manner, b = now.manner;
  const auto [entry, is_first] = reported_.try_emplace({kind, earlier.site, now.site}, findings_.size());
  if (is_first) findings_.emplace_back();
  const ThreadId thread = launch_->thread(now.warp, lane),
                 other = launch_->thread(earlier.warp, earlier_lane);
  const char* why = is_harmless(earlier, now)                                  ? "; the values are equal"
                    : kind == Kind::unordered_access || !a.strong || !b.strong ? ""
                    : a.log_bytes != b.log_bytes
                        ? "; accesses of different sizes are not atomic with respect to each other"
                        : "; the scope of one access does not include the other thread";
  const std::string memory = launch_->memory_at(event.shared, address);
  findings_[entry->second] = {
      .kind = kind,
      .severity = severity_of(kind, earlier, now),
      .message = fmt::format("{} {} {} and {} {} it; the accesses are unordered{}", to_string(thread),
                             verb(b), memory, to_string(other), verb(a), why),
      .at = launch_->position(now.site),
      .other = launch_->position(earlier.site),
      .memory = memory,
      .threads = {thread, other}};
}

}  // namespace foldproof
