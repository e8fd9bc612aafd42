#include "contracts/guessing/source_launches.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "contracts/cuda_tokens.h"
#include "contracts/expression.h"

namespace foldproof {
namespace {

constexpr std::uint32_t most_threads = 1024;
constexpr std::int64_t most_blocks = INT32_MAX;
constexpr unsigned deepest_constant = 8;  ///< constants that are defined by constants
// In tokens, so that the time is proportional to the length of the source:
constexpr std::size_t longest_part = 256;   ///< of a launch or a definition
constexpr std::size_t longest_path = 4096;  ///< from the beginning of a function to a launch

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
  std::vector<SourceLaunch> of(const LaunchedKernel& kernel, bool shares_name) {
    std::vector<SourceLaunch> launches_of_kernel;
    for (const std::size_t i : words_[kernel.name]) {
      const auto launch = launch_at(i + 1);
      if (!launch) continue;
      const std::optional<bool> is_its_own = shares_name ? launches(*launch, kernel) : true;
      if (is_its_own == false) continue;
      if (!is_its_own || launch->configuration.size() < 2 || depends_on_constants(i)) return {};
      launches_of_kernel.push_back(
          {extents_in(launch->configuration[0], 0), block_of(extents_in(launch->configuration[1], 0))});
    }
    return launches_of_kernel;
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

  /// A block that can be launched.
  static SourceExtents block_of(const SourceExtents& extents) {
    std::uint64_t threads = 1;
    for (const auto extent : extents) threads *= std::min(extent.value_or(1), most_threads + 1);
    return threads > most_threads ? SourceExtents{} : extents;
  }

  /// Extents given as a number, as dim3(x, y, z), or as a constant that is one of these.
  SourceExtents extents_in(Part part, unsigned depth) {
    if (depth > deepest_constant || part.begin >= part.end) return {};
    if (token(part.begin) == "dim3") ++part.begin;
    if (is_bracketed(part)) return extents_of({part.begin + 1, part.end - 1}, depth + 1);
    if (part.end == part.begin + 1 && is_letter(token(part.begin).front()))
      return constant(token(part.begin), depth + 1);
    std::string text;
    Variables values;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const std::string word = without_suffix(token(i));
      if (!is_arithmetic(word)) return {};
      if (is_letter(word.front())) {
        const auto value = number_of(constant(token(i), depth + 1));
        if (!value) return {};
        values[word] = *value;
      }
      text += word + " ";
    }
    try {
      const std::int64_t value = Expression::parse(text, {}).evaluate(values);
      if (value >= 1 && value <= most_blocks) return SourceExtents{static_cast<std::uint32_t>(value), 1, 1};
    } catch (const InputError&) {  // not an expression
    }
    return {};
  }

  static std::optional<std::uint32_t> number_of(const SourceExtents& extents) {
    return extents[1] == 1 && extents[2] == 1 ? extents[0] : std::nullopt;
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

  /// Those of a list of up to three numbers.
  SourceExtents extents_of(Part list, unsigned depth) {
    const std::vector<Part> parts = items(list);
    SourceExtents extents{1, 1, 1};
    if (parts.size() > extents.size()) return {};
    for (std::size_t i = 0; i < parts.size(); ++i) extents.at(i) = number_of(extents_in(parts[i], depth));
    return extents;
  }

  /// What all declarations of the name, in whatever scope, initialize it with; nothing if one of them does
  /// not, or if it is modified.
  SourceExtents constant(std::string_view name, unsigned depth) {
    const auto [known, is_new] = constants_.try_emplace(name, SourceExtents{});  // so that a cycle ends
    if (!is_new) return known->second;
    std::optional<SourceExtents> value;
    for (const std::size_t i : words_[name]) {
      if (is_modified(i)) return {};
      const auto definition = definition_at(i);
      if (!definition && !is_declared(i)) continue;
      const SourceExtents defined = !definition || is_in_parentheses(i) || is_narrow(i)
                                        ? SourceExtents{}
                                        : extents_in(*definition, depth);
      value = value ? common(*value, defined) : defined;
    }
    return constants_[name] = value.value_or(SourceExtents{});
  }

  static SourceExtents common(const SourceExtents& a, SourceExtents b) {
    for (std::size_t i = 0; i < b.size(); ++i)
      if (a.at(i) != b.at(i)) b.at(i).reset();
    return b;
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

  /// Whether the token is in a statement, or a block, that an `if` with a constant condition may skip.
  bool depends_on_constants(std::size_t at) {
    int depth = 0;
    bool is_same_statement = true;
    for (std::size_t k = 0; k < longest_path && at-- > 0; ++k) {
      if (depth == 0 && is_same_statement && token(at) == "if" && is_constant_condition(at + 1)) return true;
      if (depth == 0 && (token(at) == ";" || token(at) == "}")) is_same_statement = false;
      depth -= depth_change(token(at));
      if (depth < 0) {  // what encloses it
        depth = 0;
        is_same_statement = true;
      }
    }
    return false;
  }

  /// "constexpr (...)", or a condition without variables.
  bool is_constant_condition(std::size_t at) {
    if (token(at) == "constexpr") return true;
    int depth = 0;
    for (const std::size_t begin = at; at < tokens_.size() && at < begin + longest_part; ++at) {
      depth += depth_change(token(at));
      if (depth == 0) return true;
      const bool is_word = is_letter(token(at).front());
      if (is_word && token(at) != "sizeof" && !is_type(token(at)) && !number_of(constant(token(at), 0)))
        return false;
    }
    return false;
  }

  /// Whether the word is the operand of an increment or a compound assignment, or a member of it is assigned.
  bool is_modified(std::size_t at) const {
    const auto doubled = [&](std::size_t i, std::string_view sign) {
      return token(i) == sign && token(i + 1) == sign;
    };
    const bool steps = doubled(at + 1, "+") || doubled(at + 1, "-") ||
                       (at >= 2 && (doubled(at - 2, "+") || doubled(at - 2, "-")));
    const bool is_compound =
        std::string_view("+-*/%&|^").find(token(at + 1)) != std::string_view::npos && token(at + 2) == "=";
    const bool shifts = (doubled(at + 1, "<") || doubled(at + 1, ">")) && token(at + 3) == "=";
    const bool sets_member = token(at + 1) == "." && token(at + 3) == "=" && token(at + 4) != "=";
    return steps || is_compound || shifts || sets_member;
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
  std::map<std::string_view, SourceExtents> constants_;
};

}  // namespace

std::vector<std::vector<SourceLaunch>> launches_in(std::string_view source,
                                                   const std::vector<LaunchedKernel>& kernels) {
  std::map<std::string_view, std::size_t> with_name;
  for (const LaunchedKernel& kernel : kernels) ++with_name[kernel.name];
  Launches launches(source);
  std::vector<std::vector<SourceLaunch>> found;
  for (const LaunchedKernel& kernel : kernels)
    found.push_back(launches.of(kernel, with_name[kernel.name] > 1));
  return found;
}

}  // namespace foldproof
