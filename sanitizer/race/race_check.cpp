#include "sanitizer/race/race_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace foldproof {
namespace {

using What = AccessEvent::What;

Manner manner_of(const AccessEvent& event) {
  return {.writes = event.what != What::read,
          .strong = event.strong,
          .update = event.what == What::update,
          .ordering = event.acquires || event.releases || event.polled,
          .confirmed = event.confirmed,
          .scope = static_cast<std::uint8_t>(static_cast<std::uint8_t>(event.scope) & 3U),
          .log_bytes = static_cast<std::uint8_t>(first_lane(event.element_bytes) & 7U)};
}

/// Lanes for which a race would change nothing: an update depends on what it reads, whatever it writes.
LaneSet unchanged(const AccessEvent& event) { return event.what == What::write ? event.unchanged : 0; }

SyncScope scope_of(const Manner& m) { return static_cast<SyncScope>(m.scope); }

/// Whether two strong accesses of one warp are reported as unordered.
bool is_plain(const Manner& m) { return !m.update && !m.ordering; }

/// Updates of one size, or reads of one manner, of scopes that reach everywhere: they never conflict with
/// each other, and others conflict with all of them alike.
bool are_equals(const Manner& a, const Manner& b) {
  constexpr auto gpu = static_cast<std::uint8_t>(SyncScope::gpu);
  if (a.scope < gpu || b.scope < gpu || a.log_bytes != b.log_bytes) return false;
  return (a.update && b.update) || (!a.writes && a == b);
}

/// Whether who comes later conflicts with `later` wherever it would with `earlier`, and as badly.
bool replaces(const Entry& later_entry, const Entry& earlier_entry) {
  const Manner later = later_entry.manner, earlier = earlier_entry.manner;
  if (earlier.writes && (!later.writes || (later.unchanged && !earlier.unchanged))) return false;
  if (later.confirmed && !earlier.confirmed) return false;
  if (!later.strong) return true;
  if (!earlier.strong || later.scope > earlier.scope || later.log_bytes != earlier.log_bytes) return false;
  if (is_plain(earlier)) return later_entry.warp == earlier_entry.warp && is_plain(later);
  return later_entry.warp.block == earlier_entry.warp.block;  // whom a narrow scope includes depends on it
}

/// The same for weak rows.
bool replaces(const Row& later, const Row& earlier) {
  if ((earlier.words & ~later.words) != 0 || (earlier.manner.writes && !later.manner.writes)) return false;
  if (later.manner.confirmed && !earlier.manner.confirmed) return false;
  if (!earlier.manner.writes || later.unchanged == 0) return true;
  return later.same_lanes(earlier) && (later.unchanged & ~earlier.unchanged) == 0;
}

/// The words of a line that belong to lanes of a set, where `first` and `shift` are known.
std::uint32_t words_of(LaneSet lanes, const Row& row) {
  if (row.shift == 0) return row.first >= 0 ? lanes >> row.first : lanes << -row.first;
  std::uint32_t words = 0;
  for (unsigned word = 0; word < words_per_line; ++word)
    if (const unsigned lane = row.lane_of(word); lane < lanes_per_warp && contains(lanes, lane))
      words |= bit(word);
  return words;
}

/// Whether what one of the two wrote stood there.
bool is_harmless(const Entry& earlier, const Entry& now) {
  return now.manner.writes ? now.manner.unchanged : earlier.manner.unchanged;
}

Severity severity_of(Kind kind, const Entry& earlier, const Entry& now) {
  return kind == Kind::unordered_access || is_harmless(earlier, now) ? Severity::warning : Severity::error;
}

std::string_view verb(const Manner& m) { return m.update ? "updates" : m.writes ? "writes" : "reads"; }

/// A lock that is fought for collects an entry for each attempt. Of what a lane did at one site and one time,
/// for the same chain, the last says all: who conflicts with something before conflicts with it, and who
/// comes after something before comes after it. `alike`: all entries are of one manner, and who has seen what
/// is no matter.
constexpr std::size_t many_entries = 32;
/// The earliest are forgotten, so that whoever saw the value of one that is kept is kept as well.
constexpr std::ptrdiff_t most_entries_of_a_raced = 128;
void keep_latest(std::vector<Entry>& entries, bool alike) {
  using Key = std::tuple<WarpId, Time, Site, std::uint32_t, bool, bool>;
  const auto key_of = [&](const Entry& e) {
    return alike ? Key{e.warp, 0, 0, 0, false, false}
                 : Key{e.warp, e.time, e.site, e.chain, e.observes, e.manner.unchanged};
  };
  std::map<Key, LaneSet> later;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    LaneSet& known = later[key_of(*entry)];
    entry->lanes &= ~known;
    known |= entry->lanes;
  }
  std::erase_if(entries, [](const Entry& entry) { return entry.lanes == 0; });
}

}  // namespace

void RaceCheck::job_begins(bool all_reads) {
  keeps_all_reads_ = all_reads;
  missed_reads_ = false;
}

void RaceCheck::launch_begins(const LaunchView& launch) {
  Clocked::launch_begins(launch);
  shared_.clear();
  spare_.clear();
  latest_shadow_ = nullptr;
  global_.clear();
  latest_window_ = nullptr;
  reported_.clear();
}

void RaceCheck::block_begins(BlockNumber block) {
  Clocked::block_begins(block);
  std::unique_ptr<Shadow>& shadow = shared_[block];
  if (spare_.empty()) {
    shadow = std::make_unique<Shadow>();
  } else {
    shadow = std::move(spare_.back());
    spare_.pop_back();
  }
}

// A shadow serves the next block as it is: all that happened to the one before is over.
void RaceCheck::block_ends(BlockNumber block) {
  Clocked::block_ends(block);
  latest_shadow_ = nullptr;
  const auto found = shared_.find(block);
  if (!clocks_.clustered()) spare_.push_back(std::move(found->second));
  shared_.erase(found);
}

RaceCheck::Window& RaceCheck::window_of(std::uint64_t number) {
  if (!latest_window_ || latest_number_ != number) latest_window_ = &global_[number];
  latest_number_ = number;
  return *latest_window_;
}

// The shadow that an access of a lane goes to; null where nobody needs to remember it.
Shadow* RaceCheck::shadow_of(const AccessEvent& event, unsigned lane) {
  if (event.shared) {
    const BlockNumber block = event.owner ? event.owner[lane] : event.warp.block;
    if (latest_shadow_ && latest_block_ == block) return latest_shadow_;
    const auto found = shared_.find(block);
    if (found == shared_.end()) return nullptr;
    latest_block_ = block;
    return latest_shadow_ = found->second.get();
  }
  Window& window = window_of(event.at[lane] >> global_window_bits);
  if (window.shadow) return window.shadow.get();
  if (event.what == What::read && !keeps_all_reads_) {
    window.read = true;
    return nullptr;
  }
  missed_reads_ |= window.read;
  window.shadow = std::make_unique<Shadow>();
  return window.shadow.get();
}

void RaceCheck::accesses(const AccessEvent& event) {
  WarpClock& who = clocks_.warp(event.warp);
  time_ = who.time;
  base_ = who.block->base;
  clocks_.accesses(event);  // what an access acquires is over for itself (PTX ISA 8.9.5)
  const auto some = first_lane(event.lanes);
  if (event.consecutive && !event.owner && event.bytes % 4 == 0 && event.at[some] % 4 == 0) {
    if (Shadow* shadow = shadow_of(event, some)) access_rows(event, *shadow, who);
  } else {
    std::uint64_t window = 0;
    Shadow* shadow = nullptr;
    for (LaneSet left = event.lanes; left != 0; left &= left - 1) {
      const auto lane = first_lane(left);
      const std::uint64_t here = event.owner    ? event.owner[lane]
                                 : event.shared ? 0
                                                : event.at[lane] >> global_window_bits;
      if (left == event.lanes || here != window) shadow = shadow_of(event, lane);
      window = here;
      if (shadow) access_lane(event, *shadow, lane, who);
    }
  }
}

// One row a line that consecutive lanes touch.
void RaceCheck::access_rows(const AccessEvent& event, Shadow& shadow, WarpClock& who) {
  const auto low = first_lane(event.lanes);
  const std::uint32_t words = event.bytes / 4;
  constexpr std::uint64_t mask = (std::uint64_t{1} << global_window_bits) - 1;
  // Lane l begins at word base + l · words, counted from the window's start.
  const auto first = static_cast<std::int64_t>((event.at[low] & mask) / 4);
  const std::int64_t base = first - std::int64_t{low} * words;
  const std::int64_t end = base + (std::int64_t{last_lane(event.lanes)} + 1) * words;
  Row row;
  row.warp = event.warp;
  row.time = time_;
  row.site = event.site;
  row.unchanged = unchanged(event);
  row.manner = manner_of(event);
  row.shift = static_cast<std::uint8_t>(std::countr_zero(words));
  for (std::int64_t number = first / words_per_line; number * words_per_line < end; ++number) {
    row.first = static_cast<std::int32_t>(number * words_per_line - base);
    row.words = words_of(event.lanes, row);
    Line& line = shadow.line(static_cast<std::uint64_t>(number));
    if (!access_row(event, line, row, who))
      access_words(event, line, row, who,
                   (event.at[low] & ~mask) | (static_cast<std::uint64_t>(number) * line_bytes));
  }
}

// True when rows say all about the line afterwards, too.
bool RaceCheck::access_row(const AccessEvent& event, Line& line, const Row& row, WarpClock& who) {
  if (row.manner.strong) return false;  // cells know who has seen which of them
  const Time over = forgets(event) ? base_ : 0;
  if (line.divided) {
    if (line.latest >= over) return false;
    undivide(line);
  }
  unsigned kept = 0;
  for (unsigned k = 0; k < line.count; ++k) {
    const Row& earlier = line.rows[k];
    if (earlier.time < over) continue;
    const bool meets = (earlier.words & row.words) != 0;
    const bool conflicts = meets && (earlier.manner.writes || row.manner.writes);
    const bool ordered = meets && row_is_ordered(earlier, row, who);
    if (conflicts && !ordered) {
      // Rows so far are as they were, but for those that are over.
      std::copy(line.rows.begin() + k, line.rows.begin() + line.count, line.rows.begin() + kept);
      line.count = static_cast<std::uint8_t>(line.count - (k - kept));
      return false;
    }
    // Whoever conflicts with the earlier access conflicts with this one.
    if (ordered && replaces(row, earlier)) continue;
    if (kept != k) line.rows[kept] = earlier;
    ++kept;
  }
  line.count = static_cast<std::uint8_t>(kept);
  if (kept == Line::most_rows) return false;
  line.rows[line.count++] = row;
  return true;
}

// Whether each lane's access comes after that of the lane that had its words before, at a glance.
bool RaceCheck::row_is_ordered(const Row& earlier, const Row& now, const WarpClock& who) {
  if (earlier.warp.block != now.warp.block) return false;
  if (earlier.time < base_ || earlier.same_lanes(now)) return true;
  return earlier.warp == now.warp && earlier.time < who.uniform;
}

// Lane after lane, on cells.
void RaceCheck::access_words(const AccessEvent& event, Line& line, const Row& row, WarpClock& who,
                             std::uint64_t address) {
  divide(event, line, false);
  const std::uint32_t cells = 4 / line.cell_bytes();
  for (unsigned word = 0; word < words_per_line; ++word) {
    if ((row.words & bit(word)) == 0) continue;
    const unsigned lane = row.lane_of(word);
    Entry now{row.warp, row.time, row.site, bit(lane), row.manner};
    now.manner.unchanged = (row.unchanged & bit(lane)) != 0;
    for (std::uint32_t k = 0; k < cells; ++k) {
      end_chains(line, word * cells + k, now.manner);
      access_cell(event, line.cells[word * cells + k], lane, now, who, address + word * 4 + k);
    }
  }
  line.latest = std::max(line.latest, row.time);
}

void RaceCheck::undivide(Line& line) {
  for (Cell& cell : line.cells) {
    cell.weak.clear();
    cell.strong.clear();
    cell.mixed = cell.raced = false;
    cell.chain.number = 0;
  }
  line.divided = false;
  line.latest = 0;
}

// Rows become entries of cells; cells of words become cells of bytes.
void RaceCheck::divide(const AccessEvent& event, Line& line, bool into_bytes) {
  const Time over = forgets(event) ? base_ : 0;
  if (line.divided && line.latest < over) undivide(line);
  if (!line.divided) {
    if (line.cells.empty()) line.cells.resize(words_per_line);
    const std::size_t cells = line.cells.size() / words_per_line;
    for (unsigned k = 0; k < line.count; ++k) {
      const Row& row = line.rows[k];
      if (row.time < over) continue;
      for (unsigned word = 0; word < words_per_line; ++word) {
        if ((row.words & bit(word)) == 0) continue;
        const unsigned lane = row.lane_of(word);
        Entry entry{row.warp, row.time, row.site, bit(lane), row.manner};
        entry.manner.unchanged = (row.unchanged & bit(lane)) != 0;
        for (std::size_t c = word * cells; c < (word + 1) * cells; ++c) line.cells[c].weak.push_back(entry);
      }
      line.latest = std::max(line.latest, row.time);
    }
    line.count = 0;
    line.divided = true;
  }
  if (!into_bytes || line.cells.size() == line_bytes) return;
  std::vector<Cell> bytes(line_bytes);
  for (unsigned k = 0; k < line_bytes; ++k) bytes[k] = line.cells[k / 4];
  line.cells = std::move(bytes);
}

void RaceCheck::access_lane(const AccessEvent& event, Shadow& shadow, unsigned lane, WarpClock& who) {
  Entry now{event.warp, time_, event.site, bit(lane), manner_of(event)};
  now.manner.unchanged = (unchanged(event) & bit(lane)) != 0;
  const std::uint64_t mask = (std::uint64_t{1} << global_window_bits) - 1;
  std::uint64_t at = event.at[lane] & mask;
  const std::uint64_t end = at + event.bytes;
  while (at < end) {
    Line& line = shadow.line(at / line_bytes);
    const std::uint64_t line_end = (at / line_bytes + 1) * line_bytes;
    const bool narrow = at % 4 != 0 || std::min(end, line_end) % 4 != 0;
    divide(event, line, narrow);
    const std::uint32_t step = line.cell_bytes();
    for (; at < end && at < line_end; at += step) {
      end_chains(line, at % line_bytes / step, now.manner);
      access_cell(event, line.cells[at % line_bytes / step], lane, now, who, (event.at[lane] & ~mask) | at);
    }
    line.latest = std::max(line.latest, now.time);
  }
}

// A write to a part of what was written as one strong value ends that value as a whole, unless it is strong
// and of the same size.
void RaceCheck::end_chains(Line& line, std::size_t index, const Manner& now) {
  const Chain& hit = line.cells[index].chain;
  if (!now.writes || hit.number == 0) return;
  if (now.strong && now.log_bytes == hit.manner.log_bytes) return;
  const std::size_t cells =
      std::max<std::size_t>(1, (std::size_t{1} << hit.manner.log_bytes) / line.cell_bytes());
  const std::size_t first = index / cells * cells;
  for (std::size_t k = first; k < first + cells; ++k) line.cells[k].chain.number = 0;
}

void RaceCheck::access_cell(const AccessEvent& event, Cell& cell, unsigned lane, const Entry& now,
                            WarpClock& who, std::uint64_t address) {
  compare(event, cell, cell.weak, lane, now, who, address);
  const bool among_equals =
      !cell.mixed && (cell.strong.empty() || are_equals(cell.strong.front().manner, now.manner));
  if (!among_equals) compare(event, cell, cell.strong, lane, now, who, address);
  if (cell.strong.empty()) cell.mixed = false;
  Entry entry = now;
  continue_chain(event, cell.chain, entry);
  std::vector<Entry>& entries = now.manner.strong ? cell.strong : cell.weak;
  if (!entries.empty()) {
    Entry& last = entries.back();
    // Lanes of an entry came in their order: `seen` relies on it.
    const bool in_order = !now.manner.strong || last.lanes < bit(lane);
    if (in_order && last.warp == now.warp && last.time == now.time && last.site == now.site &&
        last.manner == now.manner && last.observes == entry.observes && last.chain == entry.chain) {
      last.lanes |= now.lanes;
      return;
    }
    if (now.manner.strong) cell.mixed |= !are_equals(last.manner, now.manner);
  }
  entries.push_back(entry);
  if (entries.size() >= many_entries && std::has_single_bit(entries.size()))
    keep_latest(entries, now.manner.strong && among_equals);
  if (cell.raced && std::ssize(entries) > 2 * most_entries_of_a_raced)
    entries.erase(entries.begin(), entries.end() - most_entries_of_a_raced);
}

// What the access has seen of the strong writes before it, and whether it goes on with them.
void RaceCheck::continue_chain(const AccessEvent& event, Chain& chain, Entry& now) {
  const Manner manner = now.manner;
  if (!manner.strong) {
    if (manner.writes) chain.number = 0;
    return;
  }
  const bool sees =
      chain.number != 0 && chain.manner.log_bytes == manner.log_bytes &&
      clocks_.include_each_other(scope_of(chain.manner), chain.block, scope_of(manner), now.warp.block);
  if (manner.writes) {
    if (!sees || !manner.update) chain.number = ++chain.latest;
    chain.block = now.warp.block;
    chain.manner = manner;
  }
  now.observes = sees && (!manner.writes || (manner.update && event.returns));
  now.chain = sees || manner.writes ? chain.number : 0;
}

// Whether scopes and sizes make the two atomic to each other, and nobody expects more of them; or one is a
// guess that the other one's like corrects.
bool RaceCheck::is_permitted(const Entry& earlier, const Entry& now) const {
  const auto is_guess = [](const Entry& a, const Entry& b) {
    return a.manner.confirmed && b.manner.update && a.manner.log_bytes == b.manner.log_bytes;
  };
  if (is_guess(earlier, now) || is_guess(now, earlier)) return true;
  if (!morally_strong(earlier, now)) return false;
  return !is_plain(earlier.manner) || !is_plain(now.manner) || !(earlier.warp == now.warp);
}

bool RaceCheck::morally_strong(const Entry& a, const Entry& b) const {
  return a.manner.strong && b.manner.strong && a.manner.log_bytes == b.manner.log_bytes &&
         clocks_.include_each_other(scope_of(a.manner), a.warp.block, scope_of(b.manner), b.warp.block);
}

// Those lanes of the strong write entries[k] whose value was seen before the present of `lane` (PTX
// ISA 8.9.6: what a strong write has done is over for whoever comes after one that observed it).
LaneSet RaceCheck::seen(const std::vector<Entry>& entries, std::size_t k, unsigned lane, WarpClock& who) {
  const Entry& write = entries[k];
  for (std::size_t j = entries.size(); j-- > k;) {
    const Entry& by = entries[j];
    if (!by.observes || by.chain != write.chain) continue;
    LaneSet before = by.lanes;
    if (!(by.warp == who.id) || (by.lanes & bit(lane)) == 0 || j == k) {
      const bool own = by.warp == who.id;
      const LaneSet others = own ? by.lanes & ~bit(lane) : by.lanes;
      if (others != 0) before &= ~clocks_.unordered(who, lane, by.warp, others, by.time);
    }
    if (before == 0) continue;
    if (j > k) return write.lanes;
    return write.lanes & (bit(last_lane(before)) - 1);
  }
  return 0;
}

// Reports the entries that conflict with this access, and forgets those that it stands for from now on.
void RaceCheck::compare(const AccessEvent& event, Cell& cell, std::vector<Entry>& entries, unsigned lane,
                        const Entry& now, WarpClock& who, std::uint64_t address) {
  std::size_t kept = 0;
  std::uint32_t latest_chain = 0;  // of the writes kept
  const bool many = entries.size() > many_entries;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    Entry& earlier = entries[k];
    const bool own = earlier.warp == now.warp;
    const bool conflicts = now.manner.writes || earlier.manner.writes;
    // Whether another warp's read is over takes time to find out, and saves little before there are many.
    const bool is_near = own || (earlier.warp.block == now.warp.block && earlier.time < base_);
    const bool stands_for = (conflicts || is_near || many) && replaces(now, earlier);
    const bool clashes =
        conflicts && !is_permitted(earlier, now) &&
        (stands_for || !cell.raced || is_news(kind_of(event, lane, earlier, now), earlier, now));
    if (clashes || stands_for) {
      const LaneSet others = own ? earlier.lanes & ~bit(lane) : earlier.lanes;
      LaneSet unordered = others == 0 ? 0 : clocks_.unordered(who, lane, earlier.warp, others, earlier.time);
      if (clashes && unordered != 0 && earlier.manner.strong && earlier.manner.writes)
        unordered &= ~seen(entries, k, lane, who);
      if (clashes && unordered != 0) {
        report(event, lane, earlier, first_lane(unordered), now, address);
        const Finding* reported = reported_for(kind_of(event, lane, earlier, now), earlier, now);
        cell.raced |= reported != nullptr && reported->severity == Severity::error;
      }
      // Whoever saw a write that is remembered is remembered, too. Chains are numbered in their order.
      const bool witness =
          earlier.observes && (latest_chain == earlier.chain || (earlier.manner.writes && unordered != 0));
      if (stands_for && !witness) earlier.lanes = unordered;
    }
    if (earlier.lanes != 0) {
      if (earlier.manner.writes) latest_chain = earlier.chain;
      if (kept != k) entries[kept] = earlier;
      ++kept;
    }
  }
  entries.resize(kept);
}

Kind RaceCheck::kind_of(const AccessEvent& event, unsigned lane, const Entry& earlier,
                        const Entry& now) const {
  if (morally_strong(earlier, now)) return Kind::unordered_access;
  if (!event.shared) return Kind::global_race;
  const bool is_of_a_peer = event.owner && event.owner[lane] != now.warp.block;
  return is_of_a_peer || earlier.warp.block != now.warp.block ? Kind::cluster_race : Kind::shared_race;
}

// Whether nothing as bad has been told of these two places.
bool RaceCheck::is_news(Kind kind, const Entry& earlier, const Entry& now) const {
  const Finding* reported = reported_for(kind, earlier, now);
  if (!reported) return !launch_->orders_its_own(earlier.site) || !launch_->orders_its_own(now.site);
  return reported->severity == Severity::warning && severity_of(kind, earlier, now) == Severity::error;
}

// What was told of these two places; null where nothing was.
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
  Finding& finding = findings_[entry->second] = {};
  finding.kind = kind;
  finding.severity = severity_of(kind, earlier, now);
  finding.at = launch_->position(now.site);
  finding.other = launch_->position(earlier.site);
  finding.threads = {launch_->thread(now.warp, lane), launch_->thread(earlier.warp, earlier_lane)};
  finding.message =
      fmt::format("{} {} {} and {} {} it, and nothing orders the two{}", to_string(finding.threads[0]),
                  verb(b), launch_->memory_at(event.shared, address), to_string(finding.threads[1]), verb(a),
                  is_harmless(earlier, now)                                  ? "; the values are equal"
                  : kind == Kind::unordered_access || !a.strong || !b.strong ? ""
                  : a.log_bytes != b.log_bytes ? "; accesses of different sizes are not atomic to each other"
                                               : "; the scope of one of them leaves the other out");
}

}  // namespace foldproof
