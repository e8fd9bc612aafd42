// .file, .loc and the names of inlined functions in .debug_str.
#include "ptx/documents.h"

using namespace foldproof::ptx;
using foldproof::tests::contains_text;

namespace {
const Loc& loc_of(const Module& module, std::size_t statement) {
  return module.locs.at(all<Statement>(*module.functions.at(0).body).at(statement)->at.loc);
}
}  // namespace

TEST_CASE("Each statement has the .loc before it", "[ptx][lines]") {
  const Module module = module_of(
      ".entry a() { ret; .loc 1 6 0\n mov.u32 x, 1; .loc 2 7 29\n @p exit; ret; }\n.entry b() { ret; }\n"
      ".file 1 \"/tmp/a.cu\"\n.file 2 \"/tmp/b.cuh\", 123456, 789\n");
  CHECK(all<Statement>(*module.functions[0].body)[0]->at.loc == 0);
  CHECK(loc_of(module, 1).file == 1);
  CHECK(loc_of(module, 1).line == 6);
  CHECK(loc_of(module, 1).column == 0);
  CHECK(loc_of(module, 2).file == 2);
  CHECK(loc_of(module, 3).column == 29);
  CHECK(all<Statement>(*module.functions[1].body)[0]->at.loc ==
        0);  // no line is inherited from another function
  CHECK(module.files.at(1) == "/tmp/a.cu");
  CHECK(module.files.at(2) == "/tmp/b.cuh");
}

TEST_CASE("The chain of call sites of an inlined statement can be walked", "[ptx][lines]") {
  const Module module = module_of(
      ".entry k() {\n"
      ".loc 1 28 3\n"
      ".loc 2 261 5, function_name $L__info_string0, inlined_at 1 28 3\n"
      ".loc 3 92 9, function_name $L__info_string1, inlined_at 2 261 5\n"
      "mov.u32 x, %envreg2;\n"
      ".loc 1 28 3\nret;\n}\n"
      ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,52\n.b8 115,121,110,99,69,118,0\n"
      "$L__info_string1:\n.b8 111,0\n}\n");
  const Loc& innermost = loc_of(module, 0);
  CHECK(innermost.file == 3);
  CHECK(innermost.function == "o");
  const Loc& middle = module.locs.at(innermost.inlined_at);
  CHECK(middle.line == 261);
  CHECK(middle.function == "_Z4syncEv");
  const Loc& outermost = module.locs.at(middle.inlined_at);
  CHECK(outermost.line == 28);
  CHECK(outermost.function.empty());
  CHECK(outermost.inlined_at == 0);
  CHECK(loc_of(module, 1).inlined_at == 0);
}

TEST_CASE("A call site refers to its last preceding .loc", "[ptx][lines]") {
  const Module module = module_of(
      ".entry k() {\n.loc 1 1 1\n.loc 2 5 5, function_name a, inlined_at 1 1 1\n"
      ".loc 1 9 9\n.loc 2 5 5, function_name a, inlined_at 1 9 9\n"
      ".loc 3 7 7, function_name b, inlined_at 2 5 5\nret;\n}");
  const Loc& site = module.locs.at(loc_of(module, 0).inlined_at);
  CHECK(module.locs.at(site.inlined_at).line == 9);
}

TEST_CASE("A call site or name that is missing from the text is left empty", "[ptx][lines]") {
  const Module module =
      module_of(".entry k() {\n.loc 2 5 5, function_name missing, inlined_at 1 1 1\nret;\n}\n");
  CHECK(loc_of(module, 0).inlined_at == 0);
  CHECK(loc_of(module, 0).function.empty());
}

TEST_CASE("A name may be at an offset in .debug_str", "[ptx][lines]") {
  const Module module = module_of(
      ".entry k() {\n.loc 1 1 1\n.loc 1 2 2, function_name s+2, inlined_at 1 1 1\nret;\n"
      ".loc 1 2 2, function_name .debug_str+1, inlined_at 1 1 1\nret;\n"
      ".loc 1 2 2, function_name s+99, inlined_at 1 1 1\nret;\n}\n.section .debug_str { s: .b8 97, 0, 98, "
      "99, 0 }");
  CHECK(loc_of(module, 0).function == "bc");
  CHECK(loc_of(module, 1).function.empty());
  CHECK(loc_of(module, 2).function.empty());
}

TEST_CASE("Other DWARF sections are ignored", "[ptx][lines]") {
  const Module module = module_of(
      ".section .debug_loc\n{\n$L__debug_loc0:\n.b64 $L__tmp13\n.b32 .debug_abbrev\n.b8 6\n"
      ".b32 $L__end-$L__start\n}\n.section .debug_macinfo { .b8 0\n\n}\n.global .b32 x;");
  CHECK(module.variables.size() == 1);
}

TEST_CASE("Broken line information is refused", "[ptx][lines][errors]") {
  CHECK_THAT(refusal_in_body(".loc 1 2;"), contains_text("expected a number, found ';'"));
  CHECK_THAT(refusal_in_body(".loc 1 99999999999 3"), contains_text("the line of a .loc must be an integer"));
  CHECK_THAT(refusal_in_body(".loc 1 2 3, is_stmt 1"), contains_text("'function_name' or 'inlined_at'"));
  CHECK_THAT(refusal_in_body(".loc 1 2 3, function_name 4"),
             contains_text("the label of the function's name"));
  CHECK_THAT(refusal_in_module(".file 1 a.cu"), contains_text("the path of the file in quotes"));
  CHECK_THAT(refusal_in_module(".section .debug_str { .b8 256 }"),
             contains_text("must be an integer from 0 to 255"));
  CHECK_THAT(refusal_in_module(".section .debug_info { .b8 1"), contains_text("to close the section"));
}
