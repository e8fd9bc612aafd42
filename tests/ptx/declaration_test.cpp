// Variables, registers, parameters and initial values.
#include "ptx/documents.h"

using namespace foldproof::ptx;
using foldproof::tests::contains_text;

namespace {
Variable variable_of(const std::string& line) {
  const Module module = module_of(line);
  REQUIRE(!module.variables.empty());
  return module.variables.back();
}
std::vector<std::uint64_t> numbers_of(const std::string& line) {
  std::vector<std::uint64_t> numbers;
  for (const Variable::Value& value : variable_of(line).initial)
    numbers.push_back(std::get<Literal>(value.value).bits);
  return numbers;
}
using Numbers = std::vector<std::uint64_t>;
}  // namespace

TEST_CASE("Registers are declared singly, in lists and in ranges", "[ptx][declaration]") {
  const Function function =
      function_of(".reg .b32 %r<5>, x, t<3>; .reg .pred %p<2>; .reg .v4 .f32 v; .reg .b128 %q<1>;");
  const auto variables = all<Variable>(*function.body);
  REQUIRE(variables.size() == 6);
  CHECK(variables[0]->name == "%r");
  CHECK(variables[0]->register_count == 5u);
  CHECK(variables[0]->space == Space::reg);
  CHECK(variables[0]->type == "b32");
  CHECK(variables[1]->name == "x");
  CHECK(!variables[1]->register_count.has_value());
  CHECK(variables[2]->register_count == 3u);
  CHECK(variables[2]->type == "b32");
  CHECK(variables[3]->type == "pred");
  CHECK(variables[4]->vector == 4);
  CHECK(variables[5]->type == "b128");
}

TEST_CASE("Variables have space, type, alignment, vector width and extents", "[ptx][declaration]") {
  const Function function = function_of(
      ".local .align 16 .b8 __local_depot3[32]; .shared .align 8 .f64 tile[8][33]; .shared .v2 .f32 pair, "
      "one[4];");
  const auto variables = all<Variable>(*function.body);
  REQUIRE(variables.size() == 4);
  CHECK(variables[0]->space == Space::local);
  CHECK(variables[0]->alignment == 16);
  CHECK(variables[0]->extents == Numbers{32});
  CHECK(variables[1]->space == Space::shared);
  CHECK(variables[1]->extents == Numbers{8, 33});
  CHECK(variables[2]->vector == 2);
  CHECK(variables[2]->extents.empty());
  CHECK(variables[3]->vector == 2);
  CHECK(variables[3]->extents == Numbers{4});
}

TEST_CASE("Linkage precedes the space", "[ptx][declaration]") {
  CHECK(variable_of(".extern .shared .align 16 .b8 dyn[];").is_extern);
  CHECK(variable_of(".extern .shared .align 16 .b8 dyn[];").extents == Numbers{0});
  CHECK(variable_of(".visible .const .b32 c;").space == Space::constant);
  CHECK(variable_of(".weak .global .b32 w;").space == Space::global);
  CHECK(variable_of(".common .global .b32 w;").space == Space::global);
  CHECK(variable_of(".visible .global .attribute(.managed) .align 4 .u32 m;").alignment == 4);
  CHECK(variable_of(".global .attribute(.unified(19, 95)) .u32 m;").type == "u32");
}

TEST_CASE("A definition replaces its declarations, before or after it", "[ptx][declaration]") {
  const Module module =
      module_of(".extern .global .b32 x; .global .b32 y; .global .b32 x = 5; .extern .global .b32 x;");
  REQUIRE(module.variables.size() == 2);
  CHECK(module.variables[0].name == "x");
  CHECK(!module.variables[0].is_extern);
  CHECK(module.variables[0].initial.size() == 1);
}

TEST_CASE("Initial values are numbers of the variable's type", "[ptx][initializer]") {
  CHECK(numbers_of(".global .u32 x = 5;") == Numbers{5});
  CHECK(numbers_of(".global .s8 x = -1;") == Numbers{~0ull});
  CHECK(numbers_of(".global .u32 x = (1 << 4) + 2;") == Numbers{18});
  CHECK(numbers_of(".global .f32 x = 0f3F800000;") == Numbers{0x3F800000});
  CHECK(numbers_of(".const .f64 x = 0d3FF0000000000000;") == Numbers{0x3FF0000000000000});
  CHECK(numbers_of(".const .f64 x = 1.0;") == Numbers{0x3FF0000000000000});
  CHECK(numbers_of(".global .align 1 .b8 s[4] = {104, 0x69, 10};") == Numbers{104, 0x69, 10});
  CHECK(numbers_of(".global .v2 .f32 x = {1.0, 0f00000000};") == Numbers{0x3FF0000000000000, 0});
}

TEST_CASE("Short inner rows are filled with zeros", "[ptx][initializer]") {
  CHECK(numbers_of(".global .u32 x[2][2] = {{1}, {2, 3}};") == Numbers{1, 0, 2, 3});
  CHECK(numbers_of(".global .u32 x[3][2] = {{1, 2}};") == Numbers{1, 2});
  CHECK(numbers_of(".global .v2 .u32 x[2] = {{1, 2}, {3}};") == Numbers{1, 2, 3, 0});
  CHECK(numbers_of(".global .u32 x[2][2][2] = {{{1}, {2}}, {{3, 4}}};") == Numbers{1, 0, 2, 0, 3, 4, 0, 0});
}

TEST_CASE("An open extent is computed from the initial values", "[ptx][initializer]") {
  CHECK(variable_of(".global .u32 x[] = {1, 2, 3};").extents == Numbers{3});
  CHECK(variable_of(".global .u32 x[][2] = {{1}, {2, 3}, {4}};").extents == Numbers{3, 2});
}

TEST_CASE("Addresses of variables and functions can be initial values", "[ptx][initializer]") {
  const Variable table = variable_of(".global .u64 t[5] = {f, generic(gx)+12, g-4, generic(h+8), 0};");
  REQUIRE(table.initial.size() == 5);
  CHECK(std::get<Name>(table.initial[0].value).text == "f");
  CHECK(!table.initial[0].generic);
  CHECK(table.initial[0].mask == ~0ull);
  CHECK(std::get<Name>(table.initial[1].value).text == "gx");
  CHECK(table.initial[1].generic);
  CHECK(table.initial[1].offset == 12);
  CHECK(table.initial[2].offset == -4);
  CHECK(table.initial[3].generic);
  CHECK(table.initial[3].offset == 8);
  CHECK(std::holds_alternative<Literal>(table.initial[4].value));
}

TEST_CASE("A mask selects one byte of an address", "[ptx][initializer]") {
  const Variable bytes =
      variable_of(".global .u8 b[4] = {0xFF(x), 0xFF00(generic(x)+3), 0xFF00000000000000(f), 7};");
  REQUIRE(bytes.initial.size() == 4);
  CHECK(bytes.initial[0].mask == 0xFF);
  CHECK(bytes.initial[1].mask == 0xFF00);
  CHECK(bytes.initial[1].generic);
  CHECK(bytes.initial[1].offset == 3);
  CHECK(bytes.initial[2].mask == 0xFF00000000000000);
  CHECK(std::get<Name>(bytes.initial[2].value).text == "f");
}

TEST_CASE("Parameters may be arrays, aligned, or pointers with a description of the pointee",
          "[ptx][declaration]") {
  const Module module = module_of(
      ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[32], .param .u64 .ptr q,"
      " .param .v4 .f32 v) { ret; }");
  const auto& parameters = module.functions.at(0).parameters;
  REQUIRE(parameters.size() == 4);
  CHECK(parameters[0].name == "p");
  CHECK(parameters[0].alignment == 0);  // 16 is the alignment of the pointee
  CHECK(parameters[0].space == Space::param);
  CHECK(parameters[1].alignment == 8);
  CHECK(parameters[1].extents == Numbers{32});
  CHECK(parameters[2].name == "q");
  CHECK(parameters[3].vector == 4);
}

TEST_CASE("Excessive sizes are refused before anything is allocated", "[ptx][declaration][errors]") {
  CHECK_THAT(refusal_in_body(".reg .b32 %r<4000000000>;"),
             contains_text("must be an integer from 0 to 1048576"));
  CHECK_THAT(refusal_in_body(".reg .b32 %r<1000000>, %q<1000000>;"),
             contains_text("more than 1048576 registers"));
  CHECK_THAT(refusal_in_body(".reg .b32 %r<-1>;"), contains_text("expected a number"));
  CHECK_THAT(refusal_in_module(".global .b8 x[99999999999];"),
             contains_text("the extent of an array must be"));
  CHECK_THAT(refusal_in_module(".global .b64 x[4294967295];"), contains_text("larger than 4294967296 bytes"));
  CHECK_THAT(refusal_in_module(".global .b8 x[4294967295][4294967295][4294967295];"),
             contains_text("larger than"));
  CHECK_THAT(refusal_in_module(".global .b32 x[2][1000000000] = {{1}, {2}};"), contains_text("larger than"));
  CHECK_THAT(refusal_in_module(".global .b8 x[2][2000000000] = {{1}, {2}};"),
             contains_text("write them in full"));
  CHECK_THAT(refusal_in_module(".global .b8 x[][2000000000] = {{1}, {2}, {3}};"),
             contains_text("write them in full"));
  CHECK_THAT(refusal_in_module(".global .b8 x[1][1][1][1][1][1][1][1][1];"),
             contains_text("more than 8 dimensions"));
  CHECK_THAT(refusal_in_module(".global .align 2147483648 .b8 x;"), contains_text("an alignment must be"));
}

TEST_CASE("Contradictory declarations are refused", "[ptx][declaration][errors]") {
  CHECK_THAT(refusal_in_module(".global .align 3 .b8 x;"), contains_text("not a power of two"));
  CHECK_THAT(refusal_in_module(".global .align 0 .b8 x;"), contains_text("not a power of two"));
  CHECK_THAT(refusal_in_module(".global x;"), contains_text("expected a type such as .b32"));
  CHECK_THAT(refusal_in_module(".global .b33 x;"), contains_text("'.b33' is not valid here"));
  CHECK_THAT(refusal_in_module(".global .b32 .b32 x;"), contains_text("'.b32' is not valid here"));
  CHECK_THAT(refusal_in_module(".global .b32 x[2][];"), contains_text("only the first extent"));
  CHECK_THAT(refusal_in_module(".global .b32 x[2][0];"), contains_text("only the first extent"));
  CHECK_THAT(refusal_in_module(".global .b32 x; .global .b32 x;"), contains_text("'x' is defined twice"));
  CHECK_THAT(refusal_in_module(".reg .b32 x;"), contains_text("'.reg' belongs inside a function"));
  CHECK_THAT(refusal_in_module(".global .b32 x[2] = {1, 2, 3};"),
             contains_text("more initial values than elements"));
  CHECK_THAT(refusal_in_module(".global .b32 x[2][2] = {1, 2};"),
             contains_text("to open a row of initial values"));
  CHECK_THAT(refusal_in_module(".global .b32 x = {1};"), contains_text("a number or a name"));
  CHECK_THAT(refusal_in_module(".shared .b32 x = 1;"), contains_text("only .global and .const can"));
  CHECK_THAT(refusal_in_module(".global .f32 x = 1;"), contains_text("must be a floating-point number"));
  CHECK_THAT(refusal_in_module(".global .u32 x = 1.0;"), contains_text("must be an integer number"));
  CHECK_THAT(refusal_in_module(".global .u8 x = 0xFFF(y);"), contains_text("does not select one byte"));
  CHECK_THAT(refusal_in_module(".entry k(.shared .b32 p);"), contains_text("must be in .param or .reg"));
  CHECK_THAT(refusal_in_module(".entry k(.b32 p);"), contains_text("expected a state space"));
}
