#include "properties/mutation/spelled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ptx/parser/lexer.h"

namespace foldproof::mutation {
namespace {

using ptx::Token;

/// How deep in brackets a token leaves the text that it ends.
int depth_after(const Token& token, int depth) {
  if (token.kind != Token::Kind::symbol) return depth;
  if (token.text == "[" || token.text == "{" || token.text == "(") return depth + 1;
  if (token.text == "]" || token.text == "}" || token.text == ")") return depth - 1;
  return depth;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

/// The operands between the last suffix and the semicolon, cut at the commas outside of brackets.
std::vector<std::string> operands_of(const ptx::Statement& statement, std::string_view text) {
  const std::string name;
  ptx::Lexer lexer(text, name);
  Token token = lexer.next();
  const auto begin = [&] { return static_cast<std::size_t>(token.text.data() - text.data()); };
  while (token.kind != Token::Kind::name || token.text != statement.opcode) token = lexer.next();
  std::size_t from = begin() + token.text.size();
  for (token = lexer.next(); token.kind == Token::Kind::dotted; token = lexer.next())
    from = begin() + token.text.size();
  std::vector<std::string> operands;
  for (int depth = 0; token.kind != Token::Kind::end; token = lexer.next()) {
    depth = depth_after(token, depth);
    const bool ends = token.kind == Token::Kind::symbol && (token.text == "," || token.text == ";");
    if (depth != 0 || !ends) continue;
    operands.push_back(trimmed(text.substr(from, begin() - from)));
    from = begin() + 1;
  }
  if (operands.size() == 1 && operands[0].empty()) operands.clear();
  return operands;
}

}  // namespace

std::string Spelled::text() const {
  std::string spelled = guard + opcode;
  for (const std::string& suffix : suffixes) spelled += "." + suffix;
  if (!operands.empty()) spelled += fmt::format(" {}", fmt::join(operands, ", "));
  return spelled + ";";
}

bool Spelled::has(std::string_view suffix) const {
  return std::ranges::find(suffixes, suffix) != suffixes.end();
}

Spelled Spelled::with(std::string_view suffix, std::string_view by) const {
  Spelled changed = *this;
  const auto at = std::ranges::find(changed.suffixes, suffix);
  if (at == changed.suffixes.end()) return changed;
  if (by.empty())
    changed.suffixes.erase(at);
  else
    *at = by;
  return changed;
}

Spelled Spelled::with_operand(std::size_t index, std::string by) const {
  Spelled changed = *this;
  changed.operands.at(index) = std::move(by);
  return changed;
}

Spelled spell(const ptx::Statement& statement, std::string_view text) {
  Spelled spelled;
  if (statement.guard)
    spelled.guard = fmt::format("@{}{} ", statement.guard_negated ? "!" : "", statement.guard->text);
  spelled.opcode = statement.opcode;
  spelled.suffixes = statement.suffixes;
  const ptx::Extent extent = statement.extent;
  spelled.operands = operands_of(statement, text.substr(extent.begin, extent.end - extent.begin));
  return spelled;
}

}  // namespace foldproof::mutation
