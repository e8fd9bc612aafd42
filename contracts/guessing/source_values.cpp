#include "contracts/guessing/source_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
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
  const auto text = expression_in(part, 0, depth + 1);
  if (!text) return {};
  try {
    const Expression expression = Expression::parse(*text, {});
    const std::int64_t value = expression.names().empty() ? expression.evaluate({}) : 0;
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

std::optional<std::string> SourceValues::expression_in(TokenRange part, std::size_t axis, unsigned depth) {
  if (depth > deepest_constant || part.begin >= part.end) return std::nullopt;
  if (text_.token(part.begin) == "dim3") ++part.begin;
  if (text_.is_bracketed(part)) {
    const std::vector<TokenRange> extents = text_.items({part.begin + 1, part.end - 1});
    if (axis >= extents.size()) return "1";
    return expression_in(extents[axis], 0, depth + 1);
  }
  if (part.end == part.begin + 1 && is_letter(text_.token(part.begin).front()))
    return expression_of(part.begin, axis, depth + 1);
  if (axis > 0) return "1";
  std::string text;
  for (std::size_t i = part.begin; i < part.end && text.size() < longest_expression; ++i) {
    if (i = end_of_cast(i); i >= part.end) break;
    const std::string word = without_suffix(text_.token(i));
    const bool is_on_bits = word == "<" || word == ">" || word == "&";
    if (!is_letter(word.front()) && !is_on_bits) {
      if (!is_arithmetic(word) && word != ",") return std::nullopt;
      text += word + " ";
      continue;
    }
    const auto value = is_on_bits ? bits_in(i, part.end, text) : word_in(i, depth);
    if (!value) return std::nullopt;
    text += *value + " ";
  }
  return text.size() < longest_expression ? std::optional(std::string(trimmed(text))) : std::nullopt;
}

/// The value of a word, or of "block.x"; `at` becomes its last token.
std::optional<std::string> SourceValues::word_in(std::size_t& at, unsigned depth) {
  const std::string word = without_suffix(text_.token(at));
  if (word == "sizeof") {
    // A type of several words is unknown.
    const bool has_one_word = text_.token(at + 1) == "(" && text_.token(at + 3) == ")";
    const std::uint64_t bytes = has_one_word ? bytes_of_type(text_.token(at + 2)) : 0;
    if (bytes == 0) return std::nullopt;
    at += 3;
    return std::to_string(bytes);
  }
  const std::string_view member = text_.token(at + 1) == "." ? text_.token(at + 2) : "";
  if (member.size() == 1 && axis_names.find(member) != std::string_view::npos) {  // of a dim3
    const auto extent = expression_of(at, axis_names.find(member), depth + 1);
    at += 2;
    return extent != word ? extent : std::nullopt;
  }
  if (text_.token(at + 1) != "(") return expression_of(at, 0, depth + 1);
  return word == "min" || word == "max" ? std::optional(word) : std::nullopt;
}

/// "/ 2 ^ 3" for ">> 3", and "/ 8 * 8" for "& ~7"; `at` becomes the last token. In C++, these come after
/// additions, so they must have a simple operand on both sides.
std::optional<std::string> SourceValues::bits_in(std::size_t& at, std::size_t end,
                                                 std::string_view before) const {
  int depth = 0;
  for (std::size_t i = before.size(); i-- > 0 && depth >= 0;) {
    depth -= depth_change(before.substr(i, 1));
    if (depth == 0 && std::string_view("+-*/%,").find(before[i]) != std::string_view::npos)
      return std::nullopt;
  }
  const bool is_mask = text_.token(at) == "&";
  const std::string number = without_suffix(text_.token(at + 2));
  const bool ends = at + 3 == end || text_.token(at + 3) == ")" || text_.token(at + 3) == ",";
  if (text_.token(at + 1) != (is_mask ? "~" : text_.token(at)) || number.empty() ||
      !is_digit(number.front()) || !is_arithmetic(number) || !ends)
    return std::nullopt;
  const char* const operation = text_.token(at) == "<" ? "*" : "/";
  at += 2;
  if (!is_mask) return operation + (" 2 ^ " + number);
  const auto mask = integer_in<std::uint32_t>(number);
  if (!mask || !std::has_single_bit(std::uint64_t{*mask} + 1)) return std::nullopt;
  return fmt::format("/ {0} * {0}", std::uint64_t{*mask} + 1);
}

/// The value of a constant, how the variable is computed, or its name.
std::optional<std::string> SourceValues::expression_of(std::size_t at, std::size_t axis, unsigned depth) {
  const std::pair key(variable_at(at).front(), axis);
  const auto [known, is_new] = expressions_.try_emplace(key, std::nullopt);  // so that a cycle ends
  if (!is_new) return known->second;
  return expressions_[key] = computed_expression_of(at, axis, depth);
}

/// A parameter has its value from callers, even if it has a default argument. What is defined otherwise, but
/// not as an expression, may have any value.
std::optional<std::string> SourceValues::computed_expression_of(std::size_t at, std::size_t axis,
                                                                unsigned depth) {
  if (const auto extent = constant(at, depth).at(axis)) return std::to_string(*extent);
  std::optional<std::string> computed;
  unsigned defined = 0;
  for (const std::size_t i : variable_at(at)) {
    if (text_.is_modified(i)) return std::nullopt;
    const auto definition = text_.definition_at(i);
    if (!definition || text_.is_in_parentheses(i)) continue;
    ++defined;
    if (!text_.is_narrow(i)) computed = expression_in(*definition, axis, depth);
  }
  if (defined == 0) return axis == 0 ? std::optional(std::string(text_.token(at))) : std::nullopt;
  return defined == 1 && computed ? std::optional("(" + *computed + ")") : std::nullopt;
}

/// The index after "(int)", "static_cast<int>" or "std::" at that index; the index itself if there is no such
/// thing.
std::size_t SourceValues::end_of_cast(std::size_t at) const {
  if (text_.token(at) == "std") return text_.are(at + 1, ":") ? at : at + 3;
  const bool is_named = text_.token(at) == "static_cast" && text_.token(at + 1) == "<";
  if (!is_named && text_.token(at) != "(") return at;
  const std::size_t begin = is_named ? at + 2 : at + 1;
  std::size_t end = begin;
  while (is_type(text_.token(end)) || text_.token(end) == "size_t") ++end;
  return end > begin && text_.token(end) == (is_named ? ">" : ")") ? end + 1 : at;
}

std::optional<std::uint32_t> number_of(const SourceExtents& extents) {
  return extents[1] == 1 && extents[2] == 1 ? extents[0] : std::nullopt;
}

}  // namespace foldproof
