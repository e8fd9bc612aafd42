#include "properties/execution/result_layout.h"

#include <algorithm>

namespace foldproof {

ResultLayout result_layout(const Reduction& reduction, const Variables& variables, const Operands& operands) {
  ResultLayout layout{reduction.result, 0, reduction.scan};
  const auto columns = variables.find("columns");
  const bool has_rows = reduction.result == ResultShape::rows || reduction.result == ResultShape::columns;
  if (has_rows && columns != variables.end())
    layout.columns = static_cast<std::size_t>(std::max<std::int64_t>(columns->second, 0));
  if (reduction.k)
    layout.k = static_cast<std::size_t>(std::max<std::int64_t>(reduction.k->evaluate(variables), 0));
  layout.offsets = operands[Role::offsets];
  return layout;
}

}  // namespace foldproof
