#include "oracles/layout.h"

#include <algorithm>

namespace foldproof {

using Gives = OperatorInfo::Gives;

bool has_shape(Operator op, ResultShape shape) {
  const Gives gives = info(op).gives;
  const bool one_each =
      gives == Gives::fold || gives == Gives::index || gives == Gives::number || gives == Gives::tally;
  switch (shape) {
    case ResultShape::value: return one_each;
    case ResultShape::rows: return gives != Gives::counts;
    case ResultShape::columns: return (one_each || gives == Gives::elements) && op != Operator::cross_entropy;
    case ResultShape::segments: return one_each && op != Operator::cross_entropy;  // a target is a column
    case ResultShape::partials: return gives == Gives::fold || adds_pairs(op) || op == Operator::formula;
    case ResultShape::scan:
    case ResultShape::row_scans: return gives == Gives::fold && !transforms_elements(op);
    case ResultShape::array: return gives == Gives::elements;
    case ResultShape::bins: return gives == Gives::counts;
  }
  return false;
}

std::size_t parts_of(const ResultLayout& layout, std::size_t count) {
  switch (layout.shape) {
    case ResultShape::rows:
    case ResultShape::row_scans: return layout.columns == 0 ? 1 : count / layout.columns;
    case ResultShape::columns: return layout.columns;
    case ResultShape::segments: return std::max<std::size_t>(layout.offsets->size(), 1) - 1;
    default: return 1;
  }
}

std::size_t outputs_of_part(const ResultLayout& layout, Operator op, std::size_t outputs) {
  if (layout.shape == ResultShape::columns) return info(op).gives == Gives::elements ? layout.run : 1;
  if (layout.shape == ResultShape::segments) return 1;
  if (layout.shape != ResultShape::rows) return outputs;
  switch (info(op).gives) {
    case Gives::elements: return layout.columns;
    case Gives::ranked: return layout.k;
    default: return 1;
  }
}

namespace {

/// The part of a row from which its element `index` of the input is scanned.
Part scanned(ScanKind kind, Part row, std::size_t index) {
  const std::size_t here = std::min(index, row.last), next = std::min(index + 1, row.last);
  switch (kind) {
    case ScanKind::inclusive: return {row.first, next};
    case ScanKind::exclusive: return {row.first, here};
    case ScanKind::reverse: return {here, row.last};
    case ScanKind::reverse_exclusive: return {next, row.last};
  }
  return row;
}

}  // namespace

Part part_of(const ResultLayout& layout, Operator op, std::size_t index, std::size_t count) {
  switch (layout.shape) {
    case ResultShape::scan: return scanned(layout.scan, {0, count}, index);
    case ResultShape::row_scans: {
      const std::size_t first = index - index % std::max<std::size_t>(layout.columns, 1);
      return scanned(layout.scan, {first, std::min(count, first + layout.columns)}, index);
    }
    case ResultShape::segments:
      return {static_cast<std::size_t>(layout.offsets->bits(index)),
              static_cast<std::size_t>(layout.offsets->bits(index + 1))};
    case ResultShape::rows: {
      const std::size_t row = index / std::max<std::size_t>(outputs_of_part(layout, op, 0), 1);
      return {std::min(count, row * layout.columns), std::min(count, (row + 1) * layout.columns)};
    }
    case ResultShape::columns: {
      const std::size_t columns = std::max<std::size_t>(layout.columns, 1), run = layout.run;
      const std::size_t column = index / outputs_of_part(layout, op, 0) % columns;
      return {std::min(count, column * run), count, columns * run, run};
    }
    default: return {0, count};
  }
}

std::optional<std::size_t> output_count(const ResultLayout& layout, Operator op, std::size_t count) {
  switch (layout.shape) {
    case ResultShape::scan:
    case ResultShape::row_scans:
    case ResultShape::array: return count;
    case ResultShape::rows:
      if (info(op).gives == Gives::elements) return count;
      return layout.columns == 0 ? std::nullopt
                                 : std::optional(count / layout.columns * outputs_of_part(layout, op, 0));
    case ResultShape::segments: return parts_of(layout, count);
    case ResultShape::columns:
      if (info(op).gives == Gives::elements) return count;
      return std::nullopt;
    case ResultShape::value:
    case ResultShape::partials:
    case ResultShape::bins: break;
  }
  return std::nullopt;
}

}  // namespace foldproof
