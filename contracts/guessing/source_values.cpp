#include "contracts/guessing/source_values.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "contracts/expression.h"
#include "contracts/guessing/guesses.h"

namespace foldproof {
namespace {

constexpr std::int64_t most_blocks = INT32_MAX;
constexpr unsigned deepest_constant = 8;         ///< constants that are defined by constants
constexpr std::size_t longest_expression = 512;  ///< characters

/// Whether the token means the same in C++ and in a contract's expression.
bool is_arithmetic(const std::string& token) {
  if (is_digit(token.front()))  // neither octal nor hexadecimal
    return token == "0" || (token.front() != '0' && std::ranges::all_of(token, is_digit));
  return is_letter(token.front()) || std::string_view("+-*/%()").find(token) != std::string_view::npos;
}

SourceExtents common(const SourceExtents& a, SourceExtents b) {
  for (std::size_t i = 0; i < b.size(); ++i)
    if (a.at(i) != b.at(i)) b.at(i).reset();
  return b;
}

}  // namespace

SourceExtents SourceValues::extents_in(TokenRange part, unsigned depth) {
  if (depth > deepest_constant || part.begin >= part.end) return {};
  if (text_.token(part.begin) == "dim3") ++part.begin;
  if (text_.is_bracketed(part)) return extents_of({part.begin + 1, part.end - 1}, depth + 1);
  if (part.end == part.begin + 1 && is_letter(text_.token(part.begin).front()))
    return constant(part.begin, depth + 1);
  std::string text;
  Variables values;
  for (std::size_t i = part.begin; i < part.end; ++i) {
    const std::string word = without_suffix(text_.token(i));
    if (!is_arithmetic(word)) return {};
    if (is_letter(word.front())) {
      const auto value = number_of(constant(i, depth + 1));
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

SourceExtents SourceValues::extents_of(TokenRange list, unsigned depth) {
  const std::vector<TokenRange> parts = text_.items(list);
  SourceExtents extents{1, 1, 1};
  if (parts.size() > extents.size()) return {};
  for (std::size_t i = 0; i < parts.size(); ++i) extents.at(i) = number_of(extents_in(parts[i], depth));
  return extents;
}

const std::vector<std::size_t>& SourceValues::variable_at(std::size_t at) {
  const std::string_view name = text_.token(at);
  const auto [found, is_new] = variables_.try_emplace(name);
  if (is_new)
    for (const std::size_t place : text_.places_of(name))
      found->second[text_.declaration_of(name, place)].push_back(place);
  return found->second.at(text_.declaration_of(name, at));
}

SourceExtents SourceValues::constant(std::size_t at, unsigned depth) {
  const std::vector<std::size_t>& places = variable_at(at);
  const auto [known, is_new] =
      constants_.try_emplace(places.front(), SourceExtents{});  // so that a cycle ends
  if (!is_new) return known->second;
  std::optional<SourceExtents> value;
  for (const std::size_t i : places) {
    if (text_.is_modified(i)) return {};
    const auto definition = text_.definition_at(i);
    if (!definition && !text_.is_declared(i)) continue;
    const SourceExtents defined = !definition || text_.is_in_parentheses(i) || text_.is_narrow(i)
                                      ? SourceExtents{}
                                      : extents_in(*definition, depth);
    value = value ? common(*value, defined) : defined;
  }
  return constants_[places.front()] = value.value_or(SourceExtents{});
}

std::optional<std::string> SourceValues::expression_in(TokenRange part, unsigned depth) {
  if (depth > deepest_constant || part.begin >= part.end) return std::nullopt;
  if (text_.token(part.begin) == "dim3") ++part.begin;
  if (text_.is_bracketed(part)) {
    const std::vector<TokenRange> extents = text_.items({part.begin + 1, part.end - 1});
    for (std::size_t i = 1; i < extents.size(); ++i)
      if (number_of(extents_in(extents[i], depth + 1)) != 1U) return std::nullopt;
    return expression_in(extents.front(), depth + 1);
  }
  std::string text;
  for (std::size_t i = part.begin; i < part.end && text.size() < longest_expression; ++i) {
    if (i = end_of_cast(i); i >= part.end) break;
    const std::string word = without_suffix(text_.token(i));
    if (!is_letter(word.front())) {
      if (!is_arithmetic(word) && word != ",") return std::nullopt;
      text += word + " ";
      continue;
    }
    if (word == "sizeof") {
      // A type of several words is unknown.
      const bool has_one_word = text_.token(i + 1) == "(" && text_.token(i + 3) == ")";
      const std::uint64_t bytes = has_one_word ? bytes_of_type(text_.token(i + 2)) : 0;
      if (bytes == 0) return std::nullopt;
      text += std::to_string(bytes) + " ";
      i += 3;
      continue;
    }
    if (text_.token(i + 1) == "(" && word != "min" && word != "max") return std::nullopt;
    const auto value = text_.token(i + 1) == "(" ? word : expression_of(i, depth + 1);
    if (!value) return std::nullopt;
    text += *value + " ";
  }
  return text.size() < longest_expression ? std::optional(text) : std::nullopt;
}

/// The value of a constant, how the variable is computed, or its name.
std::optional<std::string> SourceValues::expression_of(std::size_t at, unsigned depth) {
  const std::size_t first = variable_at(at).front();
  const auto [known, is_new] = expressions_.try_emplace(first, std::nullopt);  // so that a cycle ends
  if (!is_new) return known->second;
  return expressions_[first] = computed_expression_of(at, depth);
}

std::optional<std::string> SourceValues::computed_expression_of(std::size_t at, unsigned depth) {
  if (const auto value = number_of(constant(at, depth))) return std::to_string(*value);
  std::optional<std::string> computed;
  unsigned defined = 0;
  for (const std::size_t i : variable_at(at)) {
    if (text_.is_modified(i)) return std::nullopt;
    const auto definition = text_.definition_at(i);
    if (!definition) continue;
    ++defined;
    if (!text_.is_in_parentheses(i) && !text_.is_narrow(i)) computed = expression_in(*definition, depth);
  }
  return defined == 1 && computed ? "(" + *computed + ")" : std::string(text_.token(at));
}

/// The index after "(int)" or "std::" at that index; the index itself if there is no such thing.
std::size_t SourceValues::end_of_cast(std::size_t at) const {
  if (text_.token(at) == "std") return text_.are(at + 1, ":") ? at : at + 3;
  std::size_t end = at + 1;
  while (is_type(text_.token(end)) || text_.token(end) == "size_t") ++end;
  return text_.token(at) == "(" && end > at + 1 && text_.token(end) == ")" ? end + 1 : at;
}

std::optional<std::uint32_t> number_of(const SourceExtents& extents) {
  return extents[1] == 1 && extents[2] == 1 ? extents[0] : std::nullopt;
}

}  // namespace foldproof
