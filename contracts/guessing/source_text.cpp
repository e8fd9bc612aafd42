#include "contracts/guessing/source_text.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "contracts/cuda_tokens.h"

namespace foldproof {

SourceText::SourceText(std::string_view source) : tokens_(tokens_of(source)) {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (is_letter(tokens_[i].front())) words_[tokens_[i]].push_back(i);
    launches_ += are(i, "<") ? 1 : 0;
  }
  find_scopes();
}

/// A brace also closes parentheses that are open.
void SourceText::find_scopes() {
  std::vector<std::size_t> braces{nowhere}, open;
  closing_.assign(size(), nowhere);
  for (std::size_t i = 0; i < size(); ++i) {
    const int change = depth_change(tokens_[i]);
    if (change < 0) {
      const bool is_brace = tokens_[i] == "}";
      while (is_brace && !open.empty() && tokens_[open.back()] != "{") open.pop_back();
      if (!open.empty() && is_brace == (tokens_[open.back()] == "{")) {
        closing_[open.back()] = i;
        open.pop_back();
      }
      if (is_brace && braces.size() > 1) braces.pop_back();
    }
    braces_.push_back(braces.back());
    if (change > 0) open.push_back(i);
    if (tokens_[i] == "{") braces.push_back(i);
  }
}

std::optional<std::size_t> SourceText::brace_around(std::size_t at) const {
  const std::size_t brace = at < size() ? braces_[at] : nowhere;
  return brace == nowhere ? std::nullopt : std::optional(brace);
}

std::size_t SourceText::end_of_template_arguments(std::size_t at) const {
  constexpr std::size_t longest = 64;
  int depth = 0;
  for (std::size_t i = at; i < std::min(at + longest, size()); ++i) {
    const std::string_view word = token(i);
    depth += word == "<" ? 1 : word == ">" ? -1 : 0;
    if (depth == 0) return i == at ? at : i + 1;
    if (!is_word(word.front()) && std::string_view("<>:,*&.").find(word) == std::string_view::npos) break;
  }
  return at;
}

std::optional<LaunchText> SourceText::launch_at(std::size_t at) const {
  LaunchText launch;
  if (token(at) == "<" && !are(at, "<")) {  // template arguments
    launch.template_arguments.begin = at + 1;
    const std::size_t end = std::min(at + longest_part, size());
    while (at < end && !are(at, "<") && token(at) != ";" && token(at) != "{") ++at;
    if (token(at - 1) != ">") return std::nullopt;
    launch.template_arguments.end = at - 1;
  }
  if (!are(at, "<")) return std::nullopt;
  const std::size_t begin = at + 3, end = std::min(begin + longest_part, size());
  int depth = 0;
  for (at = begin; at < end && token(at) != ";"; ++at) {
    if (depth == 0 && are(at, ">")) {
      launch.configuration = items({begin, at});
      const auto close = end_of(at + 3);
      for (const TokenRange& argument : close ? items({at + 4, *close}) : std::vector<TokenRange>{})
        for (const TokenRange& member : members_of(argument)) launch.arguments.push_back(member);
      launch.end = close.value_or(at + 3) + 1;
      return launch;
    }
    depth += depth_change(token(at));
  }
  return std::nullopt;
}

bool SourceText::are(std::size_t at, std::string_view three) const {
  return token(at) == three && token(at + 1) == three && token(at + 2) == three;
}

const std::vector<std::size_t>& SourceText::places_of(std::string_view word) const {
  static const std::vector<std::size_t> no_places;
  const auto found = words_.find(word);
  return found == words_.end() ? no_places : found->second;
}

std::optional<std::size_t> SourceText::end_of(std::size_t at) const {
  const std::size_t close = closing(at);
  return close < size() && close - at < longest_part ? std::optional(close) : std::nullopt;
}

bool SourceText::is_bracketed(TokenRange part) const {
  return part.begin < part.end && part.end <= size() && closing(part.begin) + 1 == part.end;
}

std::vector<TokenRange> SourceText::items(TokenRange list) const {
  std::vector<TokenRange> found;
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

bool SourceText::is_declared(std::size_t at) const {
  constexpr std::string_view others[] = {"return", "case", "else", "goto", "throw", "sizeof"};
  const std::string_view before = at == 0 ? "" : token(at - 1);
  const bool follows_word = !before.empty() && is_letter(before.front());
  return (follows_word && std::ranges::find(others, before) == std::end(others)) || !list_type(at).empty();
}

std::string_view SourceText::list_type(std::size_t at) const {
  if (at == 0 || token(at - 1) != ",") return "";
  int open = 0;
  std::size_t i = at - 1;
  for (std::size_t k = 0; k < longest_part && i > 0; ++k, --i) {
    const std::string_view before = token(i - 1);
    if (before == ";" || before == "{" || before == "}") break;
    open -= depth_change(before);
    if (open < 0) return "";
  }
  while (token(i) == "const" || token(i) == "constexpr" || token(i) == "static") ++i;
  return token(i) == "dim3" || token(i) == "size_t" || is_type(token(i)) ? token(i) : "";
}

bool SourceText::is_narrow(std::size_t at) const {
  constexpr std::string_view wide[] = {"int",  "unsigned", "long",    "size_t",   "auto",
                                       "dim3", "const",    "int32_t", "uint32_t", "constexpr"};
  const std::string_view type = list_type(at).empty() ? token(at - 1) : list_type(at);
  return is_declared(at) && std::ranges::find(wide, type) == std::end(wide);
}

std::optional<TokenRange> SourceText::braced(TokenRange part) const {
  std::size_t open = part.begin;
  while (open < part.end && (is_name(token(open)) || token(open) == ":")) ++open;
  if (open >= part.end || token(open) != "{" || closing(open) + 1 != part.end) return std::nullopt;
  return TokenRange{open + 1, part.end - 1};
}

std::vector<TokenRange> SourceText::members_of(TokenRange argument) const {
  auto list = braced(argument);
  const bool is_name_only = argument.end == argument.begin + 1 && is_name(token(argument.begin));
  const auto declared =
      is_name_only ? declaration_of(token(argument.begin), argument.begin) : std::optional<std::size_t>{};
  if (declared) {  // "Dim d{a, b};" or "Dim d = {a, b};"
    const std::size_t begin = *declared + (token(*declared + 1) == "=" ? 2 : 1);
    if (token(begin) == "{") list = braced({begin, closing(begin) + 1});
    // A list of one number may initialize a number that changes.
    if (list && items(*list).size() < 2) list.reset();
  }
  return list ? items(*list) : std::vector{argument};
}

std::optional<TokenRange> SourceText::definition_at(std::size_t at) const {
  const bool follows_type = (at > 0 && token(at - 1) == "dim3") || list_type(at) == "dim3";
  const bool is_dim3 = follows_type && depth_change(token(at + 1)) == 1;
  if (!is_dim3 && (token(at + 1) != "=" || token(at + 2) == "=")) return std::nullopt;
  const std::size_t begin = at + (is_dim3 ? 1 : 2);
  std::size_t end = begin;
  for (int open = 0; end < std::min(begin + longest_part, tokens_.size()) && token(end) != ";"; ++end) {
    if (token(end) == "," && open == 0) break;
    open += depth_change(token(end));
    if (open < 0) break;
  }
  return TokenRange{begin, end};
}

bool SourceText::is_modified(std::size_t at) const {
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

bool SourceText::is_in_parentheses(std::size_t at) const {
  int open = 0;
  for (std::size_t k = 0;
       k < longest_part && at-- > 0 && token(at) != ";" && token(at) != "{" && token(at) != "}"; ++k) {
    if (token(at) == "(") ++open;
    if (token(at) == ")") --open;
  }
  return open > 0;
}

std::optional<std::size_t> SourceText::declaration_of(std::string_view word, std::size_t at) const {
  constexpr std::size_t most_places = 256;  // so that the time is not their square
  const std::vector<std::size_t>& places = places_of(word);
  std::optional<std::size_t> found;
  if (places.size() > most_places) return found;
  for (const std::size_t place : places) {
    const bool is_visible = place <= at && is_declared(place) && encloses(scope_of_declaration(place), at);
    if (is_visible && (!found || encloses(scope_of_declaration(*found), place))) found = place;
  }
  return found;
}

/// That of a parameter is the body of its function.
std::size_t SourceText::scope_of_declaration(std::size_t at) const {
  if (is_in_parentheses(at))
    for (std::size_t i = at; i < std::min(at + longest_part, size()) && token(i) != ";"; ++i)
      if (token(i) == "{") return i;
  return braces_[at];
}

bool SourceText::encloses(std::size_t brace, std::size_t at) const {
  constexpr unsigned deepest = 256;
  if (brace == nowhere || brace == at) return true;
  std::size_t inner = braces_[at];
  for (unsigned depth = 0; depth < deepest && inner != nowhere; ++depth, inner = braces_[inner])
    if (inner == brace) return true;
  return false;
}

int depth_change(std::string_view token) {
  return token == "(" || token == "[" || token == "{"   ? 1
         : token == ")" || token == "]" || token == "}" ? -1
                                                        : 0;
}

bool is_type(std::string_view word) {
  constexpr std::string_view words[] = {"float", "double", "int",  "unsigned", "long",
                                        "short", "char",   "bool", "true",     "false"};
  return std::ranges::find(words, word) != std::end(words);
}

bool is_name(std::string_view token) { return !token.empty() && is_letter(token.front()); }

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

std::string without_suffix(std::string_view token) {
  std::string text(token);
  if (is_digit(text.front())) text.erase(text.find_last_not_of("uUlL") + 1);
  return text;
}

}  // namespace foldproof
