#include "contracts/placeholders.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/text.h"
#include "contracts/contract.h"

namespace foldproof {
namespace {

std::string in_cpp(const std::string& value) {
  if (const auto element = element_named(value)) return std::string(cuda_name(*element));
  if (const auto op = operator_named(value)) return std::string(info(*op).functor);
  return value;
}

/// f32 for floating-point types of 16 bits and fewer; any other value unchanged.
std::string wide(const std::string& value) {
  const auto element = element_named(value);
  return element && is_float(*element) && width_of(*element) <= 16 ? std::string(name(Element::f32)) : value;
}

/// The unsigned type for a signed integer; otherwise the same as wide.
std::string magnitude(const std::string& value) {
  const auto element = element_named(value);
  if (!element || !is_signed_integer(*element)) return wide(value);
  return "u" + value.substr(1);
}

/// A suffix of a placeholder's name.
struct Suffix {
  std::string_view text;
  std::string (*change)(const std::string& value);
};
constexpr Suffix suffixes[] = {
    {"", [](const std::string& value) { return value; }}, {":wide", wide}, {":magnitude", magnitude}};

/// Removes the suffix from a placeholder's name.
const Suffix& take_suffix(std::string_view& name) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  const auto* found = std::ranges::find(suffixes, name.substr(colon), &Suffix::text);
  if (found == std::end(suffixes)) return suffixes[0];
  name = name.substr(0, colon);
  return *found;
}

using Unknown = std::function<void(std::string_view name, std::size_t offset)>;

std::string replace(std::string_view text, const Bindings& bindings, Place place, const Unknown& unknown) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('{', at);
    const std::size_t close = open == std::string_view::npos ? open : text.find_first_of("{}", open + 1);
    if (close == std::string_view::npos) break;
    std::string_view inside = text.substr(open + 1, close - open - 1);
    const Suffix& suffix = take_suffix(inside);
    if (text[close] == '{' || !is_identifier(inside)) {
      result += text.substr(at, close - at);
      at = close;
      if (text[close] == '}') result += text[at++];
      continue;
    }
    result += text.substr(at, open - at);
    const std::string* bound = value_of(bindings, inside);
    if (bound == nullptr) {
      unknown(inside, open);
      result += text.substr(open, close - open + 1);
    } else {
      const std::string value = suffix.change(*bound);
      result += place == Place::cpp ? in_cpp(value) : value;
    }
    at = close + 1;
  }
  return result + std::string(text.substr(std::min(at, text.size())));
}

}  // namespace

bool is_identifier(std::string_view name) {
  return !name.empty() && name.size() <= 64 && is_letter(name[0]) && std::ranges::all_of(name, is_word);
}

const std::string* value_of(const Bindings& bindings, std::string_view name) {
  const auto found = std::ranges::find(bindings, name, &Binding::name);
  return found == bindings.end() ? nullptr : &found->value;
}

std::string to_text(const Bindings& bindings) {
  std::string text;
  for (const Binding& binding : bindings) {
    if (!text.empty()) text += ',';
    text += binding.name.empty() ? binding.value : binding.name + "=" + binding.value;
  }
  return text;
}

std::string substitute(std::string_view text, const Bindings& bindings, Place place, const Position& where) {
  return replace(text, bindings, place, [&](std::string_view name, std::size_t offset) {
    Position at = where;
    if (at.column != 0) at.column += static_cast<unsigned>(offset);
    std::vector<std::string> known;
    for (const auto& [bound, value] : bindings) known.push_back(bound);
    throw InputError(
        known.empty()
            ? fmt::format("the placeholder {{{}}} has no values, since the contract has no types", name)
            : fmt::format("unknown placeholder {{{}}}{}", name, suggestion(name, known)),
        at);
  });
}

std::string substitute_known(std::string_view text, const Bindings& bindings, Place place) {
  return replace(text, bindings, place, [](std::string_view, std::size_t) {});
}

std::string substitute_sizeof(std::string_view text, const Bindings& bindings) {
  constexpr std::string_view opening = "sizeof(";
  std::string result;
  std::size_t at = 0;
  for (std::size_t found = text.find(opening); found != std::string_view::npos;
       found = text.find(opening, at)) {
    const std::size_t begin = found + opening.size();
    const std::size_t end = std::min(text.find(')', begin), text.size());
    const std::string* bound = value_of(bindings, text.substr(begin, end - begin));
    result += text.substr(at, begin - at);
    result += bound == nullptr ? text.substr(begin, end - begin) : *bound;
    at = end;
  }
  return result + std::string(text.substr(at));
}

std::string substitute_words(std::string_view text, const Bindings& words) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    if (at == begin) ++at;
    const std::string word(text.substr(begin, at - begin));
    const std::string* bound = value_of(words, word);
    result += bound == nullptr ? word : *bound;
  }
  return result;
}

}  // namespace foldproof
