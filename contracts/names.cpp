#include "contracts/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace foldproof {

std::string_view name(Operator op) { return info(op).name; }

std::optional<Operator> operator_named(std::string_view name) { return value_named(operator_names, name); }

std::string possible_results(Operator op) {
  std::vector<std::string> possible;
  for (const auto& [text, shape] : result_names)
    if (has_shape(op, shape)) possible.push_back(fmt::format("\"{}\"", text));
  return fmt::format("{}", fmt::join(possible, " or "));
}

std::vector<std::string> element_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(Element::u64); ++i) names.emplace_back(name(static_cast<Element>(i)));
  return names;
}

}  // namespace foldproof
