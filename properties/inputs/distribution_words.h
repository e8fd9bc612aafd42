// The words that describe an input: names with or without an argument, such as "uniform" and "nan:last".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "properties/distributions.h"

namespace foldproof::inputs {

/// Where a value is planted: in one element, in all elements of one tile or one row, or everywhere. An edge
/// is the last element of a warp or tile or the first one after it. The seed selects the edge, tile or row.
enum class Place : std::uint8_t { first, last, edge, tile, row, all };

/// The argument after the colon.
struct Argument {
  std::optional<std::int64_t> number;  ///< an index or an exponent
  Place place = Place::first;
};

/// A row of a table, and its argument.
struct Word {
  std::size_t row = 0;
  Argument argument;
};

/// `kind`: "distribution" or "transform", for the error message. Throws InputError for a name that is in no
/// row, and for an argument that is missing, unexpected or out of range.
Word read_word(std::string_view kind, std::span<const DistributionInfo> rows, std::string_view text);

}  // namespace foldproof::inputs
