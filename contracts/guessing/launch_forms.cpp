#include "contracts/guessing/launch_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/error.h"
#include "contracts/expression.h"
#include "contracts/guessing/launch_pairs.h"
#include "contracts/placeholders.h"

namespace foldproof {
namespace {

constexpr std::size_t fewest_calls = 16;

/// Of the calls with elements, from few to many; nothing unless both numbers are known in all calls.
template <typename Number>
std::vector<Pair> sorted_pairs(const SourceLaunch& launch, std::size_t parameter, const Number& number_of) {
  constexpr std::int64_t most = INT64_MAX / 4;
  std::vector<Pair> found = pairs(launch, parameter, number_of);
  std::erase_if(found, [](const Pair& pair) { return pair.first <= 0 || pair.first >= most; });
  std::ranges::sort(found);
  return found;
}

template <typename Number>
std::optional<std::int64_t> constant_in(const SourceLaunch& launch, const Number& number_of) {
  if (launch.calls.size() < fewest_calls) return std::nullopt;
  const std::optional<std::int64_t> first = number_of(launch.calls.front());
  const auto differs = [&](const HostCall& call) { return number_of(call) != first; };
  return std::ranges::none_of(launch.calls, differs) ? first : std::nullopt;
}

bool agrees(const std::string& text, const std::string& variable, const std::vector<Pair>& calls) {
  const Expression expression = Expression::parse(text, {});
  return std::ranges::all_of(calls, [&](const Pair& call) {
    try {
      return expression.evaluate({{variable, call.first}}) == call.second;
    } catch (const InputError&) {  // undefined
      return false;
    }
  });
}

/// Expressions that have the number of that call: a multiple, a part, rounded up or down.
void add_parts(const Pair& call, const std::string& variable, std::vector<std::string>& forms) {
  constexpr std::int64_t most_divisors = 16;
  const auto [value, number] = call;
  if (number < 2) return;
  if (value % number == 0 || number % value == 0)
    forms.push_back(number / value > 1 ? fmt::format("{} * {}", variable, number / value) : variable);
  const std::int64_t fewest = (value + number - 1) / number, most = (value - 1) / (number - 1);
  for (std::int64_t each = fewest; each <= std::min(most, fewest + most_divisors); ++each)
    forms.push_back(fmt::format("ceil_div({}, {})", variable, each));
  const std::int64_t largest = value / number;
  for (std::int64_t each = largest;
       each > std::max<std::int64_t>(value / (number + 1), largest - most_divisors); --each)
    forms.push_back(fmt::format("{} / {}", variable, each));
}

std::optional<std::string> form_of(const std::string& variable, const std::vector<Pair>& calls) {
  constexpr std::size_t fewest_numbers = 4;
  std::set<std::int64_t> numbers;
  for (const Pair& call : calls) numbers.insert(call.second);
  if (calls.size() < fewest_calls || numbers.size() < fewest_numbers) return std::nullopt;
  const std::int64_t least = *numbers.begin(), most = *numbers.rbegin();
  std::vector<std::string> forms;
  add_parts(calls.back(), variable, forms);
  const auto capped = std::ranges::find(calls, most, &Pair::second);
  if (capped != calls.begin()) add_parts(*std::prev(capped), variable, forms);
  for (const char* rest : {"", " / 2", " / 4", " * 2"})
    forms.push_back(fmt::format("2 ^ log2_ceil({}){}", variable, rest));
  for (const std::string& form : forms)
    for (const std::string& limited :
         {form, fmt::format("min({}, {})", form, most), fmt::format("max({}, {})", form, least),
          fmt::format("max(min({}, {}), {})", form, most, least)})
      if (agrees(limited, variable, calls)) return limited;
  return std::nullopt;
}

/// The extents, if some are unknown, but all are the same in all calls.
template <typename Extent>
void set_constants(SourceExtents& extents, const SourceLaunch& launch, const Extent& extent_of) {
  if (std::ranges::all_of(extents, &std::optional<std::uint32_t>::has_value)) return;
  SourceExtents found;
  for (std::size_t axis = 0; axis < found.size(); ++axis) {
    const auto constant = constant_in(launch, [&](const HostCall& call) { return extent_of(call, axis); });
    if (!constant || *constant > INT32_MAX) return;
    found.at(axis) = static_cast<std::uint32_t>(*constant);
  }
  extents = found;
}

/// The number as an expression in some variable, or as a constant; empty if it is neither.
template <typename Number>
std::string text_of(const SourceLaunch& launch, const Number& number_of) {
  if (const auto constant = constant_in(launch, number_of)) return std::to_string(*constant);
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    if (!is_identifier(launch.arguments[k])) continue;
    if (const auto form = form_of(launch.arguments[k], sorted_pairs(launch, k, number_of))) return *form;
  }
  return "";
}

}  // namespace

void complete_by_calls(SourceLaunch& launch) {
  const auto blocks = [](const HostCall& call, std::size_t axis) { return call.grid.at(axis); };
  set_constants(launch.grid, launch, blocks);
  set_constants(launch.block, launch,
                [](const HostCall& call, std::size_t axis) { return call.block.at(axis); });
  for (std::size_t axis = launch.blocks.size(); axis-- > 0 && launch.blocks[0].empty();)
    if (launch.blocks.at(axis).empty())
      launch.blocks.at(axis) = text_of(launch, [&](const HostCall& call) { return blocks(call, axis); });
  const auto is_flat = [](const HostCall& call) { return call.block[1] == 1 && call.block[2] == 1; };
  if (launch.threads.empty() && std::ranges::all_of(launch.calls, is_flat))
    launch.threads = text_of(launch, [](const HostCall& call) { return call.block[0]; });
}

}  // namespace foldproof
