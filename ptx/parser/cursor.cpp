#include "ptx/parser/cursor.h"

#include <fmt/format.h>

#include "base/error.h"
#include "ptx/parser/limits.h"

namespace foldproof::ptx {

Cursor::Cursor(std::string_view text, const std::string& name) : text_(text), lexer_(text, name) {
  if (text.size() > limits::text_bytes)
    throw InputError(fmt::format("the PTX text has {} bytes, but the limit is {}; split the module",
                                 text.size(), limits::text_bytes),
                     Position{name});
  ahead_[0] = lexer_.next();
  ahead_[1] = lexer_.next();
}

Token Cursor::take() {
  const Token taken = ahead_[0];
  last_end_ = taken.text.data() + taken.text.size();
  ahead_[0] = ahead_[1];
  ahead_[1] = lexer_.next();
  return taken;
}

bool Cursor::accept_symbol(std::string_view text) {
  if (!at_symbol(text)) return false;
  take();
  return true;
}

bool Cursor::accept_dotted(std::string_view text) {
  if (!at_dotted(text)) return false;
  take();
  return true;
}

void Cursor::expect_symbol(std::string_view text, std::string_view role) {
  if (!accept_symbol(text)) fail_expected(fmt::format("'{}' {}", text, role));
}

Token Cursor::expect(Token::Kind kind, std::string_view what) {
  if (!at(kind)) fail_expected(what);
  return take();
}

void Cursor::fail(const Token& at, const std::string& sentence) const {
  throw InputError(sentence, Position{lexer_.name(), at.line, at.column});
}

void Cursor::fail_expected(std::string_view what) const {
  if (at_end())
    fail(peek(), fmt::format("unexpected end of the text, expected {}; pass the complete PTX", what));
  fail(peek(), fmt::format("expected {}, found {}", what, quoted(peek())));
}

void Cursor::count_nodes(std::size_t count) {
  nodes_ += count;
  if (nodes_ > limits::nodes)
    fail(peek(), fmt::format("the module has more than {} statements and operands; split it", limits::nodes));
}

}  // namespace foldproof::ptx
