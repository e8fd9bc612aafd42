// Data races: two accesses to the same bytes, at least one of them a write, that nothing orders.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>

#include "sanitizer/race/clocked.h"
#include "sanitizer/race/shadow.h"

namespace foldproof {

/// Exact for the run that it watches: reports two accesses exactly if happens-before (PTX ISA 8.9.6,
/// causality order) does not order them in this run, they overlap, one writes, and they are not both strong
/// operations of equal place and size whose scopes include each other. Strong accesses of one warp in no such
/// role as a flag's are unordered.
///
/// Of earlier accesses one after another, the latest that conflicts as badly stands for the others: a race is
/// told once, with that one. What a strong write did is over for whoever comes after one that observed it,
/// and so are strong accesses before it, of that location. Where a race has been told of, the latest accesses
/// are kept and no others: thousands of threads may race for one place.
///
/// Reads of memory that nobody has written yet are not kept (input is mostly read). Where such memory is
/// written later in the same launch, `wants_all_reads` asks for the job once more.
class RaceCheck final : public Clocked<> {
 public:
  void job_begins(bool all_reads) override;
  void launch_begins(const LaunchView& launch) override;
  void block_begins(BlockNumber block) override;
  void block_ends(BlockNumber block) override;
  void accesses(const AccessEvent& event) override;
  bool wants_all_reads() const override { return missed_reads_; }

 private:
  /// Global memory around one allocation: addresses of different windows never meet.
  struct Window {
    std::unique_ptr<Shadow> shadow;
    bool read = false;  ///< and not kept
  };

  Window& window_of(std::uint64_t number);
  Shadow* shadow_of(const AccessEvent& event, unsigned lane);
  /// What a barrier of the whole block has put behind it is over for all who may come to its shared memory.
  bool forgets(const AccessEvent& event) const { return event.shared && !clocks_.clustered(); }

  // Rows (race_check.cpp).
  void access_rows(const AccessEvent& event, Shadow& shadow, WarpClock& who);
  bool access_row(const AccessEvent& event, Line& line, const Row& row, WarpClock& who);
  bool row_is_ordered(const Row& earlier, const Row& now, const WarpClock& who);

  // Cells (race_check_cells.cpp).
  void access_words(const AccessEvent& event, Line& line, const Row& row, WarpClock& who,
                    std::uint64_t address);
  void access_lane(const AccessEvent& event, Shadow& shadow, unsigned lane, WarpClock& who);
  void access_cell(const AccessEvent& event, Cell& cell, unsigned lane, const Entry& now, WarpClock& who,
                   std::uint64_t address);
  void divide(const AccessEvent& event, Line& line, bool into_bytes);
  static void undivide(Line& line);
  static void end_chains(Line& line, std::size_t index, const Manner& now);
  void continue_chain(const AccessEvent& event, Chain& chain, Entry& now);
  bool is_permitted(const Entry& earlier, const Entry& now) const;
  bool morally_strong(const Entry& a, const Entry& b) const;
  LaneSet seen(const std::vector<Entry>& entries, std::size_t k, unsigned lane, WarpClock& who);
  void compare(const AccessEvent& event, Cell& cell, std::vector<Entry>& entries, unsigned lane,
               const Entry& now, WarpClock& who, std::uint64_t address);

  // Races that are told of (race_check_report.cpp).
  Kind kind_of(const AccessEvent& event, unsigned lane, const Entry& earlier, const Entry& now) const;
  bool is_news(Kind kind, const Entry& earlier, const Entry& now) const;
  const Finding* reported_for(Kind kind, const Entry& earlier, const Entry& now) const;
  void report(const AccessEvent& event, unsigned lane, const Entry& earlier, unsigned earlier_lane,
              const Entry& now, std::uint64_t address);

  bool keeps_all_reads_ = false;
  bool missed_reads_ = false;
  // Of the access that is looked at:
  Time time_ = 0;  ///< before what it releases
  Time base_ = 0;  ///< what its block did before is over for all of its threads
  std::unordered_map<BlockNumber, std::unique_ptr<Shadow>> shared_;
  std::vector<std::unique_ptr<Shadow>> spare_;
  BlockNumber latest_block_ = 0;
  Shadow* latest_shadow_ = nullptr;  ///< of that block
  std::unordered_map<std::uint64_t, Window> global_;
  std::uint64_t latest_number_ = 0;
  Window* latest_window_ = nullptr;  ///< of that number
  std::map<std::tuple<Kind, Site, Site>, std::size_t> reported_;
};

}  // namespace foldproof
