#include "contracts/guessing/source_launches.h"

#include <algorithm>
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

  std::vector<std::uint32_t> blocks(std::string_view kernel) {
    std::set<std::uint32_t> blocks;
    for (const std::size_t i : words_[kernel]) {
      const auto arguments = launch_at(i + 1);
      if (!arguments) continue;
      const auto threads = arguments->size() < 2 ? std::nullopt : threads_in(arguments->at(1), 0);
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

  /// What is between <<< and >>>, if a launch of a kernel whose name ends before `at` is there.
  std::optional<std::vector<Part>> launch_at(std::size_t at) const {
    if (token(at) == "<" && !are(at, "<")) {  // template arguments
      const std::size_t end = std::min(at + longest_part, tokens_.size());
      while (at < end && !are(at, "<") && token(at) != ";" && token(at) != "{") ++at;
      if (token(at - 1) != ">") return std::nullopt;
    }
    if (!are(at, "<")) return std::nullopt;
    const std::size_t begin = at + 3, end = std::min(begin + longest_part, tokens_.size());
    int depth = 0;
    for (at = begin; at < end && token(at) != ";"; ++at) {
      if (depth == 0 && are(at, ">")) return items({begin, at});
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
      std::string word(token(i));
      if (is_digit(word.front())) word.erase(word.find_last_not_of("uUlL") + 1);
      if (is_letter(word.front())) {
        const auto value = constant(token(i), depth + 1);
        if (!value) return std::nullopt;
        values[word] = *value;
      }
      text += word + " ";
    }
    try {
      return Expression::parse(text, {}).evaluate(values);
    } catch (const InputError&) {  // C++ beyond the arithmetic of contracts
      return std::nullopt;
    }
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

  /// The value with which all definitions of the name initialize it; nothing if it is modified.
  std::optional<std::int64_t> constant(std::string_view name, unsigned depth) {
    const auto [known, is_new] = constants_.try_emplace(name, std::nullopt);  // so that a cycle ends
    if (!is_new) return known->second;
    std::optional<std::int64_t> value;
    for (const std::size_t i : words_[name]) {
      if (is_modified(i)) return std::nullopt;
      const auto definition = definition_at(i);
      if (!definition) continue;
      const auto defined = is_in_parentheses(i) ? std::nullopt : threads_in(*definition, depth);
      if (!defined || (value && value != defined)) return std::nullopt;
      value = defined;
    }
    return constants_[name] = value;
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

std::vector<std::uint32_t> launched_blocks(std::string_view source, std::string_view kernel) {
  return Launches(source).blocks(kernel);
}

}  // namespace foldproof
