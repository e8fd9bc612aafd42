#include "contracts/guessing/source_launches.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "contracts/cuda_tokens.h"
#include "contracts/expression.h"

namespace foldproof {
namespace {

constexpr std::uint32_t most_threads = 1024;
constexpr unsigned deepest_constant = 8;  ///< constants that are defined by constants
constexpr std::size_t longest_part =
    256;  ///< tokens; so that the time is proportional to the length of the source

/// A part of the source: the tokens from `begin` up to, but not including, `end`.
struct Part {
  std::size_t begin = 0, end = 0;
};

class Launches {
 public:
  explicit Launches(std::string_view source) : tokens_(tokens_of(source)) {
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (is_letter(tokens_[i].front())) words_[tokens_[i]].push_back(i);
  }

  /// `shares_name`: with another kernel or instance.
  std::vector<std::uint32_t> blocks(const LaunchedKernel& kernel, bool shares_name) {
    std::set<std::uint32_t> blocks;
    for (const std::size_t i : words_[kernel.name]) {
      const auto launch = launch_at(i + 1);
      if (!launch) continue;
      const std::optional<bool> is_its_own = shares_name ? launches(*launch, kernel) : true;
      if (is_its_own == false) continue;
      const auto threads = is_its_own && launch->configuration.size() > 1
                               ? threads_in(launch->configuration.at(1), 0)
                               : std::nullopt;
      if (!threads || *threads < 1 || *threads > most_threads) return {};
      blocks.insert(static_cast<std::uint32_t>(*threads));
    }
    return {blocks.begin(), blocks.end()};
  }

 private:
  std::string_view token(std::size_t at) const { return at < tokens_.size() ? tokens_[at] : ""; }

  bool are(std::size_t at, std::string_view three) const {
    return token(at) == three && token(at + 1) == three && token(at + 2) == three;
  }

  static int depth_change(std::string_view token) {
    return token == "(" || token == "[" || token == "{"   ? 1
           : token == ")" || token == "]" || token == "}" ? -1
                                                          : 0;
  }

  struct Launch {
    Part template_arguments;          ///< without the brackets
    std::vector<Part> configuration;  ///< what is between <<< and >>>
  };

  /// Whether the launch is one of that kernel, and not of another with its name; nothing if that is unknown.
  std::optional<bool> launches(const Launch& launch, const LaunchedKernel& kernel) const {
    std::string arguments;
    bool is_spelled_out = launch.template_arguments.begin < launch.template_arguments.end;
    for (std::size_t i = launch.template_arguments.begin; i < launch.template_arguments.end; ++i) {
      arguments += without_suffix(token(i));
      is_spelled_out &= !is_letter(token(i).front()) || is_type(token(i));
    }
    if (!kernel.template_arguments.empty() && arguments == plain(kernel.template_arguments)) return true;
    return is_spelled_out ? std::optional(false) : std::nullopt;
  }

  static bool is_type(std::string_view word) {
    constexpr std::string_view words[] = {"float", "double", "int",  "unsigned", "long",
                                          "short", "char",   "bool", "true",     "false"};
    return std::ranges::find(words, word) != std::end(words);
  }

  /// "256" for "256u".
  static std::string without_suffix(std::string_view token) {
    std::string text(token);
    if (is_digit(text.front())) text.erase(text.find_last_not_of("uUlL") + 1);
    return text;
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
    if (token(at) == "<" && !are(at, "<")) {  // template arguments
      launch.template_arguments.begin = at + 1;
      const std::size_t end = std::min(at + longest_part, tokens_.size());
      while (at < end && !are(at, "<") && token(at) != ";" && token(at) != "{") ++at;
      if (token(at - 1) != ">") return std::nullopt;
      launch.template_arguments.end = at - 1;
    }
    if (!are(at, "<")) return std::nullopt;
    const std::size_t begin = at + 3, end = std::min(begin + longest_part, tokens_.size());
    int depth = 0;
    for (at = begin; at < end && token(at) != ";"; ++at) {
      if (depth == 0 && are(at, ">")) {
        launch.configuration = items({begin, at});
        return launch;
      }
      depth += depth_change(token(at));
    }
    return std::nullopt;
  }

  /// The items of a list.
  std::vector<Part> items(Part list) const {
    std::vector<Part> found;
    int depth = 0;
    for (std::size_t i = list.begin; i < list.end; ++i) {
      if (token(i) == "," && depth == 0) {
        found.push_back({list.begin, i});
        list.begin = i + 1;
      }
      depth += depth_change(token(i));
    }
    found.push_back(list);
    return found;
  }

  /// The threads of a block given as a number, as dim3(x, 1, 1), or as a constant that is one of these.
  std::optional<std::int64_t> threads_in(Part part, unsigned depth) {
    if (depth > deepest_constant || part.begin >= part.end) return std::nullopt;
    if (token(part.begin) == "dim3") ++part.begin;
    if (is_bracketed(part)) return threads_of_extents({part.begin + 1, part.end - 1}, depth + 1);
    std::string text;
    Variables values;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const std::string word = without_suffix(token(i));
      if (!is_arithmetic(word)) return std::nullopt;
      if (is_letter(word.front())) {
        const auto value = constant(token(i), depth + 1);
        if (!value) return std::nullopt;
        values[word] = *value;
      }
      text += word + " ";
    }
    try {
      return Expression::parse(text, {}).evaluate(values);
    } catch (const InputError&) {  // not an expression
      return std::nullopt;
    }
  }

  /// Whether the token means the same in C++ and in a contract's expression.
  static bool is_arithmetic(const std::string& token) {
    if (is_digit(token.front()))  // neither octal nor hexadecimal
      return token == "0" || (token.front() != '0' && std::ranges::all_of(token, is_digit));
    return is_letter(token.front()) || std::string_view("+-*/%()").find(token) != std::string_view::npos;
  }

  /// Whether a bracket opens at the beginning of the part and closes at its end.
  bool is_bracketed(Part part) const {
    int depth = 0;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      depth += depth_change(token(i));
      if (depth <= 0) return i > part.begin && i + 1 == part.end;
    }
    return false;
  }

  /// More than one thread along y or z is another kind of block.
  std::optional<std::int64_t> threads_of_extents(Part list, unsigned depth) {
    const std::vector<Part> extents = items(list);
    for (std::size_t i = 1; i < extents.size(); ++i)
      if (threads_in(extents[i], depth) != 1) return std::nullopt;
    return threads_in(extents.front(), depth);
  }

  /// The value with which all declarations of the name, in whatever scope, initialize it; nothing if one of
  /// them does not, or if it is modified.
  std::optional<std::int64_t> constant(std::string_view name, unsigned depth) {
    const auto [known, is_new] = constants_.try_emplace(name, std::nullopt);  // so that a cycle ends
    if (!is_new) return known->second;
    std::optional<std::int64_t> value;
    for (const std::size_t i : words_[name]) {
      if (is_modified(i)) return std::nullopt;
      const auto definition = definition_at(i);
      if (!definition && !is_declared(i)) continue;
      const auto defined =
          !definition || is_in_parentheses(i) || is_narrow(i) ? std::nullopt : threads_in(*definition, depth);
      if (!defined || (value && value != defined)) return std::nullopt;
      value = defined;
    }
    return constants_[name] = value;
  }

  /// Whether a type precedes the word, so that it may be a parameter, a member or a variable without a value.
  bool is_declared(std::size_t at) const {
    constexpr std::string_view others[] = {"return", "case", "else", "goto", "throw", "sizeof"};
    const std::string_view before = at == 0 ? "" : token(at - 1);
    const bool follows_word = !before.empty() && is_letter(before.front());
    return follows_word && std::ranges::find(others, before) == std::end(others);
  }

  /// Whether the type before the word may not hold the value.
  bool is_narrow(std::size_t at) const {
    constexpr std::string_view wide[] = {"int",  "unsigned", "long",    "size_t",   "auto",
                                         "dim3", "const",    "int32_t", "uint32_t", "constexpr"};
    return is_declared(at) && std::ranges::find(wide, token(at - 1)) == std::end(wide);
  }

  /// What the word is initialized with, or assigned: "256" in "threads = 256", "dim3 block(256)" as a whole.
  std::optional<Part> definition_at(std::size_t at) const {
    const bool is_dim3 = at > 0 && token(at - 1) == "dim3" && depth_change(token(at + 1)) == 1;
    if (!is_dim3 && (token(at + 1) != "=" || token(at + 2) == "=")) return std::nullopt;
    const std::size_t begin = at + (is_dim3 ? 1 : 2);
    std::size_t end = begin;
    for (int open = 0; end < std::min(begin + longest_part, tokens_.size()) && token(end) != ";"; ++end) {
      if (token(end) == "," && open == 0) break;
      open += depth_change(token(end));
      if (open < 0) break;
    }
    return Part{begin, end};
  }

  /// Whether the word is the operand of an increment or a compound assignment.
  bool is_modified(std::size_t at) const {
    const auto doubled = [&](std::size_t i, std::string_view sign) {
      return token(i) == sign && token(i + 1) == sign;
    };
    const bool steps = doubled(at + 1, "+") || doubled(at + 1, "-") ||
                       (at >= 2 && (doubled(at - 2, "+") || doubled(at - 2, "-")));
    const bool is_compound =
        std::string_view("+-*/%&|^").find(token(at + 1)) != std::string_view::npos && token(at + 2) == "=";
    const bool shifts = (doubled(at + 1, "<") || doubled(at + 1, ">")) && token(at + 3) == "=";
    return steps || is_compound || shifts;
  }

  /// Whether the statement opened a parenthesis before the token: a parameter, or a loop's variable.
  bool is_in_parentheses(std::size_t at) const {
    int open = 0;
    for (std::size_t k = 0;
         k < longest_part && at-- > 0 && token(at) != ";" && token(at) != "{" && token(at) != "}"; ++k) {
      if (token(at) == "(") ++open;
      if (token(at) == ")") --open;
    }
    return open > 0;
  }

  std::vector<std::string_view> tokens_;
  std::map<std::string_view, std::vector<std::size_t>> words_;  ///< where each word is
  std::map<std::string_view, std::optional<std::int64_t>> constants_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> launched_blocks(std::string_view source,
                                                        const std::vector<LaunchedKernel>& kernels) {
  std::map<std::string_view, std::size_t> with_name;
  for (const LaunchedKernel& kernel : kernels) ++with_name[kernel.name];
  Launches launches(source);
  std::vector<std::vector<std::uint32_t>> blocks;
  for (const LaunchedKernel& kernel : kernels)
    blocks.push_back(launches.blocks(kernel, with_name[kernel.name] > 1));
  return blocks;
}

}  // namespace foldproof
