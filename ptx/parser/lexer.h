// Lexer for PTX text (PTX ISA 9.0, sections 4.1 to 4.5). Comments and white space are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace foldproof::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    end,
    name,    ///< add, %r1, $L__BB0_2, _
    dotted,  ///< .f32, .shared::cta, .2d: text without the first dot
    number,  ///< 12, 0x1FU, 0f3F800000, 1.5e3, .5: as written
    string,  ///< text between the quotes
    symbol,  ///< one of { } ( ) [ ] < > , ; : = @ ! ~ + - * / % & | ^ ? or << >> <= >= == != && ||
  };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t line = 0, column = 0;  ///< from 1
};

/// The token as shown in an error: quoted, truncated, without control characters.
std::string quoted(const Token& token);
/// The same for a name from the text.
std::string quoted(std::string_view name);

class Lexer {
 public:
  /// Both must outlive the lexer; tokens point into `text`. `name` identifies the text in errors.
  Lexer(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  /// The next token; returns `end` repeatedly at the end. Throws InputError for an invalid token.
  Token next();

  const std::string& name() const { return name_; }

 private:
  char at(std::size_t ahead = 0) const {
    return place_ + ahead < text_.size() ? text_[place_ + ahead] : '\0';
  }
  bool ended() const { return place_ >= text_.size(); }
  void advance(std::size_t count);
  void skip_blank();
  void skip_block_comment();
  std::size_t length_of_number() const;
  Token cut(Token::Kind kind, std::size_t length);
  Token dotted();
  Token number();
  Token string();
  Token symbol();
  [[noreturn]] void fail(const std::string& sentence) const;

  std::string_view text_;
  const std::string& name_;
  std::size_t place_ = 0;
  std::uint32_t line_ = 1, column_ = 1;
};

}  // namespace foldproof::ptx
