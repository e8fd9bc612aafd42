
#include "ptx/parser/grammar.h"

namespace foldproof::ptx {

namespace {

using Where = UnknownDirective::Where;

bool is_symbol(const Token& token, std::string_view characters) {
  return token.kind == Token::Kind::symbol && token.text.size() == 1 &&
         characters.find(token.text[0]) != std::string_view::npos;
}

/// Whether the token ends an unknown directive whose brackets are closed.
bool ends_unknown(const Token& token, Where where, std::uint32_t line) {
  const bool is_directive = token.kind == Token::Kind::dotted;
  switch (where) {
    case Where::module: return is_directive && token.line > line;
    case Where::function_head: return is_directive || is_symbol(token, "{;");
    case Where::function_body: return (is_directive && token.line > line) || is_symbol(token, "}");
  }
  return true;
}

}  // namespace

void skip_pragma(Cursor& cursor) {
  do cursor.expect(Token::Kind::string, "a string after .pragma");
  while (cursor.accept_symbol(","));
  cursor.expect_symbol(";", "after .pragma");
}

void skip_prototype_attributes(Cursor& cursor) {
  while (cursor.at(Token::Kind::dotted)) {
    const bool has_number = cursor.at_dotted("abi_preserve") || cursor.at_dotted("abi_preserve_control");
    if (!has_number && !cursor.at_dotted("noreturn")) cursor.fail_expected("'.noreturn' or ';'");
    cursor.take();
    if (has_number) parse_count32(cursor, "the number of registers that are preserved");
  }
}

UnknownDirective parse_unknown(Cursor& cursor, Where where, std::uint32_t begin,
                               const std::string& function) {
  Token last = cursor.take();
  UnknownDirective unknown{where, std::string(last.text), function, last.line, last.column, {}};
  int depth = 0;
  while (!cursor.at_end() && (depth > 0 || !ends_unknown(cursor.peek(), where, last.line))) {
    cursor.count_nodes();
    last = cursor.take();
    if (is_symbol(last, "([{")) ++depth;
    if (is_symbol(last, ")]}") && depth > 0) --depth;
    if (depth == 0 && where != Where::function_head && is_symbol(last, ";}")) break;
  }
  unknown.extent = {begin, cursor.end_of_last()};
  return unknown;
}

}  // namespace foldproof::ptx
