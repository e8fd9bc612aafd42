// The words that a distribution is made of: names with or without an argument, such as "uniform" and
// "nan:last".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "properties/distributions.h"

namespace foldproof::inputs {

/// Where a value is planted: in one element, in all of one tile or one row, or everywhere. An edge is the
/// last element of a warp or tile or the first one behind it; which one, and which tile or row, the seed
/// says.
enum class Place : std::uint8_t { first, last, edge, tile, row, all };

/// What stands behind the colon.
struct Argument {
  std::optional<std::int64_t> number;  ///< an index or an exponent
  Place place = Place::first;
};

/// A row of a table, and what its argument says.
struct Word {
  std::size_t row = 0;
  Argument argument;
};

/// `kind`: "distribution" or "transform", for the error. Throws InputError for a name that is in no row, and
/// for an argument that is missing, not wanted or not of the range.
Word read_word(std::string_view kind, std::span<const DistributionInfo> rows, std::string_view text);

}  // namespace foldproof::inputs
