// The last accesses to one block's shared memory, or to one allocation of global memory.
//
//   A line is 128 bytes, 32 words. An access by consecutive lanes of a warp is one Row: the words that it
//   accessed, and the lane of each. A few rows describe most lines completely. If there are too many rows, or
//   accesses are narrower than a word, the line is divided into cells of 4 bytes or of 1, each with one entry
//   per access.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sanitizer/race/vector_clock.h"

namespace foldproof {

inline constexpr std::uint32_t line_bytes = 128;
inline constexpr std::uint32_t words_per_line = line_bytes / 4;

/// The attributes of an access that determine conflicts.
struct Manner {
  bool writes : 1 = false;
  bool strong : 1 = false;
  bool update : 1 = false;         ///< an atomic read-modify-write
  bool plain : 1 = false;          ///< a load or store that is not used as a flag
  bool unchanged : 1 = false;      ///< wrote the value already in memory
  bool cas_confirmed : 1 = false;  ///< a read that an atomic validates
  std::uint8_t scope : 2 = 0;
  std::uint8_t log_bytes : 3 = 0;  ///< log2 of the unit of atomicity
  bool operator==(const Manner&) const = default;
};

inline Manner manner_of(const AccessEvent& event) {
  return {.writes = event.what != AccessEvent::What::read,
          .strong = event.strong,
          .update = event.what == AccessEvent::What::update,
          .plain = event.is_plain(),
          .cas_confirmed = event.cas_confirmed,
          .scope = static_cast<std::uint8_t>(static_cast<std::uint8_t>(event.scope) & 3U),
          .log_bytes = static_cast<std::uint8_t>(first_lane(event.element_bytes) & 7U)};
}

/// Lanes for which a race would change nothing: an update depends on what it reads, whatever it writes.
inline LaneSet unchanged(const AccessEvent& event) {
  return event.what == AccessEvent::What::write ? event.unchanged : 0;
}

/// Lanes of one warp that accessed a cell at one time.
struct Entry {
  WarpId warp;
  Time time = 0;  ///< 0: none
  Site site = 0;
  LaneSet lanes = 0;
  Manner manner;
  // For strong accesses:
  bool observes = false;    ///< has seen the values of `chain`
  std::uint32_t chain = 0;  ///< the chain to which it belongs as a write, or which it has seen; 0: none
};

/// A strong write and the read-modify-writes that continue it (PTX ISA, observation order).
struct Chain {
  std::uint32_t number = 0;  ///< 0: the last write was weak, or there was none
  std::uint32_t latest = 0;
  BlockNumber block = 0;  ///< of the last write
  Manner manner;          ///< of the last write
};

/// Words of a line accessed by consecutive lanes of a warp.
struct Row {
  WarpId warp;
  Time time = 0;
  Site site = 0;
  std::uint32_t words = 0;  ///< bit mask, the first word is the lowest bit
  LaneSet unchanged = 0;    ///< lanes that wrote the value already in memory
  std::int32_t first = 0;   ///< word w belongs to lane (w + first) >> shift
  std::uint8_t shift = 0;
  Manner manner;

  unsigned lane_of(unsigned word) const {
    return static_cast<unsigned>(static_cast<std::int32_t>(word) + first) >> shift;
  }
  Entry entry_of(unsigned word) const {
    const LaneSet lane = bit(lane_of(word));
    Entry entry{warp, time, site, lane, manner};
    entry.manner.unchanged = (unchanged & lane) != 0;
    return entry;
  }
  /// Whether the two rows assign words to the same lanes of the same warp.
  bool same_lanes(const Row& other) const {
    return warp == other.warp && first == other.first && shift == other.shift;
  }
};

/// The entries of one cell, of weak or of strong accesses.
struct Entries {
  /// Positions in `all`, for many entries.
  struct Index {
    std::map<WarpId, std::vector<std::size_t>> of_warp;
    std::vector<std::size_t> writes;
    std::unordered_map<std::uint32_t, std::deque<std::size_t>> writes_of_chain;
  };
  std::vector<Entry> all;
  std::shared_ptr<Index> index;  ///< null: out of date
  std::size_t shorten_at = 0;    ///< size at which they are shortened

  void clear() {
    all.clear();
    index = nullptr;
    shorten_at = 0;
  }
  void push_back(const Entry& entry);
  void make_index();
  void add_to_index(std::size_t position);
};

/// Strong accesses are kept separately: they rarely conflict with each other.
struct Cell {
  Entries weak, strong;
  bool various = false;  ///< some two strong entries may not be atomic to each other because of size or scope
  bool mixed = false;    ///< the strong ones are not all the same kind of update or of read
  bool raced = false;    ///< an error was reported for two accesses of this cell, or at their two sites
  Chain chain;
};

struct Line {
  static constexpr unsigned max_rows = 4;
  std::array<Row, max_rows> rows;
  std::uint8_t count = 0;   ///< rows in use
  bool divided = false;     ///< divided into cells; there are no rows then
  Time latest = 0;          ///< of the entries in cells
  std::vector<Cell> cells;  ///< one per word, or one per byte

  std::uint32_t cell_bytes() const { return cells.size() == line_bytes ? 1 : 4; }
};

/// Lines by number, created on first use.
class AccessHistory {
 public:
  Line& line(std::uint64_t number) {
    const std::uint64_t page = number / lines_per_page;
    if (page >= pages_.size() || !pages_[page]) make_page(page);
    return (*pages_[page])[number % lines_per_page];
  }

 private:
  static constexpr std::uint64_t lines_per_page = 64;
  using Page = std::array<Line, lines_per_page>;
  void make_page(std::uint64_t page) {
    if (page >= pages_.size()) pages_.resize(page + 1);
    pages_[page] = std::make_unique<Page>();
  }

  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace foldproof
