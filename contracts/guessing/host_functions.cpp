#include "contracts/guessing/host_functions.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace foldproof {

const std::vector<HostFunction>& HostFunctions::named(std::string_view name) {
  constexpr std::size_t most_places = 256;  // so that the time is not their square
  const auto [known, is_new] = found_.try_emplace(name);
  const std::vector<std::size_t>& places = text_.places_of(name);
  if (!is_new || places.size() > most_places) return known->second;
  for (const std::size_t at : places) {
    if (text_.token(at + 1) != "(" || at == 0) continue;
    const std::string_view before = text_.token(at - 1);
    const bool follows_type = is_letter(before.front()) || is_any_of(before, {">", "*", "&"});
    if (!follows_type || is_any_of(before, {"return", "else", "new", "throw", "case"})) continue;
    const std::size_t close = text_.closing(at + 1);
    std::size_t open = close + 1;
    while (is_any_of(text_.token(open), {"const", "noexcept"})) ++open;
    if (text_.token(open) != "{") continue;
    known->second.push_back(
        {{begin_of_declaration(at), at}, {at + 2, close}, {open + 1, text_.closing(open)}});
  }
  return known->second;
}

HostFunction HostFunctions::around(std::size_t at) const {
  constexpr unsigned deepest = 64;
  std::optional<std::size_t> outermost, brace = text_.brace_around(at);
  for (unsigned depth = 0; depth < deepest && brace && !is_container(*brace); ++depth) {
    outermost = brace;
    brace = text_.brace_around(*brace);
  }
  if (!outermost) return {{}, {}, {0, text_.size()}};
  HostFunction function{{}, {}, {*outermost + 1, text_.closing(*outermost)}};
  for (std::size_t i = begin_of_declaration(*outermost) + 1; i < *outermost; ++i) {
    const bool is_attribute =
        is_any_of(text_.token(i - 1), {"__attribute__", "decltype", "noexcept", "operator"});
    if (text_.token(i) != "(" || !is_letter(text_.token(i - 1).front()) || is_attribute) continue;
    function.parameters = {i + 1, text_.closing(i)};
    break;
  }
  return function;
}

/// The index after the previous statement or brace.
std::size_t HostFunctions::begin_of_declaration(std::size_t at) const {
  const std::size_t first = at - std::min(at, longest_part);
  while (at > first && !is_any_of(text_.token(at - 1), {";", "{", "}"})) --at;
  return at;
}

/// Whether the brace is that of a namespace, a class or extern "C".
bool HostFunctions::is_container(std::size_t brace) const {
  bool is_named = false;
  for (std::size_t i = begin_of_declaration(brace); i < brace; ++i) {
    if (text_.token(i) == "(") return false;
    is_named |= is_any_of(text_.token(i), {"namespace", "class", "struct", "union", "extern"});
  }
  return is_named;
}

}  // namespace foldproof
