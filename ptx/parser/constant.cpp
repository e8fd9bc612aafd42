#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include "ptx/parser/grammar.h"
#include "ptx/parser/limits.h"

namespace foldproof::ptx {

namespace {

/// An intermediate value: integers are .s64 unless written with U or too large for .s64.
struct Value {
  Literal literal;
  bool is_unsigned = false;

  bool is_integer() const { return literal.form == Literal::Form::integer; }
  std::uint64_t u64() const { return literal.bits; }
  std::int64_t s64() const { return std::bit_cast<std::int64_t>(literal.bits); }
  double f64() const { return std::bit_cast<double>(literal.bits); }
};

using u64 = std::uint64_t;
using s64 = std::int64_t;

Value integer(u64 bits, bool is_unsigned) { return {{Literal::Form::integer, bits}, is_unsigned}; }
Value truth(bool value) { return integer(value ? 1 : 0, false); }
Value f64(double value) { return {{Literal::Form::f64, std::bit_cast<u64>(value)}, false}; }

u64 shift_right(s64 value, s64 by) {
  return std::bit_cast<u64>(by < 0 || by > 63 ? value >> 63 : value >> by);
}

// INT64_MIN / -1 overflows in C++; it wraps here, as on the device.
u64 divide(s64 a, s64 b) { return b == -1 ? u64{0} - std::bit_cast<u64>(a) : std::bit_cast<u64>(a / b); }
u64 remainder(s64 a, s64 b) { return b == -1 ? 0 : std::bit_cast<u64>(a % b); }

/// A binary operator: its precedence, and its function for .u64, .s64 (null: the .u64 function applies) and
/// .f64 (null: not defined for floats). If one operand is .u64, both are converted to it; a shift has the
/// type of its left operand; comparisons and logical operators yield .s64.
struct Operator {
  enum class Result : std::uint8_t { common, left, truth };
  std::string_view symbol;
  int precedence;
  Result result;
  u64 (*on_unsigned)(u64, u64);
  u64 (*on_signed)(s64, s64) = nullptr;
  double (*on_float)(double, double) = nullptr;
};

constexpr auto less = [](auto a, auto b) -> u64 { return a < b; };
constexpr auto less_or_equal = [](auto a, auto b) -> u64 { return a <= b; };
constexpr auto greater = [](auto a, auto b) -> u64 { return a > b; };
constexpr auto greater_or_equal = [](auto a, auto b) -> u64 { return a >= b; };

// clang-format off
constexpr auto common = Operator::Result::common, left = Operator::Result::left, truthful = Operator::Result::truth;
constexpr std::array<Operator, 18> operators = {{
    {"*",  10, common,   [](u64 a, u64 b) { return a * b; }, nullptr, [](double a, double b) { return a * b; }},
    {"/",  10, common,   [](u64 a, u64 b) { return a / b; }, divide,  [](double a, double b) { return a / b; }},
    {"%",  10, common,   [](u64 a, u64 b) { return a % b; }, remainder},
    {"+",  9,  common,   [](u64 a, u64 b) { return a + b; }, nullptr, [](double a, double b) { return a + b; }},
    {"-",  9,  common,   [](u64 a, u64 b) { return a - b; }, nullptr, [](double a, double b) { return a - b; }},
    {"<<", 8,  left,     [](u64 a, u64 b) { return b > 63 ? 0 : a << b; }},
    {">>", 8,  left,     [](u64 a, u64 b) { return b > 63 ? 0 : a >> b; }, shift_right},
    {"<",  7,  truthful, less, less},
    {"<=", 7,  truthful, less_or_equal, less_or_equal},
    {">",  7,  truthful, greater, greater},
    {">=", 7,  truthful, greater_or_equal, greater_or_equal},
    {"==", 6,  truthful, [](u64 a, u64 b) -> u64 { return a == b; }},
    {"!=", 6,  truthful, [](u64 a, u64 b) -> u64 { return a != b; }},
    {"&",  5,  common,   [](u64 a, u64 b) { return a & b; }},
    {"^",  4,  common,   [](u64 a, u64 b) { return a ^ b; }},
    {"|",  3,  common,   [](u64 a, u64 b) { return a | b; }},
    {"&&", 2,  truthful, [](u64 a, u64 b) -> u64 { return a != 0 && b != 0; }},
    {"||", 1,  truthful, [](u64 a, u64 b) -> u64 { return a != 0 || b != 0; }},
}};
// clang-format on

const Operator* operator_at(const Cursor& cursor, int least) {
  if (!cursor.at(Token::Kind::symbol)) return nullptr;
  for (const Operator& candidate : operators)
    if (candidate.precedence >= least && candidate.symbol == cursor.peek().text) return &candidate;
  return nullptr;
}

/// The value of `text` in the given base; rejects invalid digits and values that do not fit 64 bits.
u64 digits(const Cursor& cursor, const Token& token, std::string_view text, int base) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::result_out_of_range)
    cursor.fail(token,
                fmt::format("the number {} does not fit in 64 bits; write a smaller one", quoted(token)));
  if (error != std::errc() || end != text.data() + text.size())
    cursor.fail(token, fmt::format("{} is not a number in base {}; correct its digits", quoted(token), base));
  return value;
}

/// 0f3F800000, 0d3FF0000000000000: `count` hexadecimal digits.
Value hexadecimal_float(const Cursor& cursor, const Token& token, Literal::Form form, std::size_t count) {
  const std::string_view text = token.text.substr(2);
  if (text.size() != count)
    cursor.fail(token, fmt::format("{} must have exactly {} hexadecimal digits after its prefix",
                                   quoted(token), count));
  return {{form, digits(cursor, token, text, 16)}, false};
}

Value decimal_float(const Cursor& cursor, const Token& token) {
  double value = 0;
  const char* last = token.text.data() + token.text.size();
  const auto [end, error] = std::from_chars(token.text.data(), last, value);
  if (error != std::errc() || end != last)
    cursor.fail(token, fmt::format("{} is not representable in .f64; write its bits as 0d…", quoted(token)));
  return f64(value);
}

Value number(Cursor& cursor) {
  const Token token = cursor.take();
  std::string_view text = token.text;
  const char prefix = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  if (prefix == 'f' || prefix == 'F') return hexadecimal_float(cursor, token, Literal::Form::f32, 8);
  if (prefix == 'd' || prefix == 'D') return hexadecimal_float(cursor, token, Literal::Form::f64, 16);
  const bool hexadecimal = prefix == 'x' || prefix == 'X', binary = prefix == 'b' || prefix == 'B';
  if (!hexadecimal && text.find_first_of(".eE") != std::string_view::npos)
    return decimal_float(cursor, token);

  const bool marked = text.ends_with('U');
  if (marked) text.remove_suffix(1);
  if (hexadecimal || binary) text.remove_prefix(2);
  const int base = hexadecimal ? 16 : binary ? 2 : text.size() > 1 && text[0] == '0' ? 8 : 10;
  const u64 value = digits(cursor, token, text, base);
  return integer(value, marked || value > std::bit_cast<u64>(std::numeric_limits<s64>::max()));
}

Value expression(Cursor& cursor, unsigned depth);

/// (.s64) and (.u64) change the signedness of an integer, and truncate a float.
Value cast(const Cursor& cursor, const Token& type, const Value& value) {
  if (type.text != "s64" && type.text != "u64")
    cursor.fail(type, fmt::format("a constant can be cast only to .s64 or .u64, not to {}", quoted(type)));
  const bool to_unsigned = type.text == "u64";
  if (value.is_integer()) return integer(value.u64(), to_unsigned);
  const double least = to_unsigned ? 0.0 : -0x1p63, beyond = to_unsigned ? 0x1p64 : 0x1p63;
  if (value.literal.form != Literal::Form::f64 || !(value.f64() >= least && value.f64() < beyond))
    cursor.fail(type, "the constant does not fit the integer type that it is cast to; change one of them");
  return integer(
      to_unsigned ? static_cast<u64>(value.f64()) : std::bit_cast<u64>(static_cast<s64>(value.f64())),
      to_unsigned);
}

Value unary(Cursor& cursor, unsigned depth);

Value parenthesised(Cursor& cursor, unsigned depth) {
  cursor.take();
  if (!cursor.at(Token::Kind::dotted)) {
    const Value value = expression(cursor, depth);
    cursor.expect_symbol(")", "after the constant expression");
    return value;
  }
  const Token type = cursor.take();
  cursor.expect_symbol(")", "after the type of the cast");
  return cast(cursor, type, unary(cursor, depth));
}

Value apply_unary(const Cursor& cursor, const Token& symbol, const Value& value) {
  const char op = symbol.text[0];
  if (value.literal.form == Literal::Form::f32)
    cursor.fail(symbol,
                fmt::format("0f… cannot be combined with {}; change its bits instead", quoted(symbol)));
  if (op == '+') return value;
  if (op == '-')
    return value.is_integer() ? integer(u64{0} - value.u64(), value.is_unsigned) : f64(-value.f64());
  if (op == '!') return truth(value.is_integer() ? value.u64() == 0 : value.f64() == 0);
  if (!value.is_integer())
    cursor.fail(symbol, "'~' requires an integer; the constant is a floating-point number");
  return integer(~value.u64(), value.is_unsigned);
}

Value unary(Cursor& cursor, unsigned depth) {
  if (depth > limits::expression_depth)
    cursor.fail(cursor.peek(), fmt::format("the constant expression nests deeper than {} levels; simplify it",
                                           limits::expression_depth));
  if (cursor.at(Token::Kind::number)) return number(cursor);
  if (cursor.at_name("WARP_SZ")) {
    cursor.take();
    return integer(32, false);
  }
  if (cursor.at_symbol("(")) return parenthesised(cursor, depth + 1);
  if (!cursor.at_symbol("+") && !cursor.at_symbol("-") && !cursor.at_symbol("~") && !cursor.at_symbol("!"))
    cursor.fail_expected("a number");
  const Token symbol = cursor.take();
  return apply_unary(cursor, symbol, unary(cursor, depth + 1));
}

Value apply(const Cursor& cursor, const Token& symbol, const Operator& op, const Value& a, const Value& b) {
  if (a.literal.form == Literal::Form::f32 || b.literal.form == Literal::Form::f32)
    cursor.fail(symbol,
                "0f… cannot be combined with operators; write it as 0d… or in decimal to compute with it");
  if (!a.is_integer() || !b.is_integer()) {
    if (op.on_float == nullptr || a.is_integer() || b.is_integer())
      cursor.fail(symbol, fmt::format("{} cannot combine these constants; use integers, or floating-point "
                                      "numbers with + - * /",
                                      quoted(symbol)));
    return f64(op.on_float(a.f64(), b.f64()));
  }
  if ((op.symbol == "/" || op.symbol == "%") && b.u64() == 0)
    cursor.fail(symbol, "the constant expression divides by zero; correct its divisor");
  const bool is_unsigned = a.is_unsigned || (b.is_unsigned && op.result != Operator::Result::left);
  const bool by_sign = !is_unsigned && op.on_signed != nullptr;
  const u64 bits = by_sign ? op.on_signed(a.s64(), b.s64()) : op.on_unsigned(a.u64(), b.u64());
  return integer(bits, is_unsigned && op.result != Operator::Result::truth);
}

/// Parses operators of at least precedence `least`, left-associative.
Value binary(Cursor& cursor, int least, unsigned depth) {
  Value value = unary(cursor, depth);
  while (const Operator* op = operator_at(cursor, least)) {
    const Token symbol = cursor.take();
    value = apply(cursor, symbol, *op, value, binary(cursor, op->precedence + 1, depth));
  }
  return value;
}

Value expression(Cursor& cursor, unsigned depth) {
  const Value condition = binary(cursor, 1, depth);
  if (!cursor.at_symbol("?")) return condition;
  const Token question = cursor.take();
  if (!condition.is_integer()) cursor.fail(question, "the condition of '?' must be an integer constant");
  const Value yes = expression(cursor, depth + 1);
  cursor.expect_symbol(":", "between the two results of '?'");
  const Value no = expression(cursor, depth + 1);
  return condition.u64() != 0 ? yes : no;
}

}  // namespace

bool at_constant(const Cursor& cursor) {
  if (cursor.at(Token::Kind::number) || cursor.at_name("WARP_SZ")) return true;
  return cursor.at_symbol("-") || cursor.at_symbol("+") || cursor.at_symbol("~") || cursor.at_symbol("(") ||
         cursor.at_symbol("!");
}

Literal parse_constant(Cursor& cursor) { return expression(cursor, 0).literal; }

std::int64_t parse_offset(Cursor& cursor) {
  if (!cursor.at_symbol("+") && !cursor.at_symbol("-")) return 0;
  const Token start = cursor.peek();
  const Value value = expression(cursor, 0);
  if (!value.is_integer()) cursor.fail(start, "expected an integer as the offset, in bytes");
  return value.s64();
}

std::uint64_t parse_count(Cursor& cursor, std::uint64_t most, std::string_view what) {
  const Token token = cursor.peek();
  if (!cursor.at(Token::Kind::number)) cursor.fail_expected("a number");
  const Value value = number(cursor);
  if (!value.is_integer() || value.u64() > most)
    cursor.fail(token, fmt::format("{} must be an integer from 0 to {}, not {}", what, most, quoted(token)));
  return value.u64();
}

std::uint32_t parse_count32(Cursor& cursor, std::string_view what) {
  return static_cast<std::uint32_t>(parse_count(cursor, std::numeric_limits<std::uint32_t>::max(), what));
}

}  // namespace foldproof::ptx
