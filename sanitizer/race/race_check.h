// Data races: two unordered accesses to the same bytes, at least one of them a write.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>

#include "sanitizer/race/access_history.h"
#include "sanitizer/race/clocked.h"

namespace foldproof {

/// Exact for the observed run: two accesses are reported if and only if happens-before (PTX ISA, causality
/// order, causality order) does not order them in this run, they overlap, one of them writes, and they are
/// not both strong operations of the same location and size whose scopes include each other. Two such strong
/// operations by one warp are reported as `unordered-access` if neither of them is an atomic or an access to
/// a flag.
///
/// Of earlier accesses that are ordered among themselves, the latest one that conflicts at least as severely
/// represents the others: a race is reported once, for that one. A strong write, and the strong accesses to
/// its location before it, count as ordered before every access after one that observed the write. Where a
/// race has been reported, only the latest accesses are kept: thousands of threads may race for one location.
///
/// Reads of memory that has not been written yet are not recorded (input is mostly read). If such memory is
/// written later in the same launch, `wants_all_reads` requests another run of the job.
class RaceCheck final : public Clocked<> {
 public:
  void job_begins(bool all_reads) override;
  void launch_begins(const LaunchView& launch) override;
  void block_begins(BlockNumber block) override;
  void block_ends(BlockNumber block) override;
  void accesses(const AccessEvent& event) override;
  bool wants_all_reads() const override { return missed_reads_; }

 private:
  /// Global memory around one allocation: accesses in different windows never overlap.
  struct Window {
    std::unique_ptr<AccessHistory> history;
    bool read = false;  ///< has been read, but the reads were not recorded
  };

  Window& window_of(std::uint64_t number);
  AccessHistory* history_of(const AccessEvent& event, unsigned lane);
  /// Whether accesses before the last barrier of the whole block can be dropped: they are ordered before
  /// every thread that can access its shared memory.
  bool forgets(const AccessEvent& event) const { return event.shared && !clocks_.clustered(); }

  // Rows (race_check.cpp).
  void access_rows(const AccessEvent& event, AccessHistory& history, WarpClock& who);
  bool access_row(const AccessEvent& event, Line& line, const Row& row, WarpClock& who);
  bool row_is_ordered(const Row& earlier, const Row& now, const WarpClock& who);

  // Cells (race_check_cells.cpp).
  void access_words(const AccessEvent& event, Line& line, const Row& row, WarpClock& who,
                    std::uint64_t address);
  /// All lanes access the same bytes.
  void access_place(const AccessEvent& event, AccessHistory& history, LaneSet lanes, WarpClock& who);
  bool read_together(Cell& cell, const Entry& now, const WarpClock& who);
  static void record(const Cell& cell, Entries& entries, const Entry& entry, bool alike);
  void access_cell(const AccessEvent& event, Cell& cell, unsigned lane, const Entry& now, WarpClock& who,
                   std::uint64_t address);
  void divide(const AccessEvent& event, Line& line, bool into_bytes);
  static void undivide(Line& line);
  static void end_chains(Line& line, std::size_t index, const Manner& now);
  void continue_chain(const AccessEvent& event, Chain& chain, Entry& now);
  bool is_permitted(const Entry& earlier, const Entry& now) const;
  bool morally_strong(const Entry& a, const Entry& b) const;
  bool are_equals(const AccessEvent& event, const Entry& a, const Entry& b) const;
  bool are_peers(const AccessEvent& event, const Entry& a, const Entry& b) const;
  LaneSet seen(const std::vector<Entry>& entries, std::size_t k, unsigned lane, WarpClock& who);
  void compare(const AccessEvent& event, Cell& cell, Entries& entries, unsigned lane, const Entry& now,
               WarpClock& who, std::uint64_t address);
  void compare_few(const AccessEvent& event, Cell& cell, Entries& entries, unsigned lane, const Entry& now,
                   WarpClock& who, std::uint64_t address, bool with_writes);
  /// Reports the conflict of entries[k] with this access, if there is one. Returns the entry's lanes that it
  /// does not represent. `is_witness`: returns whether an entry must be kept because it observed a write that
  /// is kept; called with the lanes of the entry that are not ordered before this access.
  template <class IsWitness>
  LaneSet compare_one(const AccessEvent& event, Cell& cell, const std::vector<Entry>& entries, std::size_t k,
                      unsigned lane, const Entry& now, WarpClock& who, std::uint64_t address,
                      const IsWitness& is_witness);

  // Reports of races (race_check_report.cpp).
  Kind kind_of(const AccessEvent& event, unsigned lane, const Entry& earlier, const Entry& now) const;
  bool is_news(Kind kind, const Entry& earlier, const Entry& now) const;
  const Finding* reported_for(Kind kind, const Entry& earlier, const Entry& now) const;
  void report(const AccessEvent& event, unsigned lane, const Entry& earlier, unsigned earlier_lane,
              const Entry& now, std::uint64_t address);

  bool keeps_all_reads_ = false;
  bool missed_reads_ = false;
  // Of the current access:
  Time time_ = 0;  ///< before its own release
  Time base_ = 0;  ///< earlier actions of its block are ordered before all of its threads
  std::unordered_map<BlockNumber, std::unique_ptr<AccessHistory>> shared_;
  std::vector<std::unique_ptr<AccessHistory>> spare_;
  BlockNumber latest_block_ = 0;
  AccessHistory* latest_history_ = nullptr;  ///< of that block
  std::unordered_map<std::uint64_t, Window> global_;
  std::uint64_t latest_number_ = 0;
  Window* latest_window_ = nullptr;  ///< of that number
  std::map<std::tuple<Kind, Site, Site>, std::size_t> reported_;
};

}  // namespace foldproof
