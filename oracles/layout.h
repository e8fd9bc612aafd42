// What an output holds, and of which elements of the input each of its own is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "oracles/operator.h"

namespace foldproof {

/// Whether an element is part of its own prefix.
enum class ScanKind : std::uint8_t { inclusive, exclusive };

/// What the output holds of n elements.
///   value     the reduction of the whole input; where the output has more elements, each is
///   partials  any number of elements; folded exactly they are the reduction
///   rows      the reduction of each row, one after the other
///   scan      for each element the reduction of those before it, with or without itself
///   bins      a histogram
///   array     as many elements as the input has
enum class ResultShape : std::uint8_t { value, partials, rows, scan, bins, array };

/// Whether an operator's results may have that shape.
bool has_shape(Operator op, ResultShape shape);

struct ResultLayout {
  ResultShape shape = ResultShape::value;
  std::size_t columns = 0;  ///< elements of a row, where there are rows
  ScanKind scan = ScanKind::inclusive;
};

/// Elements first up to last of the input.
struct Part {
  std::size_t first = 0, last = 0;
};

/// The elements of which the output's element `index` is made; `count`: how many there are.
Part part_of(const ResultLayout& layout, Operator op, std::size_t index, std::size_t count);

/// How many elements of an output with `outputs` in all are made of the same part.
std::size_t outputs_of_part(const ResultLayout& layout, Operator op, std::size_t outputs);

/// Elements of the output; nothing where that is the kernel's choice. `count`: of the input.
std::optional<std::size_t> output_count(const ResultLayout& layout, Operator op, std::size_t count);

}  // namespace foldproof
