// Entries, functions, their directives, and aliases.
#include "ptx/documents.h"

using namespace foldproof::ptx;
using Extents = std::vector<std::uint32_t>;
using foldproof::tests::contains_text;

TEST_CASE("Entries and functions have parameters and results", "[ptx][function]") {
  const Module module = module_of(
      ".visible .entry kernel(.param .u64 a) { ret; }\n"
      ".func (.param .align 4 .b8 r[20]) f(.param .b32 a, .param .b32 b) { ret; }\n"
      ".weak .func (.reg .b32 r) g(.reg .b32 a) { mov.u32 r, a; ret; }\n"
      ".func nothing { ret; } .func __trap\n()\n;");
  REQUIRE(module.functions.size() == 5);
  CHECK(module.functions[0].is_entry);
  CHECK(module.functions[0].name == "kernel");
  CHECK(module.functions[0].parameters.size() == 1);
  CHECK(!module.functions[1].is_entry);
  CHECK(module.functions[1].returns.at(0).extents == std::vector<std::uint64_t>{20});
  CHECK(module.functions[1].parameters.size() == 2);
  CHECK(module.functions[1].ptx_line == 2);
  CHECK(module.functions[2].parameters.at(0).space == Space::reg);
  CHECK(module.functions[3].body);
  CHECK(!module.functions[4].body);
}

TEST_CASE("A definition replaces its declarations", "[ptx][function]") {
  const Module module =
      module_of(".func f(.param .b32 a); .extern .func g; .func f(.param .b32 a) { ret; } .func f();");
  REQUIRE(module.functions.size() == 2);
  CHECK(module.functions[0].name == "f");
  CHECK(module.functions[0].body);
  CHECK(module.functions[1].is_extern);
}

TEST_CASE("Launch bounds and clusters are kept with their numbers", "[ptx][function]") {
  const Module module = module_of(
      ".visible .entry k()\n.maxntid 256, 1, 1\n.reqntid 64\n.minnctapersm 2\n.maxnreg 32\n.explicitcluster\n"
      ".reqnctapercluster 2, 1, 1\n.maxclusterrank 8\n.blocksareclusters\n.pragma \"x\";\n{ ret; }\n"
      ".extern .func f() .noreturn; .func .attribute(.unified(1, 2)) g() .unified .abi_preserve 4 { ret; }");
  const auto& directives = module.functions.at(0).directives;
  CHECK(directives.at("maxntid") == Extents{256, 1, 1});
  CHECK(directives.at("reqntid") == Extents{64});
  CHECK(directives.at("minnctapersm") == Extents{2});
  CHECK(directives.at("maxnreg") == Extents{32});
  CHECK(directives.at("explicitcluster").empty());
  CHECK(directives.at("reqnctapercluster") == Extents{2, 1, 1});
  CHECK(directives.at("maxclusterrank") == Extents{8});
  CHECK(directives.count("blocksareclusters") == 1);
  CHECK(module.functions.at(1).directives.count("noreturn") == 1);
  CHECK(module.functions.at(2).directives.count("unified") == 1);
}

TEST_CASE("An alias refers to a function", "[ptx][function]") {
  const Module module = module_of(".func g(); .func f() { ret; } .alias g, f;");
  CHECK(module.aliases.at("g").function == "f");
}

TEST_CASE("Invalid functions are refused", "[ptx][function][errors]") {
  CHECK_THAT(refusal_in_module(".func f() { } .func f() { }"), contains_text("'f' is defined twice"));
  CHECK_THAT(refusal_in_module(".entry (.param .b32 r) k() { }"), contains_text("cannot return values"));
  CHECK_THAT(refusal_in_module(".entry k() .fast { }"),
             contains_text("unknown directive '.fast' of the function 'k'"));
  CHECK_THAT(refusal_in_module(".entry k() .maxntid 1, 2, 3, 4 { }"), contains_text("at most 3 numbers"));
  CHECK_THAT(refusal_in_module(".entry k() .reqntid 32, 0 { }"),
             contains_text(".reqntid takes positive numbers, not 0"));
  CHECK_THAT(refusal_in_module(".entry k() .maxnreg { }"), contains_text("expected a number"));
  CHECK_THAT(refusal_in_module(".entry k() .maxnreg 5000000000 { }"), contains_text("from 0 to 4294967295"));
  CHECK_THAT(refusal_in_module(".entry k(.param .b32 a { }"),
             contains_text("expected ')' after the parameters"));
  CHECK_THAT(refusal_in_module(".entry { }"), contains_text("the name of the function"));
  CHECK_THAT(refusal_in_module(".entry k() mov"), contains_text("to open the body"));
  CHECK_THAT(refusal_in_module(".kernel k() { }"),
             contains_text("unknown directive '.kernel' at module scope"));
  CHECK_THAT(refusal_in_module("mov.u32 a, b;"), contains_text("a directive such as .visible"));
}
