#include "contracts/names.h"

namespace foldproof {

std::string_view name(Operator op) { return info(op).name; }

std::optional<Operator> operator_named(std::string_view name) { return value_named(operator_names, name); }

std::vector<std::string> element_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(Element::u64); ++i) names.emplace_back(name(static_cast<Element>(i)));
  return names;
}

}  // namespace foldproof
