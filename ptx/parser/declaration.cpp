#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "ptx/parser/grammar.h"
#include "ptx/parser/limits.h"
#include "ptx/types.h"

namespace foldproof::ptx {

namespace {

std::uint32_t parse_alignment(Cursor& cursor) {
  const Token token = cursor.peek();
  const auto bytes = static_cast<std::uint32_t>(parse_count(cursor, limits::alignment, "an alignment"));
  if (!std::has_single_bit(bytes))
    cursor.fail(token, fmt::format("the alignment {} is not a power of two; write 1, 2, 4, 8, …", bytes));
  return bytes;
}

std::uint32_t vector_of(std::string_view word) {
  return word == "v2" ? 2 : word == "v4" ? 4 : word == "v8" ? 8 : 1;
}

/// .align 8 .v2 .f32 .ptr .global .align 4: the part that all names of the list share. After .ptr, .align and
/// the space describe the pointee and are ignored.
Variable parse_kind(Cursor& cursor, Space space) {
  Variable kind;
  kind.space = space;
  bool of_pointee = false;
  while (cursor.at(Token::Kind::dotted)) {
    const Token word = cursor.take();
    if (word.text == "align") {
      const std::uint32_t alignment = parse_alignment(cursor);
      if (!of_pointee) kind.alignment = alignment;
    } else if (word.text == "attribute") {
      skip_attribute(cursor);
    } else if (word.text == "ptr" && space == Space::param) {
      of_pointee = true;
    } else if (vector_of(word.text) > 1) {
      kind.vector = vector_of(word.text);
    } else if (bytes_of_type(word.text) && kind.type.empty()) {
      kind.type = word.text;
    } else if (!of_pointee || !space_of(word.text)) {
      cursor.fail(word,
                  fmt::format("{} is not valid here; a variable is declared as .space .align N .type name",
                              quoted(word)));
    }
  }
  if (kind.type.empty()) cursor.fail_expected("a type such as .b32");
  return kind;
}

/// [4][2], []: only the first extent may be omitted.
void parse_extents(Cursor& cursor, Variable& variable) {
  while (cursor.at_symbol("[")) {
    const Token open = cursor.take();
    if (variable.extents.size() == limits::dimensions)
      cursor.fail(open, fmt::format("the array {} has more than {} dimensions; flatten it",
                                    quoted(variable.name), limits::dimensions));
    const bool is_open = cursor.at_symbol("]");
    const std::uint64_t extent =
        is_open ? 0 : parse_count(cursor, limits::variable_bytes, "the extent of an array");
    if (extent == 0 && !variable.extents.empty())
      cursor.fail(open, fmt::format("only the first extent of {} may be omitted or 0; specify this one",
                                    quoted(variable.name)));
    variable.extents.push_back(extent);
    cursor.expect_symbol("]", "after the extent");
  }
}

/// Rejects variables larger than limits::variable_bytes, dimension by dimension so that no product overflows.
void check_size(const Cursor& cursor, const Token& name, const Variable& variable) {
  std::uint64_t bytes = std::uint64_t{bytes_of_type(variable.type).value_or(1)} * variable.vector;
  for (std::uint64_t extent : variable.extents) {
    if (extent > limits::variable_bytes / bytes)
      cursor.fail(name, fmt::format("the array {} is larger than {} bytes; allocate it at run time",
                                    quoted(variable.name), limits::variable_bytes));
    bytes *= std::max<std::uint64_t>(extent, 1);
  }
}

/// %r<5>
void parse_register_count(Cursor& cursor, Variable& variable) {
  if (!cursor.accept_symbol("<")) return;
  variable.register_count =
      static_cast<std::uint32_t>(parse_count(cursor, limits::registers, "a number of registers"));
  cursor.expect_symbol(">", "after the number of registers");
}

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
  value.mask = parse_count(cursor, ~std::uint64_t{0}, "the mask of an address");
  bool one_byte = false;
  for (unsigned byte = 0; byte < 8; ++byte) one_byte |= value.mask == std::uint64_t{0xFF} << (8 * byte);
  if (!one_byte)
    cursor.fail(token, fmt::format("the mask {} does not select one byte; write 0xFF, 0xFF00, 0xFF0000, …",
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
  cursor.fail(at, fmt::format("{} has type .{}; its initial value must be {} number", quoted(variable.name),
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
        cursor_.fail(cursor_.peek(), fmt::format("{} has more initial values than elements; it holds {} here",
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
                   fmt::format("the short rows of {} omit more than {} values; write them in full",
                               quoted(variable_.name), limits::padded_values));
    cursor_.count_nodes(values);
    variable_.initial.resize(variable_.initial.size() + values);
  }

  Cursor& cursor_;
  Variable& variable_;
  std::vector<std::uint64_t> shape_;
  std::uint64_t rows_ = 0, padded_ = 0;
};

/// Parses `= …` into `variable.initial`: flattened in memory order, with short inner rows padded with zeros.
/// Counts the rows of an array whose first extent was omitted.
void parse_initializer(Cursor& cursor, Variable& variable) {
  if (variable.space != Space::global && variable.space != Space::constant)
    cursor.fail(cursor.peek(), fmt::format("{} cannot have an initial value; only .global and .const can",
                                           quoted(variable.name)));
  cursor.expect_symbol("=", "before the initial value");
  if (variable.extents.empty() && variable.vector == 1)
    variable.initial.push_back(parse_value(cursor, variable));
  else
    Braces(cursor, variable).parse();
}

/// name, name<5>, name[4][2], each with its initial values.
Variable parse_declarator(Cursor& cursor, const Variable& kind) {
  Variable variable = kind;
  const Token name = cursor.expect(Token::Kind::name, "the name of the variable");
  variable.name = name.text;
  variable.ptx_line = name.line;
  cursor.count_nodes();
  if (variable.space == Space::reg) {
    parse_register_count(cursor, variable);
    return variable;
  }
  parse_extents(cursor, variable);
  check_size(cursor, name, variable);
  if (cursor.at_symbol("=")) {
    parse_initializer(cursor, variable);
    check_size(cursor, name, variable);
  }
  return variable;
}

Space parse_space(Cursor& cursor) {
  if (!cursor.at(Token::Kind::dotted) || !space_of(cursor.peek().text))
    cursor.fail_expected("a state space: .reg, .param, .shared, .local, .const or .global");
  return *space_of(cursor.take().text);
}

}  // namespace

void skip_attribute(Cursor& cursor) {
  cursor.expect_symbol("(", "after .attribute");
  do {
    cursor.expect(Token::Kind::dotted, "an attribute such as .managed");
    if (!cursor.accept_symbol("(")) continue;
    do parse_count(cursor, ~std::uint64_t{0}, "the number of an attribute");
    while (cursor.accept_symbol(","));
    cursor.expect_symbol(")", "after the numbers of the attribute");
  } while (cursor.accept_symbol(","));
  cursor.expect_symbol(")", "after the attributes");
}

std::vector<Variable> parse_variables(Cursor& cursor, bool is_extern, std::uint32_t begin) {
  Variable kind = parse_kind(cursor, parse_space(cursor));
  kind.is_extern = is_extern;
  std::vector<Variable> variables;
  do variables.push_back(parse_declarator(cursor, kind));
  while (cursor.accept_symbol(","));
  cursor.expect_symbol(";", "after the declaration");
  for (Variable& variable : variables) variable.extent = {begin, cursor.end_of_last()};
  return variables;
}

std::vector<Variable> parse_parameters(Cursor& cursor) {
  std::vector<Variable> parameters;
  if (!cursor.accept_symbol("(") || cursor.accept_symbol(")")) return parameters;
  do {
    const Token start = cursor.peek();
    const std::uint32_t begin = cursor.begin_of_next();
    const Space space = parse_space(cursor);
    if (space != Space::reg && space != Space::param)
      cursor.fail(start, fmt::format("a parameter must be in .param or .reg, not in {}", quoted(start)));
    parameters.push_back(parse_declarator(cursor, parse_kind(cursor, space)));
    parameters.back().extent = {begin, cursor.end_of_last()};
  } while (cursor.accept_symbol(","));
  cursor.expect_symbol(")", "after the parameters");
  return parameters;
}

}  // namespace foldproof::ptx
