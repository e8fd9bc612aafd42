#include "devices/emulated/isa/form.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "devices/emulated/isa/matrix.h"
#include "devices/emulated/isa/select.h"
#include "devices/emulated/isa/shadow_rules.h"

namespace foldproof::isa {
namespace {

using namespace std::string_view_literals;

constexpr Row table[] = {
#define FOLDPROOF_ROW(id, syntax, types, types2, operands, action, function, rule, synopsis) \
  {#id, syntax, types, types2, operands, Action::action, select::function, shadow::rule, synopsis},
#include "devices/emulated/isa/ptx.def"
#undef FOLDPROOF_ROW
};

struct Modifier {
  std::string_view group, word;
  void (*apply)(Form&);
};

constexpr Modifier modifiers[] = {
#define FOLDPROOF_MODIFIER(group, word, effect) {#group, word, [](Form& form) { form.effect; }},
#include "devices/emulated/isa/modifiers.def"
#undef FOLDPROOF_MODIFIER
};

const Modifier* find_modifier(std::string_view group, std::string_view word) {
  const auto found =
      std::ranges::find_if(modifiers, [&](const Modifier& m) { return m.group == group && m.word == word; });
  return found == std::end(modifiers) ? nullptr : found;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// One position of a syntax: a fixed word, a modifier of a class, one of several words, or a type.
struct Token {
  enum class Kind : std::uint8_t { word, modifier, choice, type, type2 } kind = Kind::word;
  bool optional = false;
  std::string_view text;                  ///< the word, or the class
  std::vector<std::string_view> choices;  ///< of `(a|b)`
};

Token parse_token(std::string_view text) {
  Token token;
  if (text.ends_with('?')) {
    token.optional = true;
    text.remove_suffix(1);
  }
  token.text = text;
  if (text == "T") token.kind = Token::Kind::type;
  if (text == "U") token.kind = Token::Kind::type2;
  if (text.starts_with('<') || text.starts_with('(')) {
    token.text = text.substr(1, text.size() - 2);
    token.kind = text.front() == '<' ? Token::Kind::modifier : Token::Kind::choice;
    if (token.kind == Token::Kind::choice) token.choices = split(token.text, '|');
  }
  return token;
}

/// A parsed row of ptx.def.
struct Pattern {
  RowId row = 0;
  std::vector<Token> tokens;
  std::vector<Type> types, types2;
};

std::vector<Type> parse_types(std::string_view list) {
  std::vector<Type> types;
  for (const auto name : split(list, ' ')) types.push_back(type_named(name).value());
  return types;
}

using Patterns = std::unordered_map<std::string_view, std::vector<Pattern>>;

Patterns parse_table() {
  Patterns patterns;
  for (RowId id = 0; id < RowId{std::size(table)}; ++id) {
    const auto parts = split(table[id].syntax, '.');
    Pattern pattern{id, {}, parse_types(table[id].types), parse_types(table[id].types2)};
    for (std::size_t i = 1; i < parts.size(); ++i) pattern.tokens.push_back(parse_token(parts[i]));
    patterns[parts.front()].push_back(std::move(pattern));
  }
  return patterns;
}

/// Applies a suffix at one position of the pattern; returns false if it does not match.
bool take(const Pattern& pattern, const Token& token, std::string_view suffix, Form& form) {
  const auto take_type = [&](const std::vector<Type>& types, Type& type) {
    const auto found = std::ranges::find(types, suffix, name);
    if (found == types.end()) return false;
    type = *found;
    return true;
  };
  const auto take_modifier = [&](std::string_view group) {
    const Modifier* modifier = find_modifier(group, suffix);
    // <rnd> and <irnd> of cvt exclude each other.
    if (group.ends_with("rnd") && form.rounding != Rounding::none) return false;
    if (modifier) modifier->apply(form);
    return modifier != nullptr;
  };
  switch (token.kind) {
    case Token::Kind::type: return take_type(pattern.types, form.type);
    case Token::Kind::type2: return take_type(pattern.types2, form.type2);
    case Token::Kind::modifier: return take_modifier(token.text);
    case Token::Kind::choice: {
      const auto found = std::ranges::find(token.choices, suffix);
      if (found == token.choices.end()) return false;
      form.words.push_back(*found);
      return true;
    }
    case Token::Kind::word:
      if (token.text != suffix) return false;
      if (!take_modifier("flag")) form.words.push_back(token.text);
      return true;
  }
  std::abort();
}

/// Types and choices must keep their order; other modifiers may be in any order, as in ptxas.
bool ordered(const Token& token) {
  return token.kind != Token::Kind::modifier && token.kind != Token::Kind::word;
}

/// Matches the suffixes in order against unused positions (`used`: one bit per position).
std::optional<Form> match(const Pattern& pattern, std::uint32_t used, std::span<const std::string> suffixes,
                          const Form& form) {
  if (suffixes.empty()) {
    for (std::size_t i = 0; i < pattern.tokens.size(); ++i)
      if ((used >> i & 1) == 0 && !pattern.tokens[i].optional) return std::nullopt;
    return form;
  }
  bool type_passed = false;
  for (std::size_t i = 0; i < pattern.tokens.size(); ++i) {
    const Token& token = pattern.tokens[i];
    if ((used >> i & 1) != 0 || (type_passed && ordered(token))) continue;
    if (Form taken = form; take(pattern, token, suffixes.front(), taken))
      if (auto result = match(pattern, used | 1u << i, suffixes.subspan(1), taken)) return result;
    type_passed = type_passed || (ordered(token) && !token.optional);
  }
  return std::nullopt;
}

/// The rows of a computing form, one per vector element, with the width of their registers.
std::vector<Port> ports_of(const Form& form) {
  std::vector<Port> ports;
  if (form.action != Action::compute && form.action != Action::matrix_multiply) return ports;
  for (const OperandRule& rule : operand_rules(form)) {
    const unsigned wider = !rule.relaxed ? 0 : rule.destination ? form.destination_bytes : form.source_bytes;
    const bool predicate = rule.shape == OperandRule::Shape::predicate;
    const Port port{.bytes = static_cast<std::uint8_t>(predicate ? 0 : std::max(wider, bytes_of(rule.type))),
                    .bits = static_cast<std::uint8_t>(bits_of(rule.type)),
                    .parts = static_cast<std::uint8_t>(name(rule.type).ends_with("x2") ? 2 : 1),
                    .written = rule.destination};
    ports.insert(ports.end(), rule.count, port);
  }
  return ports;
}

std::optional<Form> match_row(const Pattern& pattern, std::span<const std::string> suffixes) {
  const Row& row = table[pattern.row];
  Form form;
  form.row = pattern.row;
  form.action = row.action;
  // A row with a single type does not require a suffix for it.
  if (pattern.types.size() == 1) form.type = pattern.types.front();
  if (pattern.types2.size() == 1) form.type2 = pattern.types2.front();
  if (suffixes.size() > pattern.tokens.size()) return std::nullopt;
  auto matched = match(pattern, 0, suffixes, form);
  if (matched && row.select && !row.select(*matched)) return std::nullopt;
  if (matched) matched->ports = ports_of(*matched);
  return matched;
}

Type widened(Type type) {
  switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    case Type::s32: return Type::s64;
    default: return type;
  }
}

/// An untyped element: the size of T divided by the number of elements.
Type part(const Form& form) {
  switch (bytes_of(form.type) / form.vector) {
    case 1: return Type::b8;
    case 2: return Type::b16;
    case 4: return Type::b32;
    default: return Type::b64;
  }
}

/// The type of an operand: T, U, 2T (T widened), part, or a named type.
Type operand_type(std::string_view text, const Form& form) {
  if (text == "T") return form.type;
  if (text == "U") return form.type2;
  if (text == "2T") return widened(form.type);
  if (text == "part") return part(form);
  return type_named(text).value();
}

/// Parses one operand in the notation of ptx.def.
OperandRule parse_rule(std::string_view text, const Form& form) {
  using Shape = OperandRule::Shape;
  OperandRule rule;
  rule.name = text.front();
  rule.destination = rule.name == 'd' || rule.name == 'e';
  text.remove_prefix(2);
  for (; text.ends_with('?') || text.ends_with('~'); text.remove_suffix(1))
    (text.back() == '?' ? rule.optional : rule.relaxed) = true;
  if (text == "[]") {
    rule.shape = Shape::address;
  } else if (text == "fragment") {
    const auto [type, registers] = matrix::fragment(form, rule.name);
    rule.type = type;
    rule.count = registers;
    rule.shape = registers > 1 ? Shape::vector : Shape::value;
  } else if (text == "label" || text == "target") {
    rule.shape = text == "label" ? Shape::label : Shape::target;
  } else if (text == "rank") {
    rule.type = Type::u32;
    rule.rank = true;
  } else if (text.starts_with('{')) {
    const auto parts = split(text.substr(1, text.size() - 2), '*');
    rule.type = operand_type(parts.front(), form);
    rule.count = parts.size() == 1 ? form.vector : static_cast<std::uint8_t>(parts[1].front() - '0');
    rule.shape = rule.count > 1 ? Shape::vector : Shape::value;
  } else {
    rule.type = operand_type(text, form);
    rule.shape = rule.type == Type::pred ? Shape::predicate : Shape::value;
  }
  return rule;
}

}  // namespace

bool Form::has(std::string_view word) const { return std::ranges::find(words, word) != words.end(); }

std::span<const Row> rows() { return table; }

std::optional<Form> find_form(std::string_view opcode, std::span<const std::string> suffixes) {
  static const Patterns patterns = parse_table();
  const auto found = patterns.find(opcode);
  if (found == patterns.end()) return std::nullopt;
  for (const Pattern& pattern : found->second)
    if (auto form = match_row(pattern, suffixes)) return form;
  return std::nullopt;
}

std::optional<Form> find_packing_mov(Packing packing, unsigned parts, std::span<const std::string> suffixes) {
  std::vector<std::string> words{std::string{'v', static_cast<char>('0' + parts)}};
  words.insert(words.end(), suffixes.begin(), suffixes.end());
  return find_form(packing == Packing::pack ? "mov:pack" : "mov:unpack", words);
}

bool fit_registers(Form& form, unsigned destination_bytes, unsigned source_bytes) {
  const Row& row = table[form.row];
  if (destination_bytes < bytes_of(form.type) || source_bytes < bytes_of(form.type2)) return false;
  form.destination_bytes = static_cast<std::uint8_t>(destination_bytes);
  form.source_bytes = static_cast<std::uint8_t>(source_bytes);
  form.ports = ports_of(form);
  return row.select == nullptr || row.select(form);
}

std::vector<OperandRule> operand_rules(const Form& form) {
  std::vector<OperandRule> rules;
  for (const auto text : split(table[form.row].operands, ' ')) rules.push_back(parse_rule(text, form));
  // .and, .or and .xor of comparisons require the predicate operand.
  if (form.boolean != Boolean::none)
    for (OperandRule& rule : rules) rule.optional = rule.optional && rule.destination;
  return rules;
}

}  // namespace foldproof::isa
