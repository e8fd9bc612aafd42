// Operands of instructions.
#include "ptx/documents.h"

using namespace foldproof::ptx;
using foldproof::tests::contains_text;

namespace {
Name name_of(const Operand& operand) { return std::get<Name>(operand.value); }
AddressOf address_of(const std::string& text) { return std::get<AddressOf>(operand_of(text).value); }
}  // namespace

TEST_CASE("A name may have a component", "[ptx][operand]") {
  CHECK(name_of(operand_of("%tid.x")).text == "%tid");
  CHECK(name_of(operand_of("%tid.x")).component == "x");
  CHECK(name_of(operand_of("vector.r")).component == "r");
  CHECK(name_of(operand_of("%r1")).component.empty());
  CHECK(name_of(operand_of("$L__BB0_2")).text == "$L__BB0_2");
  CHECK(name_of(operand_of("_")).text == "_");
  CHECK(name_of(operand_of("x")).text == "x");
}

TEST_CASE("A variable may be followed by an offset", "[ptx][operand]") {
  const Operand operand = operand_of("table+4*3");
  CHECK(name_of(operand).text == "table");
  CHECK(operand.offset == 12);
  CHECK(operand_of("table-8").offset == -8);
}

TEST_CASE("An address has a base and an offset, or only a number", "[ptx][operand]") {
  CHECK(address_of("[%rd1]").base->text == "%rd1");
  CHECK(address_of("[%rd1]").offset == 0);
  CHECK(address_of("[%rd1+-4]").offset == -4);
  CHECK(address_of("[%rd1+ 0x10]").offset == 16);
  CHECK(address_of("[%rd1-4]").offset == -4);
  CHECK(address_of("[a+4+4]").offset == 8);
  CHECK(address_of("[func_retval0+0]").base->text == "func_retval0");
  CHECK(!address_of("[4096]").base.has_value());
  CHECK(address_of("[4096]").offset == 4096);
}

TEST_CASE("A tensor or texture address has coordinates", "[ptx][operand]") {
  const AddressOf address = address_of("[map, {%r1, 2}]");
  REQUIRE(address.coordinates.size() == 1);
  const auto& coordinates = std::get<std::vector<Operand>>(address.coordinates[0].value);
  REQUIRE(coordinates.size() == 2);
  CHECK(text_of(coordinates[0]) == "%r1");
  CHECK(std::get<Literal>(coordinates[1].value).bits == 2);
  CHECK(address_of("[texture, sampler, {%r1, %r2}]").coordinates.size() == 2);
}

TEST_CASE("Vectors hold names, numbers and the bit bucket", "[ptx][operand]") {
  const Operand operand = operand_of("{%r1, _, -3, 0f3F800000}");
  const auto& elements = std::get<std::vector<Operand>>(operand.value);
  REQUIRE(elements.size() == 4);
  CHECK(text_of(elements[0]) == "%r1");
  CHECK(text_of(elements[1]) == "_");
  CHECK(std::get<Literal>(elements[2].value).bits == ~std::uint64_t{2});
  CHECK(std::get<Literal>(elements[3].value).form == Literal::Form::f32);
}

TEST_CASE("A destination may be paired with a predicate", "[ptx][operand]") {
  const Function function = function_of(
      "shfl.sync.down.b32 %r4|%p1, %r3, 16, 31, -1; setp.lt.and.f32 p|q, a, b, !c;"
      "elect.sync _|%p2, %r1;");
  const auto statements = all<Statement>(*function.body);
  REQUIRE(statements.size() == 3);
  CHECK(text_of(statements[0]->operands[0]) == "%r4");
  CHECK(statements[0]->operands[0].paired_predicate->text == "%p1");
  CHECK(!statements[0]->operands[1].paired_predicate.has_value());
  CHECK(statements[1]->operands[0].paired_predicate->text == "q");
  CHECK(statements[1]->operands[3].negated);
  CHECK(text_of(statements[1]->operands[3]) == "c");
  CHECK(text_of(statements[2]->operands[0]) == "_");
}

TEST_CASE("Invalid operands are refused", "[ptx][operand][errors]") {
  const auto refusal = [](const std::string& text) { return refusal_in_body("mov.b64 %rd1, " + text + ";"); };
  CHECK_THAT(refusal("-%r1"), contains_text("negate it with 'neg' first"));
  CHECK_THAT(refusal("{%r1, {%r2}}"), contains_text("as an element of the vector"));
  CHECK_THAT(refusal("{%r1, [%r2]}"), contains_text("as an element of the vector"));
  CHECK_THAT(refusal("{}"), contains_text("expected an operand, found '}'"));
  CHECK_THAT(refusal("{%r1"), contains_text("expected '}' to close the vector"));
  CHECK_THAT(refusal("[%r1"), contains_text("expected ']' to close the address"));
  CHECK_THAT(refusal("[]"), contains_text("a register, a variable or a number as the address"));
  CHECK_THAT(refusal("[1.5]"), contains_text("expected an integer as the address"));
  CHECK_THAT(refusal("[a+1.5]"), contains_text("expected an integer as the offset"));
  CHECK_THAT(refusal("[a, [b, [c]]]"), contains_text("the coordinates as a vector or a register"));
  CHECK_THAT(refusal("table[2]"), contains_text("write [name+bytes]"));
  CHECK_THAT(refusal("a|3"), contains_text("a predicate after '|'"));
  CHECK_THAT(refusal("a,"), contains_text("expected an operand, found ';'"));
  CHECK_THAT(refusal("\"text\""), contains_text("expected an operand"));
  std::string many = "{a";
  for (int i = 0; i < 300; ++i) many += ",a";
  CHECK_THAT(refusal(many + "}"), contains_text("more than 256 elements"));
}
