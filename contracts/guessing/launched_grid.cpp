// The grid and the threads that the source launches, in the variables of a guess.
#include <algorithm>
#include <map>
#include <string>

#include "base/text.h"
#include "contracts/guessing/guesses.h"
#include "contracts/placeholders.h"

namespace foldproof {
namespace {

/// The text with each variable replaced by what it stands for.
std::string substituted(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word(text.substr(i, std::max<std::size_t>(end - i, 1)));
    const auto value = values.find(word);
    const std::string& made = value == values.end() ? word : value->second;
    result += value == values.end() || is_identifier(made) ? made : "(" + made + ")";
    i += word.size();
  }
  return result;
}

/// By the name of a variable of the source that a launch passes: the integer that the guess passes instead.
std::map<std::string, std::string> passed_by(const SourceLaunch& launch,
                                             const std::vector<ArgumentContract>& arguments) {
  std::map<std::string, std::string> values;
  for (std::size_t i = 0; i < std::min(launch.arguments.size(), arguments.size()); ++i)
    if (arguments[i].form == ArgumentContract::Form::integer && is_identifier(launch.arguments[i]))
      values.emplace(launch.arguments[i], arguments[i].value.text());
  return values;
}

}  // namespace

std::optional<Expression> launched_grid_in(const Kernel& kernel, std::size_t axis,
                                           const std::vector<ArgumentContract>& arguments) {
  if (const auto blocks = kernel.launched_grid(axis)) return Expression::constant(*blocks);
  std::optional<Expression> common;
  for (const SourceLaunch& launch : kernel.launches) {
    try {
      const auto values = passed_by(launch, arguments);
      const std::string& text = launch.blocks.at(axis);
      const auto is_unknown = [&](const std::string& name) { return !values.contains(name); };
      if (std::ranges::any_of(Expression::parse(text, {}).names(), is_unknown)) return std::nullopt;
      Expression blocks = Expression::parse(substituted(text, values), {});
      if (common && common->text() != blocks.text()) return std::nullopt;
      common = std::move(blocks);
    } catch (const InputError&) {  // empty
      return std::nullopt;
    }
  }
  return common;
}

std::optional<std::string> launched_threads(const SourceLaunch& launch, std::size_t parameter,
                                            const std::string& variable) {
  if (parameter >= launch.arguments.size()) return std::nullopt;
  const std::string& passed = launch.arguments[parameter];
  try {
    const Expression threads = Expression::parse(launch.threads, {});
    constexpr std::int64_t many = 1 << 20, most_of_block = 1024;
    if (threads.names() != std::vector{passed} || threads.evaluate({{passed, many}}) <= most_of_block)
      return std::nullopt;
  } catch (const InputError&) {  // unknown
    return std::nullopt;
  }
  return substituted(launch.threads, {{passed, variable}});
}

}  // namespace foldproof
