#include "contracts/loading/tables.h"

#include <algorithm>

#include "base/text.h"
#include "contracts/placeholders.h"

namespace foldproof {

bool Scope::knows(std::string_view variable) const {
  return std::ranges::find(variables_, variable) != variables_.end();
}

std::string Scope::add_buffer(const Text& raw) {
  const Text name = text(raw);
  const bool taken = std::ranges::find(buffers_, name.value) != buffers_.end() || knows(name.value);
  if (!is_identifier(name.value) || taken)
    throw InputError(taken ? fmt::format("the name \"{}\" is already used", name.value)
                           : fmt::format("\"{}\" cannot name a buffer", name.value),
                     name.where);
  buffers_.push_back(name.value);
  return name.value;
}

void Scope::add_launch(const LaunchContract& launch) {
  const std::string name = fmt::format("launch{}", earlier_launches_.size() / 2 + 1);
  const auto volume = [](const std::array<Expression, 3>& extents) {
    return fmt::format("(({}) * ({}) * ({}))", extents[0].text(), extents[1].text(), extents[2].text());
  };
  earlier_launches_.push_back({name + "_grid", volume(launch.grid)});
  earlier_launches_.push_back({name + "_block", volume(launch.block)});
}

Text Scope::text(const Text& raw) const {
  return {substitute(raw.value, bindings_, Place::contract, raw.where), raw.where};
}

std::string Scope::cpp(const Text& raw) const {
  return substitute(raw.value, bindings_, Place::cpp, raw.where);
}

Element Scope::element(const Text& raw) const {
  const Text type = text(raw);
  if (const auto element = element_named(type.value)) return *element;
  throw InputError(fmt::format("unknown type \"{}\"{}", type.value, suggestion(type.value, element_names())),
                   type.where);
}

Expression Scope::expression(const Text& raw) const {
  const Text spelled = text(raw);
  Expression parsed = Expression::parse(resolved(spelled.value), spelled.where);
  check_names(parsed, spelled);
  return parsed;
}

Range Scope::range(const Text& raw) const {
  const Text spelled = text(raw);
  Range parsed = Range::parse(substitute_sizeof(spelled.value, bindings_), spelled.where);
  check_names(parsed.low, spelled);
  check_names(parsed.high, spelled);
  if (!parsed.low.names().empty() || !parsed.high.names().empty()) return parsed;
  if (parsed.low.evaluate({}) > parsed.high.evaluate({}))
    throw InputError(fmt::format("the range \"{}\" is empty", spelled.value), spelled.where);
  return parsed;
}

ArgumentContract Scope::argument(const Text& raw) const {
  const std::string known = substitute_known(raw.value, bindings_, Place::contract);
  ArgumentContract parsed = parse_argument(resolved(known), buffers_, raw.where);
  check_names(parsed, raw);
  return parsed;
}

std::optional<Text> Scope::text(const Table& table, std::string_view key) const {
  const std::optional<Text> raw = table.text(key);
  return raw ? std::optional(text(*raw)) : std::nullopt;
}

std::array<Expression, 3> Scope::extents(const Table& table, std::string_view key) const {
  std::array<Expression, 3> extents;
  extents.fill(Expression::constant(1));
  const std::vector<Text> texts = table.extent(key);
  for (std::size_t i = 0; i < texts.size(); ++i) extents[i] = expression(texts[i]);
  return extents;
}

void Scope::read(const Table& table, std::string_view key, Element& field) const {
  if (const auto raw = table.text(key)) field = element(*raw);
}

void Scope::read(const Table& table, std::string_view key, Expression& field) const {
  if (const auto raw = table.text(key)) field = expression(*raw);
}

void Scope::read(const Table& table, std::string_view key, std::optional<Expression>& field) const {
  if (const auto raw = table.text(key)) field = expression(*raw);
}

/// Replaces types inside sizeof, and the sizes of earlier launches.
std::string Scope::resolved(std::string_view text) const {
  return substitute_words(substitute_sizeof(text, bindings_), earlier_launches_);
}

void Scope::check_names(const Expression& expression, const Text& text) const {
  for (const std::string& name : expression.names())
    if (!knows(name))
      throw InputError(
          fmt::format("unknown name \"{}\" in the expression \"{}\"{}", name, text.value, suggest(name)),
          text.where);
}

void Scope::check_names(const ArgumentContract& argument, const Text& text) const {
  check_names(argument.value, text);
  for (const ArgumentContract& member : argument.members) check_names(member, text);
}

}  // namespace foldproof
