#include "oracles/layout.h"

#include <algorithm>

namespace foldproof {

using Gives = OperatorInfo::Gives;

bool has_shape(Operator op, ResultShape shape) {
  const Gives gives = info(op).gives;
  switch (shape) {
    case ResultShape::value: return gives != Gives::elements && gives != Gives::counts;
    case ResultShape::rows: return gives != Gives::counts;
    case ResultShape::partials:
    case ResultShape::scan: return gives == Gives::fold;
    case ResultShape::array: return gives == Gives::elements;
    case ResultShape::bins: return gives == Gives::counts;
  }
  return false;
}

std::size_t outputs_of_part(const ResultLayout& layout, Operator op, std::size_t outputs) {
  if (layout.shape != ResultShape::rows) return outputs;
  return info(op).gives == Gives::elements ? layout.columns : 1;
}

Part part_of(const ResultLayout& layout, Operator op, std::size_t index, std::size_t count) {
  if (layout.shape == ResultShape::scan)
    return {0, std::min(count, index + (layout.scan == ScanKind::inclusive ? 1 : 0))};
  if (layout.shape != ResultShape::rows) return {0, count};
  const std::size_t row = index / std::max<std::size_t>(outputs_of_part(layout, op, 0), 1);
  return {std::min(count, row * layout.columns), std::min(count, (row + 1) * layout.columns)};
}

std::optional<std::size_t> output_count(const ResultLayout& layout, Operator op, std::size_t count) {
  switch (layout.shape) {
    case ResultShape::scan:
    case ResultShape::array: return count;
    case ResultShape::rows:
      if (info(op).gives == Gives::elements) return count;
      return layout.columns == 0 ? std::nullopt : std::optional(count / layout.columns);
    case ResultShape::value:
    case ResultShape::partials:
    case ResultShape::bins: break;
  }
  return std::nullopt;
}

}  // namespace foldproof
