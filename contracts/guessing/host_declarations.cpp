// Declarations, parameters and names of a host function.
#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "contracts/expression.h"
#include "contracts/guessing/host_run.h"

namespace foldproof {
namespace {

bool is_keyword(std::string_view word) {
  return is_any_of(word, {"return", "throw", "new", "delete", "else", "sizeof", "goto", "case", "this"});
}

/// Of a variable that may have any value.
bool can_be_sampled(const HostType& type) {
  return type.kind == HostType::Kind::integer || type.kind == HostType::Kind::any;
}

}  // namespace

/// The index after the type that begins there.
std::optional<std::size_t> HostRun::end_of_type(std::size_t at) const {
  const auto word = [&](std::size_t i) { return i < end_ ? text_.token(i) : ""; };
  const auto is_qualifier = [&](std::size_t i) {
    return is_any_of(word(i), {"const", "constexpr", "static", "volatile", "typename", "inline"});
  };
  while (is_qualifier(at)) ++at;
  if (!is_name(word(at)) || is_keyword(word(at))) return std::nullopt;
  const bool is_several = is_type(word(at)) || word(at) == "signed";
  ++at;
  while (is_several && (is_type(word(at)) || is_qualifier(at))) ++at;
  while (true) {
    if (word(at) == "<") {
      const std::size_t end = text_.end_of_template_arguments(at);
      if (end == at) break;
      at = end;
    } else if (word(at) == ":" && word(at + 1) == ":" && is_name(word(at + 2))) {
      at += 3;
    } else {
      break;
    }
  }
  while (is_qualifier(at) || is_any_of(word(at), {"*", "&"})) ++at;
  return at;
}

bool HostRun::is_declaration(std::size_t at) const {
  const auto end = end_of_type(at);
  if (!end || *end >= end_) return false;
  const std::string_view name = text_.token(*end);
  if (name == "[") return text_.token(*end - 1) == "auto" || text_.token(*end - 1) == "&";
  const std::string_view after = *end + 1 < end_ ? text_.token(*end + 1) : ";";
  const bool is_pointer = is_any_of(text_.token(*end - 1), {"*", "&"});
  // "a * b(c)" is a product.
  return is_name(name) && (is_any_of(after, {"=", ";", ",", "[", "{"}) || (after == "(" && !is_pointer));
}

void HostRun::declaration() {
  const std::size_t begin = at_, end = *end_of_type(at_);
  HostType type = type_of({begin, end});
  at_ = end;
  if (token() == "[") {  // a structured binding
    return structured_binding();
  }
  while (at_ < end_) {
    step();
    const std::size_t name = at_++;
    bool is_array = false;
    for (; token() == "["; at_ = text_.closing(at_) + 1) is_array = true;
    const HostType held = is_array ? HostType{} : type;
    if (const auto value = initializer(held, name)) declare(name, held, *value);
    if (token() != ",") return;
    ++at_;
    type.is_reference = false;
    while (is_any_of(token(), {"*", "&"})) {
      type.kind = HostType::Kind::other;
      ++at_;
    }
  }
}

/// The names have any value, unless numbers of the function may decide it.
void HostRun::structured_binding() {
  const TokenRange names{at_ + 1, text_.closing(at_)};
  const std::size_t numbers = numbers_read_;
  at_ = names.end + (text_.token(names.end + 1) == "=" ? 2 : 1);
  expression();
  for (std::size_t i = names.begin; i < names.end; ++i)
    if (is_name(text_.token(i)))
      declare(i, {}, numbers_read_ == numbers ? sample("#" + std::to_string(i)) : HostValue{});
}

/// What follows the name of a declared variable; nothing if it is now another name of a variable.
std::optional<HostValue> HostRun::initializer(const HostType& type, std::size_t name) {
  if (token() == "=" && token(1) != "{") {
    ++at_;
    const auto other =
        type.is_reference && is_name(token()) && at_ + 1 == end_ ? find(token()) : std::nullopt;
    if (!other) return assignment();
    names_.push_back({text_.token(name), *other});
    ++at_;
    return std::nullopt;
  }
  if (token() == "=") ++at_;
  const bool is_list = token() == "{";
  if (!is_list && token() != "(") {
    if (type.kind == HostType::Kind::extents) return HostValue{HostExtents{1, 1, 1}};
    return type.kind == HostType::Kind::integer ? sample("#" + std::to_string(name)) : HostValue{};
  }
  const HostValue items = list();
  const auto* known = std::get_if<HostList>(&items.is);
  if (known == nullptr || (type.kind == HostType::Kind::any && is_list)) return items;
  return type.kind == HostType::Kind::extents || (*known)->size() == 1 ? initialized(type, **known)
                                                                       : HostValue{};
}

void HostRun::declare(std::size_t name, const HostType& type, HostValue value) {
  value = converted(value, type);
  HostType held = type;
  if (type.kind == HostType::Kind::any && value.is_integer()) held.kind = HostType::Kind::integer;
  names_.push_back({text_.token(name), variables_.size()});
  variables_.push_back({std::move(value), held});
}

/// Declares the parameters. What is not passed has its default argument, or any value in the function that
/// runs first.
void HostRun::bind(TokenRange parameters, const std::vector<Argument>& arguments, bool is_called) {
  if (parameters.begin >= parameters.end) return;
  const std::vector<TokenRange> items = text_.items(parameters);
  for (std::size_t k = 0; k < items.size(); ++k) {
    step();
    std::size_t end = items[k].begin;
    while (end < items[k].end && text_.token(end) != "=" && text_.token(end) != "[") ++end;
    if (end < items[k].begin + 2) continue;  // without a name
    const std::size_t name = end - 1;
    const HostType type = type_of({items[k].begin, name});
    const bool is_array = text_.token(end) == "[";
    if (k < arguments.size() && type.is_reference && arguments[k].variable) {
      names_.push_back({text_.token(name), *arguments[k].variable});
    } else if (k < arguments.size()) {
      declare(name, type, arguments[k].value);
    } else if (is_called && text_.token(end) == "=") {
      declare(name, type, value_of({end + 1, items[k].end}));
    } else {
      const bool is_any = !is_called && !is_array && can_be_sampled(type);
      declare(name, type, is_any ? sample("#" + std::to_string(name)) : HostValue{});
      if (type.is_reference) variables_.back().type = type;  // rather an object than a number
    }
  }
}

HostType HostRun::type_of(TokenRange spelled) {
  step(spelled.end - std::min(spelled.begin, spelled.end));
  return has_failed_ ? HostType{} : host_type(text_, spelled);
}

std::optional<std::size_t> HostRun::find(std::string_view name) {
  constexpr std::size_t per_step = 8;
  step((names_.size() - base_) / per_step);
  for (std::size_t i = names_.size(); i > base_; --i)
    if (names_[i - 1].name == name) return names_[i - 1].variable;
  const auto global = globals_.find(name);
  return global == globals_.end() ? std::nullopt : std::optional(global->second);
}

/// The variable that is named there, which may be a constant of the source, a member or another global
/// variable.
std::size_t HostRun::variable_at(std::size_t name) {
  const std::string_view word = text_.token(name);
  if (const auto known = find(word)) return *known;
  const HostValue value = global_value(name);
  globals_.emplace(word, variables_.size());
  HostType type;
  if (value.is_integer()) type.kind = HostType::Kind::integer;
  variables_.push_back({value, type});
  return variables_.size() - 1;
}

/// Where the constant, or global variable, that is named there is defined; the index itself if that is
/// unknown.
std::size_t HostRun::definition_of(std::size_t name) const {
  const std::string_view word = text_.token(name);
  if (const auto visible = text_.declaration_of(word, name)) return *visible;
  constexpr std::size_t most_places = 64;
  const std::vector<std::size_t>& places = text_.places_of(word);  // a class may define it below
  for (std::size_t i = 0; i < std::min(places.size(), most_places); ++i)
    if (text_.is_declared(places[i]) && text_.definition_at(places[i])) return places[i];
  return name;
}

/// Whether the declaration of the variable says that it never changes.
bool HostRun::is_constant(std::size_t name) const {
  const std::size_t first = name - std::min(name, longest_part);
  for (std::size_t i = name; i > first; --i) {
    if (is_any_of(text_.token(i - 1), {";", "{", "}", "("})) return false;
    if (is_any_of(text_.token(i - 1), {"const", "constexpr"})) return true;
  }
  return false;
}

/// Whether the source assigns it, or passes its address, somewhere.
bool HostRun::may_change(std::size_t definition) const {
  constexpr std::size_t most_places = 64;
  const std::vector<std::size_t>& places = text_.places_of(text_.token(definition));
  if (places.size() > most_places) return true;
  return std::ranges::any_of(places, [&](std::size_t i) {
    const bool is_assigned = i != definition && text_.token(i + 1) == "=" && text_.token(i + 2) != "=";
    const bool has_address = i > 1 && text_.token(i - 1) == "&" && is_any_of(text_.token(i - 2), {"(", ","});
    return is_assigned || has_address || text_.is_modified(i);
  });
}

HostValue HostRun::global_value(std::size_t name) {
  const std::string_view word = text_.token(name);
  if (word.starts_with("cuda") || is_any_of(word, {"cin", "cout", "cerr"})) return {};
  const std::size_t defined = definition_of(name);
  if (defined != name && root_.begin <= defined && defined < root_.end) return {};  // not understood
  // What is not constant has a value of its own in each object.
  const bool is_variable = defined != name && !is_constant(defined);
  if (is_variable && (text_.brace_around(defined) || may_change(defined))) return sample(std::string(word));
  const SourceExtents constant = constants_.constant(defined);
  if (constant != SourceExtents{} && !number_of(constant))
    return {HostExtents{constant[0], constant[1], constant[2]}};
  const auto expression = constants_.expression_in({defined, defined + 1});
  if (!expression) return {};
  if (*expression == word) return sample(*expression);
  try {
    return HostValue::integer(Expression::parse(*expression, {}).evaluate({}));
  } catch (const InputError&) {  // it depends on others
    return {};
  }
}

HostValue HostRun::sample(const std::string& key) {
  const std::size_t number = samples_.number_of(key);
  return {samples_.value(number), number};
}

/// A condition on a sample alone shall also be false.
std::optional<bool> HostRun::truth_of(const HostValue& value) {
  if (value.sampled) samples_.want(*value.sampled, 0);
  return value.truth();
}

}  // namespace foldproof
