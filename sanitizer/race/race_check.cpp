#include "sanitizer/race/race_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace foldproof {
namespace {

using What = AccessEvent::What;

constexpr unsigned global_window_bits = 36;
constexpr LaneSet all_lanes = ~LaneSet{0};

LaneSet bit(unsigned lane) { return LaneSet{1} << lane; }

Manner manner_of(const AccessEvent& event) {
  Manner m;
  m.writes = event.what != What::read;
  m.strong = event.strong;
  m.update = event.what == What::update;
  m.ordering = event.acquires || event.releases || event.polled;
  m.scope = static_cast<std::uint8_t>(event.scope) & 3U;
  m.log_bytes = static_cast<unsigned>(std::countr_zero(event.element_bytes)) & 7U;
  return m;
}

SyncScope scope_of(const Manner& m) { return static_cast<SyncScope>(m.scope); }

/// Whether two strong accesses of one warp are reported as unordered.
bool is_plain(const Manner& m) { return !m.update && !m.ordering; }

/// Whether who comes later conflicts with `later` wherever it would with `earlier`, and as badly.
bool replaces(const Entry& later_entry, const Entry& earlier_entry) {
  const Manner later = later_entry.manner, earlier = earlier_entry.manner;
  if (earlier.writes && (!later.writes || (later.unchanged && !earlier.unchanged))) return false;
  if (!later.strong) return true;
  if (!earlier.strong || later.scope > earlier.scope || later.log_bytes != earlier.log_bytes) return false;
  const bool own = later_entry.warp == earlier_entry.warp;
  if (is_plain(earlier)) return own && is_plain(later);
  return own || later.scope >= static_cast<std::uint8_t>(SyncScope::gpu);
}

std::string_view verb(const Manner& m) { return m.update ? "updates" : m.writes ? "writes" : "reads"; }

std::string describe(const ThreadId& id) {
  return fmt::format("thread ({}, {}, {}) of block ({}, {}, {})", id.thread.x, id.thread.y, id.thread.z,
                     id.block.x, id.block.y, id.block.z);
}

}  // namespace

void RaceCheck::job_begins(bool all_reads) {
  keeps_all_reads_ = all_reads;
  missed_reads_ = false;
}

void RaceCheck::launch_begins(const Scene& scene) {
  scene_ = &scene;
  clocks_.launch_begins(scene);
  shared_.clear();
  global_.clear();
  reported_.clear();
  findings_.clear();
}

std::vector<Finding> RaceCheck::launch_ends() {
  scene_ = nullptr;
  shared_.clear();
  global_.clear();
  return std::move(findings_);
}

void RaceCheck::block_begins(BlockNumber block) {
  clocks_.block_begins(block);
  shared_.try_emplace(block);
}

void RaceCheck::block_ends(BlockNumber block) {
  clocks_.block_ends(block);
  shared_.erase(block);
}

// The shadow that an access of a lane goes to; null where nobody needs to remember it.
Shadow* RaceCheck::shadow_of(const AccessEvent& event, unsigned lane) {
  if (event.shared) {
    const auto found = shared_.find(event.owner ? event.owner[lane] : event.warp.block);
    return found == shared_.end() ? nullptr : &found->second;
  }
  Window& window = global_[event.at[lane] >> global_window_bits];
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
  const bool rows = event.consecutive && !event.owner && event.lanes == all_lanes && event.bytes >= 4 &&
                    event.bytes <= 16 && event.at[0] % line_bytes == 0;
  Shadow* shadow = nullptr;
  if (rows) {
    shadow = shadow_of(event, 0);
    if (shadow) access_rows(event, *shadow, who);
  } else {
    std::uint64_t window = 0;
    for (LaneSet left = event.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t here = event.owner    ? event.owner[lane]
                                 : event.shared ? 0
                                                : event.at[lane] >> global_window_bits;
      if (left == event.lanes || here != window) shadow = shadow_of(event, lane);
      window = here;
      if (shadow) access_lane(event, *shadow, lane, who);
    }
  }
  clocks_.accesses(event);
}

void RaceCheck::access_rows(const AccessEvent& event, Shadow& shadow, WarpClock& who) {
  Row row;
  row.warp = event.warp;
  row.time = who.time;
  row.site = event.site;
  row.manner = manner_of(event);
  const std::uint32_t lines = event.bytes / 4, lanes = lanes_per_warp / lines;
  row.shift = static_cast<std::uint8_t>(std::countr_zero(lines));
  const std::uint64_t offset = event.at[0] & ((std::uint64_t{1} << global_window_bits) - 1);
  for (std::uint32_t k = 0; k < lines; ++k) {
    row.first_lane = static_cast<std::uint8_t>(k * lanes);
    row.unchanged = event.unchanged;
    if (access_row(event, shadow.line(offset / line_bytes + k), row, who)) continue;
    for (unsigned lane = k * lanes; lane < (k + 1) * lanes; ++lane) access_lane(event, shadow, lane, who);
  }
}

// True when one row says all about the line afterwards, too.
bool RaceCheck::access_row(const AccessEvent& event, Line& line, const Row& row, WarpClock& who) {
  if (!line.cells.empty()) {
    // What a barrier of the whole block has put behind it is over for all who may come.
    if (!event.shared || clocks_.clustered() || line.latest >= clocks_.block(event.warp.block).base)
      return false;
    line.cells.clear();
    line.latest = 0;
  }
  if (row.manner.strong || !row_is_ordered(line.written, row, who)) return false;
  if (row.manner.writes) {
    if (!row_is_ordered(line.read, row, who)) return false;
    // A write that changes nothing says less than the one before.
    const bool over =
        event.shared && !clocks_.clustered() && line.written.time < clocks_.block(event.warp.block).base;
    if (line.written.time != 0 && !over && (row.unchanged & ~line.written.unchanged) != 0) return false;
    line.written = row;
    line.read = {};
    return true;
  }
  if (line.read.manner.strong || !row_is_ordered(line.read, row, who)) return false;
  line.read = row;
  return true;
}

// Whether each lane's access comes after that of the lane that had its words before, at a glance.
bool RaceCheck::row_is_ordered(const Row& earlier, const Row& now, WarpClock& who) {
  if (earlier.time == 0) return true;
  if (earlier.warp.block != now.warp.block) return false;
  if (earlier.time < clocks_.block(now.warp.block).base || earlier.same_lanes(now)) return true;
  return earlier.warp == now.warp && earlier.time < who.uniform;
}

// Rows become entries of cells; cells of words become cells of bytes.
void RaceCheck::divide(Line& line, bool into_bytes) {
  if (line.cells.empty()) {
    line.cells.resize(words_per_line);
    for (const Row* row : {&line.written, &line.read}) {
      if (row->time == 0) continue;
      for (unsigned word = 0; word < words_per_line; ++word) {
        const unsigned lane = row->first_lane + (word >> row->shift);
        Entry entry{row->warp, row->time, row->site, bit(lane), row->manner};
        entry.manner.unchanged = (row->unchanged & bit(lane)) != 0;
        (row->manner.strong ? line.cells[word].strong : line.cells[word].weak).push_back(entry);
      }
      line.latest = std::max(line.latest, row->time);
    }
    line.read = line.written = {};
  }
  if (!into_bytes || line.cells.size() == line_bytes) return;
  std::vector<Cell> bytes(line_bytes);
  for (unsigned k = 0; k < line_bytes; ++k) bytes[k] = line.cells[k / 4];
  line.cells = std::move(bytes);
}

void RaceCheck::access_lane(const AccessEvent& event, Shadow& shadow, unsigned lane, WarpClock& who) {
  Entry now{event.warp, who.time, event.site, bit(lane), manner_of(event)};
  now.manner.unchanged = (event.unchanged & bit(lane)) != 0;
  const std::uint64_t mask = (std::uint64_t{1} << global_window_bits) - 1;
  std::uint64_t at = event.at[lane] & mask;
  const std::uint64_t end = at + event.bytes;
  while (at < end) {
    Line& line = shadow.line(at / line_bytes);
    const std::uint64_t line_end = (at / line_bytes + 1) * line_bytes;
    const bool narrow = at % 4 != 0 || std::min(end, line_end) % 4 != 0;
    if (event.shared && !clocks_.clustered() && !line.cells.empty() &&
        line.latest < clocks_.block(event.warp.block).base) {
      line.cells.clear();
      line.latest = 0;
    }
    divide(line, narrow);
    const std::uint32_t step = line.cell_bytes();
    for (; at < end && at < line_end; at += step)
      access_cell(event, line.cells[at % line_bytes / step], lane, now, who, (event.at[lane] & ~mask) | at);
    line.latest = std::max(line.latest, now.time);
  }
}

void RaceCheck::access_cell(const AccessEvent& event, Cell& cell, unsigned lane, const Entry& now,
                            WarpClock& who, std::uint64_t address) {
  compare(event, cell.weak, lane, now, who, address);
  // Updates of one size and of scopes that reach everywhere never conflict with each other.
  const bool atomic_among_equals =
      now.manner.update && now.manner.scope >= static_cast<std::uint8_t>(SyncScope::gpu) &&
      (cell.strong.empty() || (!cell.various && cell.strong.front().manner == now.manner));
  if (!atomic_among_equals) compare(event, cell.strong, lane, now, who, address);
  if (cell.strong.empty()) cell.various = false;
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
    if (now.manner.strong) cell.various |= last.manner != now.manner;
  }
  entries.push_back(entry);
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

// Whether scopes and sizes make the two atomic to each other, and nobody expects more of them.
bool RaceCheck::is_excused(const Entry& earlier, const Entry& now) const {
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
    return write.lanes & (bit(31U - static_cast<unsigned>(std::countl_zero(before))) - 1);
  }
  return 0;
}

// Reports the entries that conflict with this access, and forgets those that it stands for from now on.
void RaceCheck::compare(const AccessEvent& event, std::vector<Entry>& entries, unsigned lane,
                        const Entry& now, WarpClock& who, std::uint64_t address) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    Entry& earlier = entries[k];
    const bool own = earlier.warp == now.warp;
    const bool conflicts = now.manner.writes || earlier.manner.writes;
    const bool stands_for = replaces(now, earlier);
    if (conflicts || stands_for) {
      const LaneSet others = own ? earlier.lanes & ~bit(lane) : earlier.lanes;
      LaneSet unordered = others == 0 ? 0 : clocks_.unordered(who, lane, earlier.warp, others, earlier.time);
      const bool clashes = conflicts && unordered != 0 && !is_excused(earlier, now);
      if (clashes && earlier.manner.strong && earlier.manner.writes)
        unordered &= ~seen(entries, k, lane, who);
      if (clashes && unordered != 0)
        report(event, lane, earlier, static_cast<unsigned>(std::countr_zero(unordered)), now, address);
      // Whoever saw a write that is remembered is remembered, too.
      const auto is_seen = [&](const Entry& e) { return e.manner.writes && e.chain == earlier.chain; };
      const bool witness =
          earlier.observes &&
          (std::any_of(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept), is_seen) ||
           (earlier.manner.writes && unordered != 0));
      if (stands_for && !witness) earlier.lanes = unordered;
    }
    if (earlier.lanes != 0) {
      if (kept != k) entries[kept] = earlier;
      ++kept;
    }
  }
  entries.resize(kept);
}

void RaceCheck::report(const AccessEvent& event, unsigned lane, const Entry& earlier, unsigned earlier_lane,
                       const Entry& now, std::uint64_t address) {
  const Manner a = earlier.manner, b = now.manner;
  Kind kind = event.shared ? Kind::shared_race : Kind::global_race;
  if (event.shared && (event.owner ? event.owner[lane] != now.warp.block : false)) kind = Kind::cluster_race;
  if (event.shared && earlier.warp.block != now.warp.block) kind = Kind::cluster_race;
  if (morally_strong(earlier, now)) kind = Kind::unordered_access;
  const bool harmless = b.writes ? b.unchanged : a.unchanged;
  const bool unordered = kind == Kind::unordered_access;
  const Severity severity = harmless || unordered ? Severity::warning : Severity::error;
  const auto [entry, is_new] = reported_.try_emplace({kind, earlier.site, now.site}, findings_.size());
  if (!is_new) {
    Finding& known = findings_[entry->second];
    if (severity == Severity::warning || known.severity == Severity::error) return;
    known = {};
  } else {
    findings_.emplace_back();
  }
  Finding& finding = findings_[entry->second];
  finding.kind = kind;
  finding.severity = severity;
  finding.at = scene_->position(now.site);
  finding.other = scene_->position(earlier.site);
  finding.threads = {scene_->thread(now.warp, lane), scene_->thread(earlier.warp, earlier_lane)};
  finding.message =
      fmt::format("{} {} {} and {} {} it, and nothing orders the two{}", describe(finding.threads[0]),
                  verb(b), scene_->memory_at(event.shared, address), describe(finding.threads[1]), verb(a),
                  harmless ? "; the values are equal" : "");
}

}  // namespace foldproof
