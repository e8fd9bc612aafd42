// PTX text that is parsed only once, and edits to it.
#include "ptx/source.h"

#include "ptx/documents.h"
#include "ptx/edit.h"

using namespace foldproof::ptx;

namespace {

Source source_of(const std::string& lines) {
  return Source("test.ptx", ".version 9.0 .target sm_90\n" + lines);
}

/// The lines that remain after `without` removes the module's first variable.
std::string without_variable(const std::string& lines) {
  const Source source = source_of(lines);
  const Extent extents[] = {source.module().variables.at(0).extent};
  return without(source, extents).substr(source_of("").text().size());
}

}  // namespace

TEST_CASE("Copies of a source share one tree", "[ptx][source]") {
  const Source source = source_of(".entry k() { ret; }");
  const Source copy = source;
  CHECK(&copy.module() == &source.module());
  CHECK(copy.name() == "test.ptx");
}

TEST_CASE("A source that is not PTX can be kept, and every access to its tree throws", "[ptx][source]") {
  const Source source("test.ptx", "no PTX");
  CHECK(source.text() == "no PTX");
  CHECK_THROWS_AS(source.module(), foldproof::InputError);
  CHECK_THROWS_AS(source.module(), foldproof::InputError);
  CHECK(Source().text().empty());
}

TEST_CASE("The target is read from the header alone", "[ptx][source]") {
  CHECK(parse_target(".version 9.0\n.target sm_90a, debug\n.address_size 64\nand so on: \x01", "test.ptx") ==
        "sm_90a");
}

TEST_CASE("The extent of an operand is its text without commas and surrounding blanks", "[ptx][edit]") {
  const Source source = source_of(".entry k() { @%p1 shfl.sync.b32 %r1|%p2 , {%r2,%r3}, [ %rd1+4 ], -1; }");
  const Function& function = source.module().functions.at(0);
  const auto statements = all<Statement>(*function.body);
  const Statement& statement = *statements.at(0);
  CHECK(text_of(source, statement.operands.at(0).extent) == "%r1|%p2");
  CHECK(text_of(source, statement.operands.at(1).extent) == "{%r2,%r3}");
  CHECK(text_of(source, statement.operands.at(2).extent) == "[ %rd1+4 ]");
  CHECK(text_of(source, statement.operands.at(3).extent) == "-1");
}

TEST_CASE("The extent of a declaration begins at its first directive", "[ptx][edit]") {
  const Source source = source_of(
      ".visible .global .b32 a = 1, b;\n.visible .func f();\n.func f() { ret; }\n.extern .shared .b8 s[];");
  const Module& module = source.module();
  CHECK(text_of(source, module.variables.at(0).extent) == ".visible .global .b32 a = 1, b;");
  CHECK(text_of(source, module.variables.at(2).extent) == ".extern .shared .b8 s[];");
  CHECK(text_of(source, module.functions.at(0).extent) == ".func f() { ret; }");
  CHECK(text_of(source, module.functions.at(0).declarations.at(0)) == ".visible .func f();");
}

TEST_CASE("A statement is replaced and the rest is unchanged", "[ptx][edit]") {
  const Source source = source_of(".entry k() { bar.sync 0; /* x */ ret; }");
  const auto statements = all<Statement>(*source.module().functions.at(0).body);
  CHECK(replaced(source, statements.at(0)->extent, "") ==
        ".version 9.0 .target sm_90\n.entry k() {  /* x */ ret; }");
}

TEST_CASE("Lines left blank by an edit are removed; other blank lines are kept", "[ptx][edit]") {
  CHECK(without_variable(".global .b32 a;\n\n.global .b32 b;\n") == "\n.global .b32 b;\n");
  CHECK(without_variable("\t.global\n.b32 a; \n.global .b32 b;\n") == ".global .b32 b;\n");
  CHECK(without_variable(".global .b32 a; // why\n") == " // why\n");
  CHECK(without_variable(".global .b32 a;") == "");
}

TEST_CASE("Several extents are removed in one edit, in any order", "[ptx][edit]") {
  const Source source = source_of(".global .b32 a;\n.global .b32 b;\n.global .b32 c;\n");
  const auto& variables = source.module().variables;
  const Extent extents[] = {variables.at(2).extent, variables.at(0).extent};
  CHECK(without(source, extents) == ".version 9.0 .target sm_90\n.global .b32 b;\n");
}
