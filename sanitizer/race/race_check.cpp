#include "sanitizer/race/race_check.h"

#include <algorithm>
#include <bit>

namespace foldproof {
namespace {

/// Whether every later access that conflicts with `earlier` also conflicts with the weak access `later`.
bool replaces(const Row& later, const Row& earlier) {
  if ((earlier.words & ~later.words) != 0 || (earlier.manner.writes && !later.manner.writes)) return false;
  if (later.manner.cas_confirmed && !earlier.manner.cas_confirmed) return false;
  if (!earlier.manner.writes || later.unchanged == 0) return true;
  return later.same_lanes(earlier) && (later.unchanged & ~earlier.unchanged) == 0;
}

/// The words of a line that belong to the given lanes, according to `first` and `shift` of the row.
std::uint32_t words_of(LaneSet lanes, const Row& row) {
  if (row.shift == 0) return row.first >= 0 ? lanes >> row.first : lanes << -row.first;
  std::uint32_t words = 0;
  for (unsigned word = 0; word < words_per_line; ++word)
    if (const unsigned lane = row.lane_of(word); lane < lanes_per_warp && contains(lanes, lane))
      words |= bit(word);
  return words;
}

/// Whether it is a weak read of the same bytes by all lanes, not in the shared memory of another block.
bool is_broadcast(const AccessEvent& event) {
  if (event.what != AccessEvent::What::read || event.strong || event.owner) return false;
  const auto some = first_lane(event.lanes);
  for (LaneSet left = event.lanes; left != 0; left &= left - 1)
    if (event.at[first_lane(left)] != event.at[some]) return false;
  return true;
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
  latest_history_ = nullptr;
  global_.clear();
  latest_window_ = nullptr;
  reported_.clear();
}

void RaceCheck::block_begins(BlockNumber block) {
  Clocked::block_begins(block);
  std::unique_ptr<AccessHistory>& history = shared_[block];
  if (spare_.empty()) spare_.push_back(std::make_unique<AccessHistory>());
  history = std::move(spare_.back());
  spare_.pop_back();
}

// A history is reused for the next block without clearing it: all accesses of the previous block are ordered
// before the next one.
void RaceCheck::block_ends(BlockNumber block) {
  Clocked::block_ends(block);
  latest_history_ = nullptr;
  const auto found = shared_.find(block);
  if (!clocks_.clustered()) spare_.push_back(std::move(found->second));
  shared_.erase(found);
}

RaceCheck::Window& RaceCheck::window_of(std::uint64_t number) {
  if (!latest_window_ || latest_number_ != number) latest_window_ = &global_[number];
  latest_number_ = number;
  return *latest_window_;
}

// The history that records a lane's access; null if it need not be recorded.
AccessHistory* RaceCheck::history_of(const AccessEvent& event, unsigned lane) {
  if (event.shared) {
    const BlockNumber block = event.owner ? event.owner[lane] : event.warp.block;
    if (latest_history_ && latest_block_ == block) return latest_history_;
    const auto found = shared_.find(block);
    if (found == shared_.end()) return nullptr;
    latest_block_ = block;
    return latest_history_ = found->second.get();
  }
  Window& window = window_of(event.at[lane] >> global_window_bits);
  if (window.history) return window.history.get();
  if (event.what == AccessEvent::What::read && !keeps_all_reads_) {
    window.read = true;
    return nullptr;
  }
  missed_reads_ |= window.read;
  window.history = std::make_unique<AccessHistory>();
  return window.history.get();
}

void RaceCheck::accesses(const AccessEvent& event) {
  WarpClock& who = clocks_.warp(event.warp);
  time_ = who.time;
  base_ = who.block->base;
  clocks_.accesses(event);  // what an access acquires is ordered before the access (PTX ISA, causality order)
  const auto some = first_lane(event.lanes);
  if (event.consecutive && !event.owner && event.bytes % 4 == 0 && event.at[some] % 4 == 0) {
    if (AccessHistory* history = history_of(event, some)) access_rows(event, *history, who);
  } else if (is_broadcast(event)) {
    if (AccessHistory* history = history_of(event, some)) access_place(event, *history, event.lanes, who);
  } else {
    std::uint64_t window = 0;
    AccessHistory* history = nullptr;
    for (LaneSet left = event.lanes; left != 0; left &= left - 1) {
      const auto lane = first_lane(left);
      const std::uint64_t here = event.owner    ? event.owner[lane]
                                 : event.shared ? 0
                                                : event.at[lane] >> global_window_bits;
      if (left == event.lanes || here != window) history = history_of(event, lane);
      window = here;
      if (history) access_place(event, *history, bit(lane), who);
    }
  }
}

// One row per line that consecutive lanes access.
void RaceCheck::access_rows(const AccessEvent& event, AccessHistory& history, WarpClock& who) {
  const auto low = first_lane(event.lanes);
  const std::uint32_t words = event.bytes / 4;
  constexpr std::uint64_t mask = (std::uint64_t{1} << global_window_bits) - 1;
  // Lane l begins at word base + l · words, counted from the start of the window.
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
    Line& line = history.line(static_cast<std::uint64_t>(number));
    if (!access_row(event, line, row, who))
      access_words(event, line, row, who,
                   (event.at[low] & ~mask) | (static_cast<std::uint64_t>(number) * line_bytes));
  }
}

// Returns whether rows still describe the line completely afterwards.
bool RaceCheck::access_row(const AccessEvent& event, Line& line, const Row& row, WarpClock& who) {
  if (row.manner.strong) return false;  // cells record which of them an access has observed
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
      // The other rows are kept; those removed so far are over or replaced by this access.
      std::copy(line.rows.begin() + k, line.rows.begin() + line.count, line.rows.begin() + kept);
      line.count = static_cast<std::uint8_t>(line.count - (k - kept));
      return false;
    }
    // An access that conflicts with the earlier one also conflicts with this one.
    if (ordered && replaces(row, earlier)) continue;
    if (kept != k) line.rows[kept] = earlier;
    ++kept;
  }
  line.count = static_cast<std::uint8_t>(kept);
  if (kept == Line::max_rows) return false;
  line.rows[line.count++] = row;
  return true;
}

// A quick test of whether each lane's access is ordered after the earlier access to its words. If false, they
// may still be ordered.
bool RaceCheck::row_is_ordered(const Row& earlier, const Row& now, const WarpClock& who) {
  if (earlier.warp.block != now.warp.block) return false;
  if (earlier.time < base_ || earlier.same_lanes(now)) return true;
  return earlier.warp == now.warp && earlier.time < who.uniform;
}

}  // namespace foldproof
