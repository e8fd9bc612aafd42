#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "contracts/loading/tables.h"

namespace foldproof {
namespace {

constexpr std::size_t most_combinations = 4096;

struct Axis {
  std::string name;
  std::vector<std::string> values;
};

/// Values of the matrix are inserted into C++ source, so they may only contain the characters of words and
/// numbers.
void check_value(const Text& value) {
  const bool plain =
      std::ranges::all_of(value.value, [](char c) { return is_word(c) || c == '-' || c == ':' || c == ' '; });
  if (!plain || value.value.empty() || value.value.size() > 64)
    throw InputError(
        "a value of the matrix must consist of 1 to 64 letters, digits, spaces, \"_\", \"-\" or \":\"",
        value.where);
}

std::vector<std::string> values_of(const Text& name, const toml::node& node, const std::string& file) {
  const toml::array* array = node.as_array();
  if (array == nullptr || array->empty())
    throw InputError(fmt::format("the placeholder \"{}\" needs a list of at least one value", name.value),
                     name.where);
  if (array->size() > most_combinations)
    throw InputError(fmt::format("the placeholder \"{}\" has {} values; the limit is {}", name.value,
                                 array->size(), most_combinations),
                     name.where);
  std::vector<std::string> values;
  for (const toml::node& item : *array) {
    const auto value = scalar(item, file);
    if (!value)
      throw InputError(fmt::format("a value of \"{}\" must be a string or an integer", name.value),
                       position_of(item, file));
    check_value(*value);
    if (std::ranges::find(values, value->value) != values.end())
      throw InputError(
          fmt::format("\"{}\" occurs twice among the values of \"{}\"", value->value, name.value),
          value->where);
    values.push_back(value->value);
  }
  return values;
}

std::vector<Axis> axes_of(const Table& top) {
  std::vector<Axis> axes;
  std::size_t product = 1;
  for (const auto& [name, node] : top.free_table("types")) {
    if (!is_identifier(name.value))
      throw InputError(
          fmt::format("\"{}\" cannot name a placeholder; use letters, digits and underscores", name.value),
          name.where);
    axes.push_back({name.value, values_of(name, *node, top.file())});
    product *= axes.back().values.size();
    if (product > most_combinations)
      throw InputError(
          fmt::format("the matrix has more than {} combinations; split the contract", most_combinations),
          name.where);
  }
  return axes;
}

std::vector<Bindings> product_of(const std::vector<Axis>& axes) {
  std::vector<Bindings> all(1);
  for (const Axis& axis : axes) {
    std::vector<Bindings> longer;
    for (const Bindings& shorter : all)
      for (const std::string& value : axis.values) {
        longer.push_back(shorter);
        longer.back().push_back({axis.name, value});
      }
    all = std::move(longer);
  }
  return all;
}

/// One row of `exclude`: the excluded values of each placeholder that it names.
using Exclusion = std::vector<Axis>;

Exclusion exclusion_of(const toml::table& row, const std::vector<Axis>& axes, const std::string& file) {
  Exclusion exclusion;
  bool reasoned = false;
  for (const auto& [name, node] : in_file_order(row, file)) {
    if (name.value == "reason") {
      reasoned = node->is_string() && !node->as_string()->get().empty();
      continue;
    }
    const auto axis = std::ranges::find(axes, name.value, &Axis::name);
    if (axis == axes.end())
      throw InputError(fmt::format("an exclusion names \"{}\", which the matrix does not have", name.value),
                       name.where);
    const auto single = scalar(*node, file);
    exclusion.push_back({name.value, single ? std::vector{single->value} : values_of(name, *node, file)});
    for (const std::string& value : exclusion.back().values)
      if (std::ranges::find(axis->values, value) == axis->values.end())
        throw InputError(
            fmt::format("an exclusion names {}={}, which the matrix does not have", name.value, value),
            name.where);
  }
  if (!reasoned) throw InputError("an exclusion requires a \"reason\", one sentence", position_of(row, file));
  if (exclusion.empty())
    throw InputError("an exclusion must name at least one placeholder", position_of(row, file));
  return exclusion;
}

bool excludes(const Exclusion& exclusion, const Bindings& combination) {
  return std::ranges::all_of(exclusion, [&](const Axis& axis) {
    return std::ranges::find(axis.values, *value_of(combination, axis.name)) != axis.values.end();
  });
}

}  // namespace

std::vector<Bindings> combinations(const Table& top) {
  const std::vector<Axis> axes = axes_of(top);
  std::vector<Bindings> all = product_of(axes);
  for (const toml::table* row : top.free_tables("exclude")) {
    const Exclusion exclusion = exclusion_of(*row, axes, top.file());
    if (std::erase_if(all, [&](const Bindings& c) { return excludes(exclusion, c); }) == 0)
      throw InputError("this exclusion excludes nothing beyond earlier ones; remove it",
                       position_of(*row, top.file()));
  }
  if (all.empty())
    throw InputError("the exclusions leave no combination of the matrix", top.where("exclude"));
  return all;
}

}  // namespace foldproof
