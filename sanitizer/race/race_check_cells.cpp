// RaceCheck on divided lines: cells of a word or a byte, each with entries for the accesses to it.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "sanitizer/race/race_check.h"
#include "sanitizer/work.h"

namespace foldproof {
namespace {

SyncScope scope_of(const Manner& m) { return static_cast<SyncScope>(m.scope); }

/// Whether every later access that conflicts with `earlier_entry` also conflicts with `later_entry`, at least
/// as severely.
bool replaces(const Entry& later_entry, const Entry& earlier_entry) {
  const Manner later = later_entry.manner, earlier = earlier_entry.manner;
  if (earlier.writes && (!later.writes || (later.unchanged && !earlier.unchanged))) return false;
  if (later.cas_confirmed && !earlier.cas_confirmed) return false;
  if (!later.strong) return true;
  if (!earlier.strong || later.scope > earlier.scope || later.log_bytes != earlier.log_bytes) return false;
  if (earlier.plain) return later_entry.warp == earlier_entry.warp && later.plain;
  return later_entry.warp.block == earlier_entry.warp.block;  // a narrow scope is relative to the block
}

constexpr std::size_t many_entries = 32;
/// The earliest entries are dropped, so that a kept write also keeps the entries that observed it.
constexpr std::ptrdiff_t max_entries_of_raced_cell = 128;

/// A contended lock collects one entry per attempt. Of the actions of a lane at one site, for the same chain,
/// the last represents the others: an access that conflicts with an earlier one also conflicts with the last.
/// Those that observed a write are evidence of order, so that only the last at each time represents the
/// others. `alike`: all entries are of one kind, and only whether they observed something matters.
void keep_latest(std::vector<Entry>& entries, bool alike) {
  steps_of_checks += entries.size();
  using Key = std::tuple<WarpId, Time, Site, std::uint32_t, bool, bool>;
  const auto key_of = [&](const Entry& e) {
    return alike ? Key{e.warp, 0, 0, 0, e.observes, false}
                 : Key{e.warp, e.observes ? e.time : 0, e.site, e.chain, e.observes, e.manner.unchanged};
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

void Entries::push_back(const Entry& entry) {
  all.push_back(entry);
  if (index) add_to_index(all.size() - 1);
}

void Entries::make_index() {
  index = std::make_shared<Index>();
  for (std::size_t k = 0; k < all.size(); ++k) add_to_index(k);
}

void Entries::add_to_index(std::size_t position) {
  ++steps_of_checks;
  index->of_warp[all[position].warp].push_back(position);
  if (!all[position].manner.writes) return;
  index->writes.push_back(position);
  index->writes_of_chain[all[position].chain].push_back(position);
}

// Compares and records the accesses lane by lane, in cells.
void RaceCheck::access_words(const AccessEvent& event, Line& line, const Row& row, WarpClock& who,
                             std::uint64_t address) {
  divide(event, line, false);
  const std::uint32_t cells = 4 / line.cell_bytes();
  for (unsigned word = 0; word < words_per_line; ++word) {
    if ((row.words & bit(word)) == 0) continue;
    const unsigned lane = row.lane_of(word);
    const Entry now = row.entry_of(word);
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
    cell.mixed = cell.raced = cell.various = false;
    cell.chain.number = 0;
  }
  line.divided = false;
  line.latest = 0;
}

// Converts rows to entries of cells and, if `into_bytes`, cells of words to cells of bytes.
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
        const Entry entry = row.entry_of(word);
        for (std::size_t c = word * cells; c < (word + 1) * cells; ++c) line.cells[c].weak.push_back(entry);
      }
      line.latest = std::max(line.latest, row.time);
    }
    line.count = 0;
    line.divided = true;
  }
  if (!into_bytes || line.cells.size() == line_bytes) return;
  std::vector<Cell> bytes(line_bytes);
  for (unsigned k = 0; k < line_bytes; ++k) {
    bytes[k] = line.cells[k / 4];
    bytes[k].weak.index = bytes[k].strong.index = nullptr;
  }
  line.cells = std::move(bytes);
}

void RaceCheck::access_place(const AccessEvent& event, AccessHistory& history, LaneSet lanes,
                             WarpClock& who) {
  const unsigned some = first_lane(lanes);
  Entry now{event.warp, time_, event.site, lanes, manner_of(event)};
  now.manner.unchanged = (unchanged(event) & lanes) != 0;
  const std::uint64_t mask = (std::uint64_t{1} << global_window_bits) - 1;
  std::uint64_t at = event.at[some] & mask;
  const std::uint64_t end = at + event.bytes;
  while (at < end) {
    Line& line = history.line(at / line_bytes);
    const std::uint64_t line_end = (at / line_bytes + 1) * line_bytes;
    const bool narrow = at % 4 != 0 || std::min(end, line_end) % 4 != 0;
    divide(event, line, narrow);
    const std::uint32_t step = line.cell_bytes();
    for (; at < end && at < line_end; at += step) {
      Cell& cell = line.cells[at % line_bytes / step];
      end_chains(line, at % line_bytes / step, now.manner);
      if (lanes != bit(some) && read_together(cell, now, who)) continue;
      for_lanes(lanes, [&](unsigned lane) {
        now.lanes = bit(lane);
        access_cell(event, cell, lane, now, who, (event.at[some] & ~mask) | at);
      });
      now.lanes = lanes;
    }
    line.latest = std::max(line.latest, now.time);
  }
}

// Records a weak read of the cell by several lanes, if it is certain that no lane conflicts with an earlier
// access, and if all lanes know the same. Each thread often reads all partial results of its block.
bool RaceCheck::read_together(Cell& cell, const Entry& now, const WarpClock& who) {
  std::vector<Entry>& earlier = cell.weak.all;
  if (who.pairs || who.has_outer != 0 || !cell.strong.all.empty() || earlier.size() > many_entries)
    return false;
  steps_of_checks += earlier.size();
  const unsigned some = first_lane(now.lanes);
  const auto unordered = [&](const Entry& entry) {
    return clocks_.unordered(who, some, entry.warp, entry.lanes, entry.time);
  };
  for (const Entry& entry : earlier) {
    const bool is_own = entry.warp == now.warp && entry.time >= std::max(base_, who.uniform);
    if (entry.manner.writes && (is_own || unordered(entry) != 0)) return false;
  }
  for (Entry& entry : earlier) {
    const bool is_own = entry.warp == now.warp;
    const bool is_over = entry.warp.block == now.warp.block && entry.time < base_;
    if ((is_own || is_over) && replaces(now, entry)) entry.lanes = unordered(entry) & ~now.lanes;
  }
  if (std::erase_if(earlier, [](const Entry& entry) { return entry.lanes == 0; }) > 0)
    cell.weak.index = nullptr;
  record(cell, cell.weak, now, false);
  return true;
}

// A write to a part of a value that was written by one strong write ends the whole chain of that value,
// unless the write is strong and of the same size.
void RaceCheck::end_chains(Line& line, std::size_t index, const Manner& now) {
  const Chain& hit = line.cells[index].chain;
  if (!now.writes || hit.number == 0) return;
  if (now.strong && now.log_bytes == hit.manner.log_bytes) return;
  const std::size_t cells =
      std::max<std::size_t>(1, (std::size_t{1} << hit.manner.log_bytes) / line.cell_bytes());
  const std::size_t first = index / cells * cells;
  for (std::size_t k = first; k < first + cells; ++k) line.cells[k].chain.number = 0;
}

// Of many entries, only those are compared that may conflict with the access: a read conflicts only with
// writes, and strong accesses of the same location and size whose scopes include each other only within a
// warp.
void RaceCheck::access_cell(const AccessEvent& event, Cell& cell, unsigned lane, const Entry& now,
                            WarpClock& who, std::uint64_t address) {
  if (cell.weak.all.size() > many_entries && !now.manner.writes)
    compare_few(event, cell, cell.weak, lane, now, who, address, true);
  else
    compare(event, cell, cell.weak, lane, now, who, address);
  const std::vector<Entry>& strong = cell.strong.all;
  if (strong.empty()) cell.mixed = cell.various = false;
  const bool among_equals = !cell.mixed && (strong.empty() || are_equals(event, strong.front(), now));
  if (!among_equals) {
    if (strong.size() > many_entries && !cell.various && are_peers(event, strong.front(), now))
      compare_few(event, cell, cell.strong, lane, now, who, address, false);
    else
      compare(event, cell, cell.strong, lane, now, who, address);
  }
  if (strong.empty()) cell.mixed = cell.various = false;
  Entry entry = now;
  continue_chain(event, cell.chain, entry);
  Entries& entries = now.manner.strong ? cell.strong : cell.weak;
  if (!entries.all.empty()) {
    Entry& last = entries.all.back();
    // The lanes of an entry are in the order of their accesses: `seen` relies on it.
    const bool in_order = last.lanes != 0 && (!now.manner.strong || last.lanes < bit(lane));
    if (in_order && last.warp == now.warp && last.time == now.time && last.site == now.site &&
        last.manner == now.manner && last.observes == entry.observes && last.chain == entry.chain) {
      last.lanes |= now.lanes;
      return;
    }
    if (now.manner.strong) {
      cell.mixed |= !are_equals(event, last, now);
      cell.various |= !are_peers(event, last, now);
    }
  }
  record(cell, entries, entry, now.manner.strong && among_equals);
}

// Adds the entry. `alike`: as in keep_latest().
void RaceCheck::record(const Cell& cell, Entries& entries, const Entry& entry, bool alike) {
  entries.push_back(entry);
  if (entries.all.size() >= std::max(many_entries, entries.shorten_at)) {
    keep_latest(entries.all, alike);
    entries.shorten_at = 2 * entries.all.size();
    entries.index = nullptr;
  }
  if (cell.raced && std::ssize(entries.all) > 2 * max_entries_of_raced_cell) {
    entries.all.erase(entries.all.begin(), entries.all.end() - max_entries_of_raced_cell);
    entries.index = nullptr;
  }
}

// Determines whether the access observes the strong writes before it, and whether it continues their chain.
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

// Whether scopes and sizes make the two atomic to each other and they need no further order; or whether one
// is a speculative read that an atomic like the other one validates.
bool RaceCheck::is_permitted(const Entry& earlier, const Entry& now) const {
  const auto is_guess = [](const Entry& a, const Entry& b) {
    return a.manner.cas_confirmed && b.manner.update && a.manner.log_bytes == b.manner.log_bytes;
  };
  if (is_guess(earlier, now) || is_guess(now, earlier)) return true;
  if (!morally_strong(earlier, now)) return false;
  return !earlier.manner.plain || !now.manner.plain || !(earlier.warp == now.warp);
}

bool RaceCheck::morally_strong(const Entry& a, const Entry& b) const {
  return a.manner.strong && b.manner.strong && a.manner.log_bytes == b.manner.log_bytes &&
         clocks_.include_each_other(scope_of(a.manner), a.warp.block, scope_of(b.manner), b.warp.block);
}

// The lanes of the strong write entries[k] whose value was observed before the present of `lane` (PTX ISA
// causality order: a strong write is ordered before every access after one that observed it).
LaneSet RaceCheck::seen(const std::vector<Entry>& entries, std::size_t k, unsigned lane, WarpClock& who) {
  const Entry& write = entries[k];
  for (std::size_t j = entries.size(); j-- > k;) {
    ++steps_of_checks;
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

// Whether two strong accesses of one location belong to one set whose members are all atomic to each other:
// all accesses of shared memory that only one block can reach or, by scope, all of the device, of a cluster
// or of a block.
bool RaceCheck::are_peers(const AccessEvent& event, const Entry& a, const Entry& b) const {
  if (!a.manner.strong || !b.manner.strong || a.manner.log_bytes != b.manner.log_bytes) return false;
  if (event.shared && !clocks_.clustered()) return true;
  const auto set_of = [&](const Entry& entry) {
    const SyncScope scope = std::min(scope_of(entry.manner), SyncScope::gpu);
    const BlockNumber block = entry.warp.block;
    return std::pair(scope, scope == SyncScope::gpu       ? 0
                            : scope == SyncScope::cluster ? clocks_.first_of_cluster(block)
                                                          : block);
  };
  return set_of(a) == set_of(b);
}

// Updates of one size, or reads of one kind, that are peers: they never conflict with each other, and other
// accesses conflict with all of them alike.
bool RaceCheck::are_equals(const AccessEvent& event, const Entry& a, const Entry& b) const {
  return are_peers(event, a, b) &&
         ((a.manner.update && b.manner.update) || (!a.manner.writes && a.manner == b.manner));
}

template <class IsWitness>
LaneSet RaceCheck::compare_one(const AccessEvent& event, Cell& cell, const std::vector<Entry>& entries,
                               std::size_t k, unsigned lane, const Entry& now, WarpClock& who,
                               std::uint64_t address, const IsWitness& is_witness) {
  ++steps_of_checks;
  const Entry& earlier = entries[k];
  const bool own = earlier.warp == now.warp;
  const bool conflicts = now.manner.writes || earlier.manner.writes;
  // Whether another warp's read is ordered before takes time to determine, and dropping it saves little
  // while there are few entries.
  const bool is_near = own || (earlier.warp.block == now.warp.block && earlier.time < base_);
  const bool stands_for = (conflicts || is_near || entries.size() > many_entries) && replaces(now, earlier);
  const bool clashes =
      conflicts && !is_permitted(earlier, now) &&
      (stands_for || !cell.raced || is_news(kind_of(event, lane, earlier, now), earlier, now));
  if (!clashes && !stands_for) return earlier.lanes;
  const LaneSet others = own ? earlier.lanes & ~bit(lane) : earlier.lanes;
  LaneSet unordered = others == 0 ? 0 : clocks_.unordered(who, lane, earlier.warp, others, earlier.time);
  if (clashes && unordered != 0 && earlier.manner.strong && earlier.manner.writes)
    unordered &= ~seen(entries, k, lane, who);
  if (clashes && unordered != 0) {
    report(event, lane, earlier, first_lane(unordered), now, address);
    const Finding* reported = reported_for(kind_of(event, lane, earlier, now), earlier, now);
    cell.raced |= reported != nullptr && reported->severity == Severity::error;
  }
  return stands_for && !is_witness(earlier, unordered) ? unordered : earlier.lanes;
}

// Reports the entries that conflict with this access, and drops those that it represents from now on.
void RaceCheck::compare(const AccessEvent& event, Cell& cell, Entries& entries, unsigned lane,
                        const Entry& now, WarpClock& who, std::uint64_t address) {
  std::vector<Entry>& all = entries.all;
  std::size_t kept = 0;
  std::uint32_t latest_chain = 0;  // of the kept writes
  // Entries that observed a kept write are kept as well. Chains are numbered in order of creation.
  const auto is_witness = [&](const Entry& earlier, LaneSet unordered) {
    return earlier.observes && (latest_chain == earlier.chain || (earlier.manner.writes && unordered != 0));
  };
  for (std::size_t k = 0; k < all.size(); ++k) {
    Entry& earlier = all[k];
    earlier.lanes = compare_one(event, cell, all, k, lane, now, who, address, is_witness);
    if (earlier.lanes == 0) continue;
    if (earlier.manner.writes) latest_chain = earlier.chain;
    if (kept != k) all[kept] = earlier;
    ++kept;
  }
  if (kept == all.size()) return;
  all.resize(kept);
  entries.index = nullptr;
}

// Like compare(), but only for entries of the access's own warp and, with `with_writes`, for writes. Entries
// whose lanes were all dropped stay in the list until it is shortened.
void RaceCheck::compare_few(const AccessEvent& event, Cell& cell, Entries& entries, unsigned lane,
                            const Entry& now, WarpClock& who, std::uint64_t address, bool with_writes) {
  std::vector<Entry>& all = entries.all;
  if (!entries.index) entries.make_index();
  auto& [of_warp, writes, writes_of_chain] = *entries.index;
  const auto is_gone = [&](std::size_t k) { return all[k].lanes == 0; };
  // As in `compare`: whether a write of the chain that is before the entry is kept.
  const auto is_witness = [&](const Entry& earlier, LaneSet unordered) {
    if (!earlier.observes || (earlier.manner.writes && unordered != 0)) return earlier.observes;
    const auto chain = writes_of_chain.find(earlier.chain);
    if (chain == writes_of_chain.end()) return false;
    std::deque<std::size_t>& kept = chain->second;
    while (!kept.empty() && is_gone(kept.front())) kept.pop_front();
    if (!kept.empty()) return &all[kept.front()] < &earlier;
    writes_of_chain.erase(chain);
    return false;
  };
  const auto compare_with = [&](std::size_t k) {
    if (!is_gone(k)) all[k].lanes = compare_one(event, cell, all, k, lane, now, who, address, is_witness);
  };
  if (with_writes) {
    for (const std::size_t k : writes) compare_with(k);
    std::erase_if(writes, is_gone);
  }
  const auto own = of_warp.find(now.warp);
  if (own == of_warp.end()) return;
  for (const std::size_t k : own->second)
    if (!with_writes || !all[k].manner.writes) compare_with(k);
  std::erase_if(own->second, is_gone);
}

}  // namespace foldproof
