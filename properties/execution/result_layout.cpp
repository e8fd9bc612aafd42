#include "properties/execution/result_layout.h"

#include <algorithm>

namespace foldproof {

ResultLayout result_layout(const Instance& instance, const Variables& variables) {
  const Reduction& reduction = *instance.reduction;
  const auto columns = variables.find("columns");
  const bool rows = reduction.result == ResultShape::rows && columns != variables.end();
  return {reduction.result, rows ? static_cast<std::size_t>(std::max<std::int64_t>(columns->second, 0)) : 0,
          reduction.scan};
}

}  // namespace foldproof
