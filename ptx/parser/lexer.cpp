#include "ptx/parser/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"

namespace foldproof::ptx {

namespace {

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_name_start(char c) { return is_letter(c) || c == '$' || c == '%'; }
bool is_name_part(char c) { return is_word(c) || c == '$'; }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr std::array<std::string_view, 8> two_character_symbols = {
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
constexpr std::string_view one_character_symbols = "{}()[]<>,;:=@!~+-*/%&|^?";

std::string printable(std::string_view text, std::size_t shown = 40) {
  std::string out;
  for (char c : text.substr(0, shown)) {
    if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text.size() > shown ? out + "…" : out;
}

}  // namespace

std::string quoted(const Token& token) {
  switch (token.kind) {
    case Token::Kind::end: return "the end of the text";
    case Token::Kind::dotted: return "'." + printable(token.text) + "'";
    case Token::Kind::string: return "\"" + printable(token.text) + "\"";
    case Token::Kind::name:
    case Token::Kind::number:
    case Token::Kind::symbol: break;
  }
  return "'" + printable(token.text) + "'";
}

std::string quoted(std::string_view name) { return "'" + printable(name, 160) + "'"; }

void Lexer::fail(const std::string& sentence) const {
  throw InputError(sentence, Position{name_, line_, column_});
}

void Lexer::advance(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, ++place_) {
    if (at() == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
  }
}

void Lexer::skip_block_comment() {
  const std::size_t close = text_.find("*/", place_ + 2);
  if (close == std::string_view::npos)
    fail("unterminated comment; close it with '*/' or pass the complete text");
  advance(close + 2 - place_);
}

void Lexer::skip_blank() {
  while (!ended()) {
    const bool line_comment = at() == '/' && at(1) == '/';
    const bool line_marker = at() == '#' && column_ == 1;  // left by a preprocessor: # 3 "kernel.cu"
    if (is_blank(at()))
      advance(1);
    else if (line_comment || line_marker)
      advance(std::min(text_.find('\n', place_), text_.size()) - place_);
    else if (at() == '/' && at(1) == '*')
      skip_block_comment();
    else
      return;
  }
}

Token Lexer::cut(Token::Kind kind, std::size_t length) {
  Token token{kind, text_.substr(place_, length), line_, column_};
  advance(length);
  return token;
}

Token Lexer::next() {
  skip_blank();
  if (ended()) return {Token::Kind::end, {}, line_, column_};
  if (is_name_start(at())) {
    std::size_t length = 1;
    while (is_name_part(at(length))) ++length;
    if (length > 1 || at() != '%') return cut(Token::Kind::name, length);
  }
  if (is_digit(at())) return number();
  if (at() == '.') return dotted();
  if (at() == '"') return string();
  return symbol();
}

Token Lexer::dotted() {
  if (is_digit(at(1))) {  // .5 is a number, .2d a suffix
    std::size_t digits = 1;
    while (is_digit(at(digits))) ++digits;
    if (!is_name_part(at(digits)) || length_of_number() > digits) return number();
  }
  std::size_t length = 1;
  while (is_name_part(at(length)) ||
         (at(length) == ':' && at(length + 1) == ':' && is_name_part(at(length + 2))))
    length += at(length) == ':' ? 2 : 1;
  if (length == 1) fail("a '.' must be followed directly by a directive, suffix or component");
  Token token = cut(Token::Kind::dotted, length);
  token.text.remove_prefix(1);
  return token;
}

// Digits, fraction and exponent of a decimal number; does not include letters that follow a malformed one.
std::size_t Lexer::length_of_number() const {
  std::size_t length = 0;
  const auto skip = [&](auto belongs) {
    while (belongs(at(length))) ++length;
  };
  skip(is_digit);
  if (at(length) == '.') {
    ++length;
    skip(is_digit);
  }
  const std::size_t sign = at(length + 1) == '+' || at(length + 1) == '-' ? 1 : 0;
  if ((at(length) == 'e' || at(length) == 'E') && is_digit(at(length + 1 + sign))) {
    length += 1 + sign;
    skip(is_digit);
  }
  return length;
}

Token Lexer::number() {
  std::size_t length = 0;
  if (at() == '0' && is_letter(at(1)) && at(1) != '_' && at(1) != 'e' && at(1) != 'E' && at(1) != 'U') {
    length = 2;  // 0x 0f 0d 0b, either case; the digits are checked when the value is computed
    while (is_hex(at(length))) ++length;
  } else {
    length = length_of_number();
  }
  if (at(length) == 'U') ++length;
  if (is_name_part(at(length))) {
    while (is_name_part(at(length))) ++length;
    const Token wrong{Token::Kind::number, text_.substr(place_, length), line_, column_};
    fail(fmt::format("{} is not a number; write 12, 0x1F, 0b101, 1.5, 0f3F800000 or 0d3FF0000000000000",
                     quoted(wrong)));
  }
  return cut(Token::Kind::number, length);
}

Token Lexer::string() {
  const std::size_t close = text_.find_first_of("\"\n", place_ + 1);
  if (close == std::string_view::npos || text_[close] == '\n')
    fail("unterminated string; close it with '\"'");
  Token token = cut(Token::Kind::string, close + 1 - place_);
  token.text = token.text.substr(1, token.text.size() - 2);
  return token;
}

Token Lexer::symbol() {
  for (std::string_view symbol : two_character_symbols)
    if (text_.substr(place_, 2) == symbol) return cut(Token::Kind::symbol, 2);
  if (one_character_symbols.find(at()) != std::string_view::npos && at() != '\0')
    return cut(Token::Kind::symbol, 1);
  const Token wrong{Token::Kind::symbol, text_.substr(place_, 1), line_, column_};
  fail(fmt::format("unexpected character {}; pass the text that 'nvcc -ptx' writes", quoted(wrong)));
}

}  // namespace foldproof::ptx
