// Who accessed what last: the shadow of one block's shared memory, or of one allocation of global memory.
//
//   A line is 128 bytes, 32 words. What a warp does with consecutive lanes is one Row: the words that it
//   accessed, and which lane had which. A few rows say all about most lines. Where there would be too many,
//   or accesses are narrower than a word, the line is divided into cells, of 4 bytes or of 1, each with the
//   entries of those that accessed it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sanitizer/race/knowledge.h"

namespace foldproof {

inline constexpr std::uint32_t line_bytes = 128;
inline constexpr std::uint32_t words_per_line = line_bytes / 4;

/// How an access acted, as far as conflicts depend on it.
struct Manner {
  bool writes : 1 = false;
  bool strong : 1 = false;
  bool update : 1 = false;     ///< an atomic read-modify-write
  bool ordering : 1 = false;   ///< acquires, releases, or is polled: a flag's role
  bool unchanged : 1 = false;  ///< wrote what stood there
  bool confirmed : 1 = false;  ///< a read that atomics correct
  std::uint8_t scope : 2 = 0;
  std::uint8_t log_bytes : 3 = 0;  ///< of what is atomic by itself
  bool operator==(const Manner&) const = default;
};

inline Manner manner_of(const AccessEvent& event) {
  return {.writes = event.what != AccessEvent::What::read,
          .strong = event.strong,
          .update = event.what == AccessEvent::What::update,
          .ordering = event.acquires || event.releases || event.polled,
          .confirmed = event.confirmed,
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
  Time time = 0;  ///< 0: nobody
  Site site = 0;
  LaneSet lanes = 0;
  Manner manner;
  // Of strong accesses:
  bool observes = false;    ///< has seen the values of `chain`
  std::uint32_t chain = 0;  ///< which it belongs to as a write, or has seen; 0: none
};

/// A strong write and the read-modify-writes that continue it (PTX ISA 8.9.1: observation order).
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
  std::uint32_t words = 0;  ///< which, the first the lowest bit
  LaneSet unchanged = 0;    ///< lanes that wrote what stood there
  std::int32_t first = 0;   ///< word w belongs to lane (w + first) >> shift
  std::uint8_t shift = 0;
  Manner manner;

  unsigned lane_of(unsigned word) const {
    return static_cast<unsigned>(static_cast<std::int32_t>(word) + first) >> shift;
  }
  /// Whether words of both belong to the same lane in both.
  bool same_lanes(const Row& other) const {
    return warp == other.warp && first == other.first && shift == other.shift;
  }
};

/// The entries of one cell. Accesses that are strong are kept apart: they rarely conflict with each other.
struct Cell {
  std::vector<Entry> weak, strong;
  bool mixed = false;  ///< not all of the strong ones are updates alike, or reads alike
  bool raced = false;  ///< an error was told of places like those of two who accessed it
  Chain chain;
};

struct Line {
  static constexpr unsigned most_rows = 4;
  std::array<Row, most_rows> rows;
  std::uint8_t count = 0;   ///< of rows in use
  bool divided = false;     ///< into cells; then there are no rows
  Time latest = 0;          ///< of the entries in cells
  std::vector<Cell> cells;  ///< one a word, or one a byte

  std::uint32_t cell_bytes() const { return cells.size() == line_bytes ? 1 : 4; }
};

/// Lines by their number, made when first asked for.
class Shadow {
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
