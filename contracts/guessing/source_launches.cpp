#include "contracts/guessing/source_launches.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "contracts/cuda_tokens.h"
#include "contracts/expression.h"
#include "contracts/guess.h"
#include "contracts/guessing/source_text.h"
#include "contracts/guessing/source_values.h"

namespace foldproof {
namespace {

constexpr std::uint32_t most_threads = 1024;
// Tokens from the beginning of a function to a launch.
constexpr std::size_t longest_path = 4096;

class Launches {
 public:
  explicit Launches(const SourceText& text) : text_(text), values_(text) {}

  /// `shares_name`: with another kernel or instance.
  std::vector<SourceLaunch> of(const LaunchedKernel& kernel, bool shares_name) {
    std::vector<SourceLaunch> found;
    for (const std::size_t i : text_.places_of(kernel.name)) {
      const auto launch = launch_at(i + 1);
      if (!launch) continue;
      const std::optional<bool> is_its_own = shares_name ? launches(*launch, kernel) : true;
      if (is_its_own == false) continue;
      if (!is_its_own || launch->configuration.size() < 2 || depends_on_constants(i)) return {};
      found.push_back(described(*launch));
    }
    return found;
  }

 private:
  struct Launch {
    TokenRange template_arguments;          ///< without the brackets
    std::vector<TokenRange> configuration;  ///< what is between <<< and >>>
    std::vector<TokenRange> arguments;
  };

  /// Whether the launch is one of that kernel, and not of another with its name; nothing if that is unknown.
  std::optional<bool> launches(const Launch& launch, const LaunchedKernel& kernel) const {
    std::string arguments;
    bool is_spelled_out = launch.template_arguments.begin < launch.template_arguments.end;
    for (std::size_t i = launch.template_arguments.begin; i < launch.template_arguments.end; ++i) {
      arguments += without_suffix(text_.token(i));
      is_spelled_out &= !is_letter(text_.token(i).front()) || is_type(text_.token(i));
    }
    if (!kernel.template_arguments.empty() && arguments == plain(kernel.template_arguments)) return true;
    return is_spelled_out ? std::optional(false) : std::nullopt;
  }

  /// The text of its tokens.
  static std::string plain(std::string_view arguments) {
    std::string text;
    for (const std::string_view token : tokens_of(arguments)) text += without_suffix(token);
    return text;
  }

  /// The launch of a kernel whose name ends before `at`, if one is there.
  std::optional<Launch> launch_at(std::size_t at) const {
    Launch launch;
    if (text_.token(at) == "<" && !text_.are(at, "<")) {  // template arguments
      launch.template_arguments.begin = at + 1;
      const std::size_t end = std::min(at + longest_part, text_.size());
      while (at < end && !text_.are(at, "<") && text_.token(at) != ";" && text_.token(at) != "{") ++at;
      if (text_.token(at - 1) != ">") return std::nullopt;
      launch.template_arguments.end = at - 1;
    }
    if (!text_.are(at, "<")) return std::nullopt;
    const std::size_t begin = at + 3, end = std::min(begin + longest_part, text_.size());
    int depth = 0;
    for (at = begin; at < end && text_.token(at) != ";"; ++at) {
      if (depth == 0 && text_.are(at, ">")) {
        launch.configuration = text_.items({begin, at});
        launch.arguments = arguments_at(at + 3);
        return launch;
      }
      depth += depth_change(text_.token(at));
    }
    return std::nullopt;
  }

  /// The items of the list in parentheses that begins there.
  std::vector<TokenRange> arguments_at(std::size_t begin) const {
    const auto end = text_.end_of(begin);
    return end ? text_.items({begin + 1, *end}) : std::vector<TokenRange>{};
  }

  SourceLaunch described(const Launch& launch) {
    SourceLaunch result;
    result.grid = values_.extents_in(launch.configuration[0]);
    result.block = block_of(values_.extents_in(launch.configuration[1]));
    for (std::size_t axis = 0; axis < result.blocks.size(); ++axis)
      result.blocks.at(axis) = values_.expression_in(launch.configuration[0], axis).value_or("");
    const bool has_one_dimension = result.block[1] == 1U && result.block[2] == 1U;
    if (has_one_dimension || result.block == SourceExtents{})  // the latter may be a variable
      result.threads = values_.expression_in(launch.configuration[1]).value_or("");
    result.is_only_one = text_.launches() == 1;
    result.shared =
        launch.configuration.size() < 3 ? "0" : values_.expression_in(launch.configuration[2]).value_or("");
    for (const TokenRange& argument : launch.arguments) {
      result.arguments.push_back(values_.expression_in(argument).value_or(""));
      result.tested_multiples.push_back(tested_multiple_of(argument));
    }
    // What is also passed to the kernel as a number is not a dim3.
    const std::string& blocks = result.blocks[0];
    if (!blocks.empty() && std::ranges::find(result.arguments, blocks) != result.arguments.end())
      for (const std::size_t axis : {1, 2})
        if (result.blocks.at(axis).empty()) result.blocks.at(axis) = "1";
    return result;
  }

  /// The least common multiple of all k for which the function tests that the variable is a multiple of k:
  /// "if (n % k == 0)", "if (n % k) return" or "assert(n % k == 0)"; 0 if there is none.
  std::int64_t tested_multiple_of(TokenRange argument) const {
    if (argument.end != argument.begin + 1 || !is_letter(text_.token(argument.begin).front())) return 0;
    const std::string_view name = text_.token(argument.begin);
    std::int64_t multiple = 0;
    for (const std::size_t at : text_.places_of(name)) {
      const std::int64_t divisor = tested_divisor(at);
      const bool is_same = text_.declaration_of(name, at) == text_.declaration_of(name, argument.begin);
      if (is_same && divisor > 0 && is_guard(at) && multiple <= INT16_MAX)
        multiple = multiple == 0 ? divisor : std::lcm(multiple, divisor);
    }
    return multiple;
  }

  /// k of "n % k", or of "n & (k - 1)", which begins at that index; 0 if there is nothing like that.
  std::int64_t tested_divisor(std::size_t at) const {
    const std::string_view operation = text_.token(at + 1);
    const std::int64_t number = integer_in<std::uint16_t>(without_suffix(text_.token(at + 2))).value_or(0);
    if (operation == "%") return number;
    return operation == "&" && number > 0 && (number & (number + 1)) == 0 ? number + 1 : 0;
  }

  /// Whether the remainder that begins at that index, perhaps in parentheses, is a condition of what follows,
  /// or one of several.
  bool is_guard(std::size_t at) const {
    if (at < 3) return false;
    std::size_t begin = at, end = at + 3;
    if (text_.token(at - 1) == "(" && text_.token(end) == ")" && !is_condition(at - 1)) --begin, ++end;
    const bool is_compared = text_.token(end + 1) == "=" && text_.token(end + 2) == "0";
    const bool is_equal = is_compared && text_.token(end) == "=";
    if (is_equal || (is_compared && text_.token(end) == "!")) end += 3;
    const auto is_bound = [&](std::size_t i) {
      return text_.token(i) == "|" || text_.token(i) == "&" || text_.token(i) == "(" || text_.token(i) == ")";
    };
    const auto condition = condition_around(begin);
    if (!condition || !is_bound(begin - 1) || !is_bound(end)) return false;
    const auto joins = [&](std::string_view mark) {
      for (std::size_t i = condition->begin; i + 1 < condition->end; ++i)
        if (text_.token(i) == mark && text_.token(i + 1) == mark) return true;
      return false;
    };
    // All conditions hold, or none does if what follows leaves.
    if (is_equal) return !joins("|");
    return text_.token(condition->begin - 2) == "if" && !joins("&") && leaves(condition->end + 1);
  }

  /// Whether the parenthesis at that index begins a condition.
  bool is_condition(std::size_t at) const {
    return text_.token(at - 1) == "if" || text_.token(at - 1) == "assert";
  }

  /// What is between the parentheses of the condition that contains the index.
  std::optional<TokenRange> condition_around(std::size_t at) const {
    int depth = 0;
    for (std::size_t k = 0; k < longest_part && at > 1; ++k) {
      const std::string_view token = text_.token(--at);
      if (token == ";" || token == "{" || token == "}") return std::nullopt;
      depth += token == ")" ? 1 : token == "(" ? -1 : 0;
      if (depth >= 0) continue;
      const auto end = text_.end_of(at);
      if (end && (is_condition(at) || is_expanded_assert(*end + 1))) return TokenRange{at + 1, *end};
      depth = 0;
    }
    return std::nullopt;
  }

  /// Whether what follows a condition is "? void(0) : __assert_fail(…)", as in the preprocessed source.
  bool is_expanded_assert(std::size_t at) const {
    constexpr std::size_t longest = 12;
    if (text_.token(at) != "?") return false;
    for (std::size_t i = at; i < at + longest; ++i)
      if (text_.token(i) == "__assert_fail") return true;
    return false;
  }

  /// Whether the statement, or the block, leaves the function.
  bool leaves(std::size_t at) const {
    constexpr std::string_view words[] = {"return", "throw", "exit", "abort", "terminate"};
    const auto is_left_at = [&](std::size_t i) {
      return std::ranges::find(words, text_.token(i)) != std::end(words);
    };
    const auto leaves_at = [&](std::size_t i) { return is_left_at(text_.token(i) == "std" ? i + 3 : i); };
    if (text_.token(at) != "{") return leaves_at(at);
    int depth = 0;
    for (const std::size_t begin = at; at < text_.size() && at < begin + longest_part; ++at) {
      const std::string_view before = text_.token(at - 1);
      const bool begins_statement = before == "{" || before == "}" || before == ";";
      if (depth == 1 && begins_statement && leaves_at(at)) return true;
      depth += depth_change(text_.token(at));
      if (depth == 0) return false;
    }
    return false;
  }

  /// A block that can be launched.
  static SourceExtents block_of(const SourceExtents& extents) {
    std::uint64_t threads = 1;
    for (const auto extent : extents) threads *= std::min(extent.value_or(1), most_threads + 1);
    return threads > most_threads ? SourceExtents{} : extents;
  }

  /// Whether the token is in a statement, or a block, that an `if` with a constant condition may skip.
  bool depends_on_constants(std::size_t at) {
    int depth = 0;
    bool is_same_statement = true;
    for (std::size_t k = 0; k < longest_path && at-- > 0; ++k) {
      if (depth == 0 && is_same_statement && text_.token(at) == "if" && is_constant_condition(at + 1))
        return true;
      if (depth == 0 && (text_.token(at) == ";" || text_.token(at) == "}")) is_same_statement = false;
      depth -= depth_change(text_.token(at));
      if (depth < 0) {  // what encloses it
        depth = 0;
        is_same_statement = true;
      }
    }
    return false;
  }

  /// "constexpr (...)", or a condition without variables.
  bool is_constant_condition(std::size_t at) {
    if (text_.token(at) != "(") return true;
    const auto end = text_.end_of(at);
    for (; end && at < *end; ++at) {
      const bool is_word = is_letter(text_.token(at).front());
      if (is_word && text_.token(at) != "sizeof" && !is_type(text_.token(at)) &&
          !number_of(values_.constant(at)))
        return false;
    }
    return end.has_value();
  }

  const SourceText& text_;
  SourceValues values_;
};

/// Calls `holds` with values of the variables, small and large ones, until it returns false; whether it never
/// does.
template <typename Holds>
bool always(const std::vector<std::string>& names, const Holds& holds) {
  constexpr std::uint64_t rounds = 128, most = 1 << 24;
  std::uint64_t random = 1;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    Variables variables;
    for (const std::string& name : names) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      variables[name] = static_cast<std::int64_t>(1 + (random >> 33U) % (round % 2 == 0 ? most : 64));
    }
    if (!holds(variables)) return false;
  }
  return true;
}

}  // namespace

std::optional<LaunchedSize> launched_size(const SourceLaunch& launch, std::size_t axis, std::size_t parameter,
                                          std::int64_t value) {
  if (parameter >= launch.arguments.size()) return std::nullopt;
  const std::string& name = launch.arguments[parameter];
  try {
    const Expression blocks = Expression::parse(launch.blocks.at(axis), {}),
                     argument = Expression::parse(name, {});
    const bool is_constant = argument.names().empty();
    const bool is_variable = argument.names() == std::vector{name};
    if ((!is_constant && !is_variable) || blocks.names() != argument.names()) return std::nullopt;
    const Variables variables{{name, value}};
    return LaunchedSize{blocks.evaluate(variables), argument.evaluate(variables), is_constant};
  } catch (const InputError&) {  // unknown
    return std::nullopt;
  }
}

bool passes_multiples(const SourceLaunch& launch, std::size_t parameter, std::int64_t divisor) {
  if (parameter >= launch.arguments.size()) return false;
  const std::int64_t tested = launch.tested_multiples.at(parameter);
  if (tested > 0 && tested % divisor == 0) return true;
  try {
    const Expression argument = Expression::parse(launch.arguments[parameter], {});
    bool is_ever_positive = false;
    const auto is_multiple = [&](const Variables& variables) {
      const std::int64_t value = argument.evaluate(variables);
      is_ever_positive |= value > 0;
      return value % divisor == 0;
    };
    return always(argument.names(), is_multiple) && is_ever_positive;
  } catch (const InputError&) {  // unknown
    return false;
  }
}

bool covers_only_multiples(const SourceLaunch& launch, std::size_t parameter, std::int64_t divisor) {
  constexpr std::int64_t most = 1 << 14;
  if (parameter >= launch.arguments.size()) return false;
  const std::string& size = launch.arguments[parameter];
  try {
    const Expression blocks = Expression::parse(launch.blocks.at(0), {});
    if (blocks.names() != std::vector{size}) return false;
    std::int64_t first = divisor;
    while (first < most && blocks.evaluate({{size, first}}) < 1) first += divisor;
    return first < most && always({size}, [&](const Variables& variables) {
             return blocks.evaluate(variables) == variables.at(size) / first;
           });
  } catch (const InputError&) {  // unknown
    return false;
  }
}

std::int64_t elements_per_launched_thread(const SourceLaunch& launch, std::size_t parameter) {
  if (parameter >= launch.arguments.size() || launch.blocks != std::array<std::string, 3>{"1", "1", "1"})
    return 0;
  try {
    const Expression threads = Expression::parse(launch.threads, {}),
                     elements = Expression::parse(launch.arguments[parameter], {});
    if (threads.names() != elements.names() || threads.names().size() > 1) return 0;
    constexpr std::int64_t large = 1 << 20;
    Variables variables;
    for (const std::string& name : threads.names()) variables[name] = large;
    const std::int64_t launched = threads.evaluate(variables);
    const std::int64_t each = launched < 1 ? 0 : elements.evaluate(variables) / launched;
    return each > 0 && always(threads.names(),
                              [&](const Variables& any) {
                                // A variable may be a multiple; a constant is what it is.
                                const std::int64_t passed = elements.evaluate(any);
                                return threads.evaluate(any) == passed / each &&
                                       (!any.empty() || passed % each == 0);
                              })
               ? each
               : 0;
  } catch (const InputError&) {  // unknown
    return 0;
  }
}

std::vector<std::vector<SourceLaunch>> launches_in(std::string_view source,
                                                   const std::vector<LaunchedKernel>& kernels) {
  std::map<std::string_view, std::size_t> with_name;
  for (const LaunchedKernel& kernel : kernels) ++with_name[kernel.name];
  const SourceText text(source);
  Launches launches(text);
  std::vector<std::vector<SourceLaunch>> found;
  for (const LaunchedKernel& kernel : kernels)
    found.push_back(launches.of(kernel, with_name[kernel.name] > 1));
  return found;
}

}  // namespace foldproof
