// Directives that the parser does not know: their positions and where they end.
#include "ptx/documents.h"
#include "ptx/edit.h"

using namespace foldproof::ptx;
using Where = UnknownDirective::Where;

namespace {

/// The only unknown directive of the text, as it is spelled there.
std::string unknown_in(const std::string& lines) {
  const Source source("test.ptx", ".version 9.0 .target sm_90\n" + lines);
  REQUIRE(source.module().unknown.size() == 1);
  return std::string(text_of(source, source.module().unknown[0].extent));
}

}  // namespace

TEST_CASE("An unknown directive is kept with its name and position", "[ptx][unknown]") {
  const Module module =
      module_of("\n  .visible .kernel k() { ret; }\n.entry e() .fast 1, 2 { .hint x; ret; }");
  REQUIRE(module.unknown.size() == 3);
  CHECK(module.unknown[0].where == Where::module);
  CHECK(module.unknown[0].name == "kernel");
  CHECK(module.unknown[0].line == 2);
  CHECK(module.unknown[0].column == 12);
  CHECK(module.unknown[1].where == Where::function_head);
  CHECK(module.unknown[1].name == "fast");
  CHECK(module.unknown[1].function == "e");
  CHECK(module.unknown[2].where == Where::function_body);
  CHECK(module.unknown[2].name == "hint");
  CHECK(all<Statement>(*module.functions.at(0).body).size() == 1);
}

TEST_CASE(
    "At module scope an unknown directive ends at its semicolon, its brace or the next directive's line",
    "[ptx][unknown]") {
  CHECK(unknown_in(".visible .new a, .b32 b[2];\n.global .b32 g;") == ".visible .new a, .b32 b[2];");
  CHECK(unknown_in(".new (\n.b32 a\n) { x; }\n.global .b32 g;") == ".new (\n.b32 a\n) { x; }");
  CHECK(unknown_in(".new 64\n.global .b32 g;") == ".new 64");
  CHECK(unknown_in(".new") == ".new");
}

TEST_CASE(
    "In a body an unknown directive ends at its semicolon, the end of the scope or the next directive's line",
    "[ptx][unknown]") {
  CHECK(unknown_in(".entry k() { .new a[{1, 2}]; ret; }") == ".new a[{1, 2}];");
  CHECK(unknown_in(".entry k() { .new a }") == ".new a");
  CHECK(unknown_in(".entry k() { .new a\n.reg .b32 x; ret; }") == ".new a");
}

TEST_CASE("In a function's head an unknown directive ends at the next directive, the body or the semicolon",
          "[ptx][unknown]") {
  CHECK(unknown_in(".entry k() .new 1, (2) .maxnreg 32 { ret; }") == ".new 1, (2)");
  CHECK(unknown_in(".entry k() .new { ret; }") == ".new");
  CHECK(unknown_in(".func f() .new 1;") == ".new 1");
}
