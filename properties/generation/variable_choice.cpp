#include "properties/generation/variable_choice.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <utility>

#include "contracts/sizes.h"

namespace foldproof {
namespace {

constexpr std::int64_t small_count = 300;
constexpr std::int64_t medium_count = 5000;
/// Medium counts have at least as many tiles, unless these are large.
constexpr std::int64_t several_tiles = 3;
constexpr std::int64_t most_rows = 40;
constexpr std::int64_t more_than_threads = 1100;
/// Of a large matrix. The offsets of its last elements exceed 2^15.
constexpr std::int64_t planned_elements = 40'000;
/// Number of partials in cases meant to have more than the last block folds at once.
constexpr std::int64_t most_blocks_to_fold = 129;
/// Maximum number of blocks in a case, so that tiny blocks do not make a large case slow; blocks of one warp
/// still reach the largest count.
constexpr std::int64_t most_tiles = 2080;

/// Lengths of all magnitudes: uniform over the number of bits, then over the numbers with that many bits.
std::int64_t any_length(Chooser& choose, std::int64_t largest) {
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest)));
  const std::int64_t top = std::int64_t{1} << choose.between(0, bits - 1);
  return std::min(largest, choose.between(top, 2 * top - 1));
}

/// Draws the variables: blocks first, since the informative counts lie around multiples of them.
class VariableChoice {
 public:
  VariableChoice(Chooser& choose, const Domain& domain, bool reduces_columns, const Turn& turn,
                 const ValueTurns& turns)
      : choose_(choose),
        domain_(domain),
        turns_(turns),
        reduces_columns_(reduces_columns),
        nudge_(turn.nudge),
        block_(turn.block),
        counts_(turn.counts) {}

  Variables choose() {
    Variables first = draw({{"count", medium_count}});
    if (!first.contains("count")) return first;
    corner_ = counts_ == CountClass::corner;
    return draw({{"count", count(first)}});
  }

 private:
  /// Draws the variables in order; those in `fixed` get the nearest admitted value. A variable is drawn once:
  /// later rounds keep what the domain still admits.
  Variables draw(const Variables& fixed) {
    Variables chosen;
    for (const auto& variable : domain_.variables()) {
      const Bounds range = domain_.bounds(variable, chosen);
      const auto given = fixed.find(variable.first);
      chosen[variable.first] =
          given != fixed.end() ? range.clamp(given->second) : drawn(variable, range, chosen);
    }
    return chosen;
  }

  std::int64_t drawn(const std::pair<std::string, Range>& variable, Bounds range, const Variables& chosen) {
    const std::string& name = variable.first;
    if (name == "grid") {
      const Bounds grid = capped_grid(range, chosen);
      return corner_ ? grid.high : variable_in(choose_, grid);
    }
    const auto known = drawn_.find(name);
    if (known != drawn_.end()) return range.clamp(known->second);
    return drawn_[name] = drawn_anew(name, range, chosen);
  }

  std::int64_t drawn_anew(const std::string& name, Bounds range, const Variables& chosen) {
    if (block_ != Turn::Block::drawn && !chosen.contains("block") && !is_count(name))
      return block_ == Turn::Block::largest ? range.high : range.low;
    if (!is_count(name) && range.high - range.low < few_values) {
      const auto values = static_cast<std::size_t>(range.high - range.low + 1);
      if (values == 1) return range.low;
      return range.low + static_cast<std::int64_t>(value_in_turn(name, values));
    }
    if (name == "block") return block_in(choose_, range);
    if (name == "columns") return columns_in(range, chosen);
    if (name == "rows") return rows_in(range, chosen);
    if (name == "segments") return segments_in(range);
    if (name == "spatial" && reduces_columns_) return spatial_in(range, chosen);
    return variable_in(choose_, range);
  }

  /// Only one variable is spread over the cases that fill a block: two would be in step.
  std::size_t value_in_turn(const std::string& name, std::size_t values) {
    if (spread_.empty()) spread_ = name;
    if (spread_ != name) return turns_.value(name, values);
    fills_block_ = turns_.fills_block(values);
    return turns_.value_with_blocks(name, values);
  }

  /// Occasionally as many as a count may be; and half of the time few, if columns are reduced, so that these
  /// can be long.
  std::int64_t columns_in(Bounds range, const Variables& chosen) {
    if (const std::int64_t results = planned_results(); results != 0)
      return range.clamp(reduces_columns_ ? results : planned_elements / results);
    if (reduces_columns_ && choose_.between(0, 1) == 0)
      return variable_in(choose_, {range.low, range.clamp(few_values)});
    return choose_.between(0, 11) == 0 ? long_row_in(range) : row_in(choose_, range, tile_of(chosen));
  }

  /// As long as a count may be, half as long, so that an index of the second row exceeds 2^15, or any length.
  std::int64_t long_row_in(Bounds range) {
    const auto kind = choose_.between(0, 3);
    return kind == 0 ? range.high / 2 : kind == 1 ? range.high : range.clamp(any_length(choose_, range.high));
  }

  /// How many rows, or columns if these are reduced, a case has whose matrix is large: from few long ones to
  /// more than a block has threads, each in turn, since a kernel may be wrong only if there are many rows
  /// and many columns. 0: any.
  std::int64_t planned_results() const {
    if (counts_ == CountClass::medium) return nudge_ == 0 ? 33 : 0;
    if (counts_ != CountClass::large && counts_ != CountClass::corner) return 0;
    return nudge_ < 0 ? 9 : nudge_ == 0 ? more_than_threads : 257;
  }

  /// A warp or a block works on each segment, whether or not it is empty.
  std::int64_t segments_in(Bounds range) {
    if (choose_.between(0, 15) == 0) return range.high;
    return variable_in(choose_, {range.low, range.clamp(small_count)});
  }

  /// A row usually occupies a block, and some checkers take time for every element: few rows, and only rarely
  /// as many as there may be blocks.
  std::int64_t rows_in(Bounds range, const Variables& chosen) {
    const std::int64_t length = std::max<std::int64_t>(value_of(chosen, "columns").value_or(1), 1);
    const std::int64_t in_time = medium_count / length + 1;
    if (const std::int64_t results = planned_results(); results != 0 && !is_tensor())
      return range.clamp(reduces_columns_ ? planned_elements / results : results);
    if (choose_.between(0, 15) == 0)
      return std::min(capped_grid(range, chosen).high, range.clamp(2 * in_time));
    if (is_tensor()) return variable_in(choose_, {range.low, range.clamp(few_values)});
    if (reduces_columns_)
      return row_in(choose_, {range.low, range.clamp(std::max(most_rows, in_time))}, tile_of(chosen));
    return variable_in(choose_, {range.low, range.clamp(std::min(most_rows, in_time))});
  }

  /// Elements of a channel in an example: as many as there are in a row, or in a large tensor all that
  /// remain.
  std::int64_t spatial_in(Bounds range, const Variables& chosen) {
    const std::int64_t others = std::max<std::int64_t>(
        value_of(chosen, "rows").value_or(1) * value_of(chosen, "columns").value_or(1), 1);
    if (planned_results() != 0) return range.clamp(planned_elements / others);
    return row_in(choose_, {range.low, range.clamp(medium_count / others + 1)}, tile_of(chosen));
  }

  /// Whether the columns are channels, with several elements in each row.
  bool is_tensor() const {
    return reduces_columns_ &&
           std::ranges::find(domain_.variables(), "spatial", &std::pair<std::string, Range>::first) !=
               domain_.variables().end();
  }

  /// Few more blocks than the largest count fills.
  Bounds capped_grid(Bounds range, const Variables& chosen) const {
    const std::int64_t most = std::max<std::int64_t>(8, domain_.largest_count() / tile_of(chosen) + 1);
    return {range.low, std::max(range.low, std::min(range.high, most))};
  }

  std::int64_t count(const Variables& first) {
    const Bounds range = domain_.bounds(*count_variable(), first);
    const std::int64_t tile = tile_of(first);
    // A larger --largest asks for counts that take longer.
    const bool is_usual = domain_.largest_count() <= usual_largest_count;
    const std::int64_t most =
        std::max(range.low, is_usual ? std::min(range.high, tile * most_tiles) : range.high);
    switch (counts_) {
      case CountClass::none: return 0;
      case CountClass::one: return 1;
      case CountClass::warp_edge: return 32 * choose_.between(1, 3) + nudge_;
      case CountClass::tile_edge:
        return std::clamp<std::int64_t>(tile * tiles(tile) + nudge_, 1, std::max<std::int64_t>(most, 1));
      case CountClass::power_edge:
        return std::min(
            most, (std::int64_t{1} << choose_.between(fills_block_ ? exponent_of(tile) : 1, 13)) + nudge_);
      case CountClass::small:
        if (nudge_ == 0) return choose_.between(2, 31);  // a partial warp
        return choose_.between(range.low, std::min(most, small_count));
      case CountClass::medium: {
        const std::int64_t high = std::max(range.low, std::min(most, medium_count));
        return choose_.between(std::clamp(several_tiles * tile, range.low, std::midpoint(range.low, high)),
                               high);
      }
      case CountClass::corner: return most;
      case CountClass::large: break;
    }
    return any_length(choose_, std::max<std::int64_t>(most, 1));
  }

  /// The exponent of the smallest power of two that is not below the tile.
  static std::int64_t exponent_of(std::int64_t tile) {
    const int exponent = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(tile - 1)));
    return std::max(1, exponent);
  }

  /// Few blocks, and occasionally more than a second level of one warp or one block folds at once.
  std::int64_t tiles(std::int64_t tile) {
    const std::int64_t more_than_a_block = std::min(tile + 1, most_blocks_to_fold);
    return choose_.one_of<std::int64_t>({1, 1, 2, 2, 3, 5, 8, 31, 32, 33, more_than_a_block});
  }

  /// Variables that determine how many elements there are, or their arrangement in rows.
  static bool is_count(const std::string& name) {
    return name == "count" || name == "columns" || name == "rows" || name == "segments" || name == "grid";
  }

  const std::pair<std::string, Range>* count_variable() const {
    const auto& variables = domain_.variables();
    return &*std::ranges::find(variables, "count", &std::pair<std::string, Range>::first);
  }

  Chooser& choose_;
  const Domain& domain_;
  const ValueTurns& turns_;
  bool reduces_columns_;
  std::string spread_;        ///< the first variable with few values, but more than one; empty: none yet
  bool fills_block_ = false;  ///< the count must be at least a block
  std::int64_t nudge_;        ///< steps off an edge: -1, 0 or 1
  Turn::Block block_;         ///< also for what determines the block, such as k for 2^k
  CountClass counts_;
  bool corner_ = false;
  Variables drawn_;
};

}  // namespace

Variables chosen_variables(Chooser& choose, const Domain& domain, bool reduces_columns, const Turn& turn,
                           const ValueTurns& turns) {
  return VariableChoice(choose, domain, reduces_columns, turn, turns).choose();
}

}  // namespace foldproof
