#include <fmt/format.h>

#include "ptx/parser/grammar.h"
#include "ptx/parser/limits.h"

namespace foldproof::ptx {

namespace {

/// {a, b, …}: names and numbers, not nested.
std::vector<Operand> parse_vector(Cursor& cursor) {
  cursor.expect_symbol("{", "to open the vector");
  std::vector<Operand> elements;
  do {
    if (cursor.at_symbol("{") || cursor.at_symbol("["))
      cursor.fail_expected("a register or a number as an element of the vector");
    if (elements.size() == limits::vector_elements)
      cursor.fail(cursor.peek(), fmt::format("the vector has more than {} elements; split the instruction",
                                             limits::vector_elements));
    elements.push_back(parse_operand(cursor));
  } while (cursor.accept_symbol(","));
  cursor.expect_symbol("}", "to close the vector");
  return elements;
}

/// [base+offset], [4096], [map, {x, y}], [texture, sampler, {x, y}]
AddressOf parse_address(Cursor& cursor) {
  cursor.expect_symbol("[", "to open the address");
  AddressOf address;
  if (at_constant(cursor)) {
    const Token start = cursor.peek();
    const Literal literal = parse_constant(cursor);
    if (literal.form != Literal::Form::integer)
      cursor.fail(start, "expected an integer as the address, found a floating-point number");
    address.offset = static_cast<std::int64_t>(literal.bits);
  } else {
    address.base = parse_name(cursor, "a register, a variable or a number as the address");
    address.offset = parse_offset(cursor);
  }
  while (cursor.accept_symbol(",")) {
    if (cursor.at_symbol("[")) cursor.fail_expected("the coordinates as a vector or a register");
    address.coordinates.push_back(parse_operand(cursor));
  }
  cursor.expect_symbol("]", "to close the address");
  return address;
}

/// %r1, %tid.x, table+8, %r1|%p1
void parse_named(Cursor& cursor, Operand& operand) {
  operand.value = parse_name(cursor, "an operand");
  if (cursor.at_symbol("["))
    cursor.fail(cursor.peek(), "array elements are addressed by bytes here; write [name+bytes]");
  operand.offset = parse_offset(cursor);
  if (cursor.accept_symbol("|")) operand.paired_predicate = parse_name(cursor, "a predicate after '|'");
}

}  // namespace

Name parse_name(Cursor& cursor, std::string_view what) {
  const Token name = cursor.expect(Token::Kind::name, what);
  Name parsed{std::string(name.text), {}};
  if (cursor.at(Token::Kind::dotted)) parsed.component = cursor.take().text;
  return parsed;
}

Operand parse_operand(Cursor& cursor) {
  Operand operand;
  operand.extent.begin = cursor.begin_of_next();
  cursor.count_nodes();
  const bool name_follows =
      cursor.peek_second().kind == Token::Kind::name && cursor.peek_second().text != "WARP_SZ";
  if (cursor.at_symbol("{")) {
    operand.value = parse_vector(cursor);
  } else if (cursor.at_symbol("[")) {
    operand.value = parse_address(cursor);
  } else if (cursor.at_symbol("!") && name_follows) {
    cursor.take();
    operand.negated = true;
    operand.value = parse_name(cursor, "a predicate after '!'");
  } else if (cursor.at_symbol("-") && name_follows) {
    cursor.fail(cursor.peek(), "a register cannot be negated in place; negate it with 'neg' first");
  } else if (at_constant(cursor)) {
    operand.value = parse_constant(cursor);
  } else {
    parse_named(cursor, operand);
  }
  operand.extent.end = cursor.end_of_last();
  return operand;
}

std::vector<Operand> parse_operands(Cursor& cursor) {
  std::vector<Operand> operands;
  do operands.push_back(parse_operand(cursor));
  while (cursor.accept_symbol(","));
  return operands;
}

}  // namespace foldproof::ptx
