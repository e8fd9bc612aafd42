// The contents of an output, and the elements of the input from which each output element is computed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "oracles/operands.h"
#include "oracles/operator.h"

namespace foldproof {

/// Which elements of the input, or of its row, belong to the result of an element: those before it or, in
/// reverse, those after it; with the element itself, unless the scan is exclusive.
enum class ScanKind : std::uint8_t { inclusive, exclusive, reverse, reverse_exclusive };
constexpr bool is_reverse(ScanKind kind) {
  return kind == ScanKind::reverse || kind == ScanKind::reverse_exclusive;
}

/// The contents of the output for n elements.
///   value     the reduction of the whole input; if the output has several elements, each of them is
///   partials  any number of elements; folded exactly they are the reduction
///   rows      the reduction of each row, in order
///   columns   the reduction of each column, from the first to the last, once or several times; for an
///             operator with a result per element, these, in the order of the elements
///   segments  the reduction of each segment, in order; segments may differ in length
///   scan      for each element the reduction of those that ScanKind says, in order
///   bins      a histogram
///   array     as many elements as the input has
///   row_scans the scan of each row, in order
enum class ResultShape : std::uint8_t {
  value,
  partials,
  rows,
  columns,
  segments,
  scan,
  bins,
  array,
  row_scans
};

constexpr bool is_scan(ResultShape shape) {
  return shape == ResultShape::scan || shape == ResultShape::row_scans;
}

/// Whether the input is a matrix, whose number of columns the layout has.
constexpr bool needs_columns(ResultShape shape) {
  return shape == ResultShape::rows || shape == ResultShape::columns || shape == ResultShape::row_scans;
}

/// Whether an operator's results may have that shape.
bool has_shape(Operator op, ResultShape shape);

struct ResultLayout {
  ResultShape shape = ResultShape::value;
  std::size_t columns = 0;  ///< per row, if there are rows
  ScanKind scan = ScanKind::inclusive;
  std::size_t k = 1;                    ///< outputs per row, for a ranking operator
  std::optional<Operand> offsets = {};  ///< for segments
  /// For columns: the number of consecutive elements that each has in each row, positive. In a tensor (batch,
  /// channel, spatial), channels are such columns.
  std::size_t run = 1;
};

/// The elements of the input from `first` up to, but not including, `last`: the first `run` of every `stride`
/// elements.
struct Part {
  std::size_t first = 0, last = 0, stride = 1, run = 1;

  bool is_contiguous() const { return stride == run; }
  bool holds(std::size_t i) const { return i >= first && i < last && (i - first) % stride < run; }
  std::size_t size() const {
    const std::size_t length = last <= first ? 0 : last - first;
    return length / stride * run + std::min(length % stride, run);
  }
  /// The index in the input of its element `i`.
  std::size_t element(std::size_t i) const { return first + i / run * stride + i % run; }
};

/// Number of parts into which the input is divided, each with its own results.
std::size_t parts_of(const ResultLayout& layout, std::size_t count);

/// The elements from which output element `index` is computed; `count`: number of input elements.
Part part_of(const ResultLayout& layout, Operator op, std::size_t index, std::size_t count);

/// Number of consecutive output elements computed from the same part, for an output of `outputs` elements.
std::size_t outputs_of_part(const ResultLayout& layout, Operator op, std::size_t outputs);

/// Number of output elements; nothing if the kernel chooses it. `count`: number of input elements.
std::optional<std::size_t> output_count(const ResultLayout& layout, Operator op, std::size_t count);

}  // namespace foldproof
