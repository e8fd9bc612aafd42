#include "ptx/parser/initializer.h"

#include <fmt/format.h>

#include <vector>

#include "ptx/parser/constant.h"
#include "ptx/parser/limits.h"

namespace foldproof::ptx {

namespace {

/// name, name+4, generic(name), generic(name+4), generic(name)+4
void parse_address(Cursor& cursor, Variable::Value& value) {
  if (cursor.at_name("generic") && cursor.peek_second().text == "(") {
    cursor.take();
    cursor.take();
    value.generic = true;
    value.value = Name{std::string(cursor.expect(Token::Kind::name, "the name of a variable").text), {}};
    value.offset = parse_offset(cursor);
    cursor.expect_symbol(")", "after the name inside generic()");
  } else {
    value.value = Name{std::string(cursor.expect(Token::Kind::name, "a number or a name").text), {}};
  }
  // Wraps like the address arithmetic that it represents; signed overflow would be undefined here.
  value.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(value.offset) +
                                           static_cast<std::uint64_t>(parse_offset(cursor)));
}

/// 0xFF00(name): one byte of an address.
void parse_masked_address(Cursor& cursor, Variable::Value& value) {
  const Token token = cursor.peek();
  value.mask = parse_count(cursor, ~std::uint64_t{0}, "The mask of an address");
  bool one_byte = false;
  for (unsigned byte = 0; byte < 8; ++byte) one_byte |= value.mask == std::uint64_t{0xFF} << (8 * byte);
  if (!one_byte)
    cursor.fail(token, fmt::format("The mask {} does not pick one byte; write 0xFF, 0xFF00, 0xFF0000, ….",
                                   quoted(token)));
  cursor.expect_symbol("(", "after the mask");
  parse_address(cursor, value);
  cursor.expect_symbol(")", "after the masked address");
}

/// A float type requires a floating-point value and an integer type an integer; .bN accepts either.
void check_type(const Cursor& cursor, const Token& at, const Variable& variable, const Literal& literal) {
  const bool is_integer = literal.form == Literal::Form::integer;
  const char type = variable.type[0];
  if (type == 'b' || (type == 'f') != is_integer) return;
  cursor.fail(at, fmt::format("{} has type .{}; its initial value must be {} number.", quoted(variable.name),
                              variable.type, is_integer ? "a floating-point" : "an integer"));
}

Variable::Value parse_value(Cursor& cursor, const Variable& variable) {
  Variable::Value value;
  cursor.count_nodes();
  if (cursor.at(Token::Kind::number) && cursor.peek_second().kind == Token::Kind::symbol &&
      cursor.peek_second().text == "(") {
    parse_masked_address(cursor, value);
  } else if (at_constant(cursor)) {
    const Token at = cursor.peek();
    const Literal literal = parse_constant(cursor);
    check_type(cursor, at, variable, literal);
    value.value = literal;
  } else {
    parse_address(cursor, value);
  }
  return value;
}

/// The braces of one variable. `shape_` holds its extents, with the elements of a vector type as the
/// innermost.
class Braces {
 public:
  Braces(Cursor& cursor, Variable& variable)
      : cursor_(cursor), variable_(variable), shape_(variable.extents) {
    if (variable.vector > 1) shape_.push_back(variable.vector);
  }

  void parse() {
    row(0);
    if (!variable_.extents.empty() && variable_.extents[0] == 0) variable_.extents[0] = rows_;
  }

 private:
  /// Number of values in one element of the given level.
  std::uint64_t values_below(std::size_t level) const {
    std::uint64_t values = 1;
    for (std::size_t inner = level + 1; inner < shape_.size(); ++inner) values *= shape_[inner];
    return values;
  }

  /// { element, element, … }, each a value or, above the innermost level, braces again.
  void row(std::size_t level) {
    cursor_.expect_symbol("{", "to open a row of initial values");
    const std::uint64_t extent = shape_[level];
    std::uint64_t count = 0;
    do {
      if (count == extent && extent != 0)
        cursor_.fail(cursor_.peek(),
                     fmt::format("{} has more initial values than elements; it holds {} here.",
                                 quoted(variable_.name), extent));
      if (level + 1 < shape_.size())
        row(level + 1);
      else
        variable_.initial.push_back(parse_value(cursor_, variable_));
      ++count;
    } while (cursor_.accept_symbol(","));
    cursor_.expect_symbol("}", "to close the row of initial values");
    if (level == 0)
      rows_ = count;
    else
      pad((extent - count) * values_below(level));
  }

  void pad(std::uint64_t values) {
    padded_ += values;
    if (padded_ > limits::padded_values)
      cursor_.fail(cursor_.peek(),
                   fmt::format("The short rows of {} omit more than {} values; write them in full.",
                               quoted(variable_.name), limits::padded_values));
    cursor_.count_nodes(values);
    variable_.initial.resize(variable_.initial.size() + values);
  }

  Cursor& cursor_;
  Variable& variable_;
  std::vector<std::uint64_t> shape_;
  std::uint64_t rows_ = 0, padded_ = 0;
};

}  // namespace

void parse_initializer(Cursor& cursor, Variable& variable) {
  if (variable.space != Space::global && variable.space != Space::constant)
    cursor.fail(cursor.peek(), fmt::format("{} cannot have an initial value; only .global and .const can.",
                                           quoted(variable.name)));
  cursor.expect_symbol("=", "before the initial value");
  if (variable.extents.empty() && variable.vector == 1)
    variable.initial.push_back(parse_value(cursor, variable));
  else
    Braces(cursor, variable).parse();
}

}  // namespace foldproof::ptx
