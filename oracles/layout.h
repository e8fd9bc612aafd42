// What an output holds, and of which elements of the input each of its own is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "oracles/operands.h"
#include "oracles/operator.h"

namespace foldproof {

/// Whether an element is part of its own prefix.
enum class ScanKind : std::uint8_t { inclusive, exclusive };

/// What the output holds of n elements.
///   value     the reduction of the whole input; where the output has more elements, each is
///   partials  any number of elements; folded exactly they are the reduction
///   rows      the reduction of each row, one after the other
///   columns   the reduction of each column, from the first to the last, once or several times
///   segments  the reduction of each segment, one after the other; they may differ in length
///   scan      for each element the reduction of those before it, with or without itself
///   bins      a histogram
///   array     as many elements as the input has
enum class ResultShape : std::uint8_t { value, partials, rows, columns, segments, scan, bins, array };

/// Whether an operator's results may have that shape.
bool has_shape(Operator op, ResultShape shape);

struct ResultLayout {
  ResultShape shape = ResultShape::value;
  std::size_t columns = 0;  ///< elements of a row, where there are rows
  ScanKind scan = ScanKind::inclusive;
  std::size_t k = 1;                    ///< outputs a row of an operator that ranks
  std::optional<Operand> offsets = {};  ///< of segments
};

/// Elements first up to last of the input, each so many after the one before.
struct Part {
  std::size_t first = 0, last = 0, stride = 1;

  bool holds(std::size_t i) const { return i >= first && i < last && (i - first) % stride == 0; }
  std::size_t size() const { return last <= first ? 0 : (last - first + stride - 1) / stride; }
};

/// Into how many parts the input is divided, each of which has results of its own.
std::size_t parts_of(const ResultLayout& layout, std::size_t count);

/// The elements of which the output's element `index` is made; `count`: how many there are.
Part part_of(const ResultLayout& layout, Operator op, std::size_t index, std::size_t count);

/// How many elements of an output with `outputs` in all are made of the same part.
std::size_t outputs_of_part(const ResultLayout& layout, Operator op, std::size_t outputs);

/// Elements of the output; nothing where that is the kernel's choice. `count`: of the input.
std::optional<std::size_t> output_count(const ResultLayout& layout, Operator op, std::size_t count);

}  // namespace foldproof
