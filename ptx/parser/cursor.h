// Token reader with two tokens of lookahead; reports what was expected and limits the number of nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/parser/lexer.h"

namespace foldproof::ptx {

class Cursor {
 public:
  /// Both must outlive the cursor. Throws InputError for a text that is too long.
  Cursor(std::string_view text, const std::string& name);

  const Token& peek() const { return ahead_[0]; }
  const Token& peek_second() const { return ahead_[1]; }
  Token take();

  /// Byte offsets in the text: the begin of the next token, and the end of the last one taken, which must not
  /// have been a string.
  std::uint32_t begin_of_next() const {
    // The text of these kinds excludes the leading dot or quote.
    const bool is_cut = at(Token::Kind::dotted) || at(Token::Kind::string);
    return offset_of(ahead_[0].text.data()) - (is_cut ? 1 : 0);
  }
  std::uint32_t end_of_last() const { return offset_of(last_end_); }

  bool at_end() const { return peek().kind == Token::Kind::end; }
  bool at(Token::Kind kind) const { return peek().kind == kind; }
  bool at_symbol(std::string_view text) const { return at(Token::Kind::symbol) && peek().text == text; }
  bool at_dotted(std::string_view text) const { return at(Token::Kind::dotted) && peek().text == text; }
  bool at_name(std::string_view text) const { return at(Token::Kind::name) && peek().text == text; }

  /// Takes the next token and returns true if it matches.
  bool accept_symbol(std::string_view text);
  bool accept_dotted(std::string_view text);

  /// Takes a token or throws InputError: "expected ';' after the operands of 'add', found '…'"
  /// `role` continues the sentence after the expected token.
  void expect_symbol(std::string_view text, std::string_view role);
  Token expect(Token::Kind kind, std::string_view what);

  [[noreturn]] void fail(const Token& at, const std::string& sentence) const;
  [[noreturn]] void fail_expected(std::string_view what) const;

  /// Counts `count` new nodes of the module. Throws InputError if it grows too large.
  void count_nodes(std::size_t count = 1);

 private:
  std::uint32_t offset_of(const char* place) const {
    return static_cast<std::uint32_t>(place - text_.data());  // fits: see limits::text_bytes
  }

  std::string_view text_;
  const char* last_end_ = text_.data();
  Lexer lexer_;
  std::array<Token, 2> ahead_;
  std::size_t nodes_ = 0;
};

}  // namespace foldproof::ptx
