#include "contracts/loading/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "contracts/names.h"

namespace foldproof {
namespace {

constexpr int deepest_structure = 8;

/// A part of an argument, with its position.
struct Piece {
  std::string_view text;
  Position where;

  Piece from(std::size_t offset, std::size_t length = std::string_view::npos) const {
    Piece part{text.substr(offset, length), where};
    if (part.where.column != 0) part.where.column += static_cast<unsigned>(offset);
    return part;
  }

  Piece trimmed() const {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return from(text.size());
    return from(begin, text.find_last_not_of(" \t") - begin + 1);
  }
};

/// The members between the outer braces.
std::vector<Piece> members_of(const Piece& inside) {
  std::vector<Piece> members;
  for (const std::string_view member : split_list(inside.text, "({", ")}"))
    members.push_back(
        inside.from(static_cast<std::size_t>(member.data() - inside.text.data()), member.size()));
  return members;
}

double floating(const Piece& piece) {
  if (const auto value = number_in(std::string(piece.text))) return *value;
  throw InputError(fmt::format("\"{}\" is not a number; write one such as 1.5 or 0x1p-3", piece.text),
                   piece.where);
}

ArgumentContract typed(Element type, const Piece& piece) {
  ArgumentContract argument;
  argument.type = type;
  argument.typed = true;
  if (is_float(type)) {
    argument.form = ArgumentContract::Form::number;
    argument.number = floating(piece);
  } else {
    argument.form = ArgumentContract::Form::integer;
    argument.value = Expression::parse(piece.text, piece.where);
  }
  return argument;
}

ArgumentContract pointer(const std::string& buffer, const Piece& rest) {
  ArgumentContract argument;
  argument.form = ArgumentContract::Form::pointer;
  argument.buffer = buffer;
  argument.value = Expression::constant(0);
  if (rest.text.empty()) return argument;
  if (rest.text.front() != '+')
    throw InputError(
        fmt::format("only \"+ elements\" may follow the buffer \"{}\", not \"{}\"", buffer, rest.text),
        rest.where);
  const Piece offset = rest.from(1).trimmed();
  argument.value = Expression::parse(offset.text, offset.where);
  return argument;
}

ArgumentContract parse(const Piece& untrimmed, const std::vector<std::string>& buffers, int depth);

ArgumentContract structure(const Piece& piece, const std::vector<std::string>& buffers, int depth) {
  if (piece.text.back() != '}')
    throw InputError("missing \"}\" after the last member of a struct", piece.where);
  if (depth == deepest_structure)
    throw InputError(
        fmt::format("structs are nested more than {} levels deep; replace the inner ones by their members",
                    deepest_structure),
        piece.where);
  ArgumentContract argument;
  argument.form = ArgumentContract::Form::structure;
  for (const Piece& member : members_of(piece.from(1, piece.text.size() - 2))) {
    argument.members.push_back(parse(member, buffers, depth + 1));
    const ArgumentContract& parsed = argument.members.back();
    if (parsed.form == ArgumentContract::Form::integer && !parsed.typed)
      throw InputError(
          fmt::format("a number in a struct needs its type, such as \"i32:{}\"", member.trimmed().text),
          member.trimmed().where);
  }
  return argument;
}

ArgumentContract parse(const Piece& untrimmed, const std::vector<std::string>& buffers, int depth) {
  const Piece piece = untrimmed.trimmed();
  if (piece.text.empty())
    throw InputError(
        "an argument is empty; write a buffer, an expression, a typed number such as \"f32:1.5\", or a "
        "struct "
        "such as \"{input, i32:count}\"",
        piece.where);
  if (piece.text.front() == '{') return structure(piece, buffers, depth);

  if (const std::size_t colon = piece.text.find(':'); colon != std::string_view::npos) {
    const std::string_view type = piece.from(0, colon).trimmed().text;
    if (const auto element = element_named(type)) return typed(*element, piece.from(colon + 1).trimmed());
    throw InputError(
        fmt::format("unknown type \"{}\" before \":\"{}", type, suggestion(type, element_names())),
        piece.where);
  }

  const std::size_t word_end = std::min(piece.text.find_first_of(" \t+-*/%^<>=!(),"), piece.text.size());
  const auto buffer = std::ranges::find(buffers, piece.text.substr(0, word_end));
  if (buffer != buffers.end()) return pointer(*buffer, piece.from(word_end).trimmed());

  ArgumentContract argument;
  argument.value = Expression::parse(piece.text, piece.where);
  return argument;
}

}  // namespace

std::optional<double> number_in(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || end != text.c_str() + text.size() ? std::nullopt : std::optional(value);
}

ArgumentContract parse_argument(std::string_view text, const std::vector<std::string>& buffers,
                                const Position& where) {
  return parse({text, where}, buffers, 0);
}

}  // namespace foldproof
