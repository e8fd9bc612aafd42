// Queries on a syntax tree.
#include "ptx/query.h"

#include <filesystem>

#include "ptx/documents.h"
#include "ptx/types.h"

using namespace foldproof::ptx;

namespace {

std::vector<std::string> names(const Functions& functions) {
  std::vector<std::string> all;
  for (const Function* function : functions) all.push_back(function->name);
  return all;
}

/// The only statement of a body.
Statement statement_of(const std::string& text) {
  const Function function = function_of(text);
  const auto statements = all<Statement>(*function.body);
  REQUIRE(statements.size() == 1);
  return *statements[0];
}

bool is_global_load(const std::string& text) { return loads_global(statement_of(text)); }

}  // namespace

TEST_CASE("A function is found by its name", "[ptx][query]") {
  const Module module = module_of(".func f() { ret; } .entry k() { ret; }");
  CHECK(find(module, "k") == &module.functions[1]);
  CHECK(find(module, "g") == nullptr);
}

TEST_CASE("Entries are listed once, in the order of the text, including those that are only declared",
          "[ptx][query]") {
  const Module module =
      module_of(".entry b(); .func f() { ret; } .entry a() { ret; } .entry b() { ret; } .extern .entry c();");
  CHECK(names(entries(module)) == std::vector<std::string>{"b", "a", "c"});
}

TEST_CASE("Everything that a root calls directly or indirectly is reachable", "[ptx][query]") {
  const Module module = module_of(
      ".extern .func outside(); .func last() { ret; } .func unused() { ret; } .func middle() { { call last; "
      "} }\n"
      ".entry k() { call middle; call outside; call k; ret; } .entry other() { ret; }");
  const std::string roots[] = {"k", "missing"};
  CHECK(names(reachable(module, roots)) == std::vector<std::string>{"last", "middle", "k"});
}

TEST_CASE("Statements are visited in the order of the text, including nested scopes", "[ptx][query]") {
  const Function function = function_of("mov.u32 a, 1; { { ret; } bar.sync 0; } exit;");
  std::string visited;
  for_each_item(function, [&](const Statement& statement) { visited += statement.opcode + " "; });
  CHECK(visited == "mov ret bar exit ");
}

TEST_CASE("A visitor receives only the kinds of items that it accepts", "[ptx][query]") {
  struct Visitor {
    int labels = 0, calls = 0;
    void operator()(const Label&) { ++labels; }
    void operator()(const CallStatement&) { ++calls; }
  } visitor;
  for_each_item(function_of("A: { B: call f; } ret;"), visitor);
  CHECK(visitor.labels == 2);
  CHECK(visitor.calls == 1);
}

TEST_CASE("An opcode gives the operation, state space, type and number of elements", "[ptx][query]") {
  const Statement atom = statement_of("atom.acquire.gpu.global.add.noftz.f16x2 %r1, [%rd1], %r2;");
  CHECK(Opcode(atom).is("atom"));
  CHECK(Opcode(atom).operation() == "add");
  CHECK(Opcode(atom).space() == Space::global);
  CHECK(Opcode(atom).type() == "f16x2");
  CHECK(Opcode(atom).vector() == 1);
  const Statement load = statement_of("ld.shared::cta.v4.f32 {a, b, c, d}, [%rd1];");
  CHECK(Opcode(load).operation() == "ld");
  CHECK(Opcode(load).space() == Space::shared);
  CHECK(Opcode(load).vector() == 4);
  const Statement ret = statement_of("ret;");
  CHECK(Opcode(ret).type().empty());
  CHECK(Opcode(ret).space() == Space::none);
}

TEST_CASE("A suffix is matched as a whole: .noftz is not .ftz", "[ptx][query]") {
  const Statement flushing = statement_of("mul.rn.ftz.f32 a, b, c;");
  const Statement keeping = statement_of("red.global.add.noftz.bf16 [a], b;");
  CHECK(Opcode(flushing).has("ftz"));
  CHECK_FALSE(Opcode(keeping).has("ftz"));
}

TEST_CASE("The state space is the first space among the suffixes, which is a copy's destination",
          "[ptx][query]") {
  const Statement store = statement_of("cp.async.bulk.global.shared::cta.bulk_group [a], [b], 16;");
  CHECK(Opcode(store).space() == Space::global);
  CHECK(Opcode(store).names(Space::shared));
  CHECK_FALSE(Opcode(store).names(Space::local));
}

TEST_CASE("The size of a variable follows from its type, vector width and extents", "[ptx][query]") {
  const Module module = module_of(".global .v2 .f32 a[3][4]; .global .u16 b; .extern .shared .b8 c[];");
  CHECK(bytes_of(module.variables[0]) == 96);
  CHECK(bytes_of(module.variables[1]) == 2);
  CHECK(bytes_of(module.variables[2]) == 0);
  CHECK(bytes_of_type("f64") == 8u);
  CHECK_FALSE(bytes_of_type("f128").has_value());
}

TEST_CASE("Each parameter starts at a multiple of its alignment", "[ptx][query]") {
  const Module module = module_of(
      ".entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d, .param .v2 .f32 e) "
      "{}");
  const ParameterLayout layout = parameters(module.functions[0]);
  REQUIRE(layout.size() == 5);
  CHECK((layout[0].offset == 0 && layout[0].bytes == 1));
  CHECK((layout[1].offset == 8 && layout[1].bytes == 8));
  CHECK((layout[2].offset == 16 && layout[2].bytes == 20));
  CHECK((layout[3].offset == 36 && layout[3].bytes == 2));
  CHECK((layout[4].offset == 40 && layout[4].bytes == 8));
}

TEST_CASE("Launch bounds have three extents, 1 where the text omits them", "[ptx][query]") {
  const Module module = module_of(".entry k() .maxntid 256 .reqnctapercluster 2, 4 { ret; }");
  const LaunchBounds found = bounds(module.functions[0]);
  CHECK(found.most_threads == LaunchBounds::Extents{256, 1, 1});
  CHECK(found.required_threads == LaunchBounds::Extents{0, 0, 0});
  CHECK(found.required_cluster == LaunchBounds::Extents{2, 4, 1});
}

TEST_CASE("An entry's shared variables are its own and those of the module that it names", "[ptx][query]") {
  const Module module = module_of(
      ".extern .shared .b8 dynamic[]; .shared .b8 common[64]; .shared .b8 unnamed[8]; .global .b8 g[4];\n"
      ".entry k() { .shared .u8 flag; { .shared .f32 tile[32]; } mov.u32 a, g; mov.u32 a, dynamic;\n"
      "ld.shared.u8 b, [common+4]; }");
  const auto found = shared(module, module.functions[0]);
  REQUIRE(found.size() == 4);
  CHECK(found[0].variable->name == "flag");
  CHECK(found[1].variable->name == "tile");
  CHECK(found[2].variable->name == "dynamic");
  CHECK(found[3].variable->name == "common");
  CHECK((found[2].is_dynamic && found[2].is_common));
  CHECK((found[3].is_common && !found[1].is_common));
  CHECK_FALSE((found[0].is_dynamic || found[1].is_dynamic || found[3].is_dynamic));
}

TEST_CASE("Special registers are matched by their whole name without the number", "[ptx][query]") {
  const Function function = function_of("mov.u32 a, %nctaid.x; { mov.u32 b, %envreg2; } call f, (%laneid);");
  CHECK(reads_special(function, "%nctaid"));
  CHECK(reads_special(function, "%envreg"));
  CHECK(reads_special(function, "%laneid"));
  CHECK_FALSE(reads_special(function, "%ctaid"));
  CHECK_FALSE(reads_special(function, "%lane"));
}

TEST_CASE("Element loads read global, constant or generic memory, or copy from it", "[ptx][query]") {
  CHECK(is_global_load("ld.global.f32 a, [b];"));
  CHECK(is_global_load("ld.f32 a, [b];"));
  CHECK(is_global_load("ld.const.f32 a, [b];"));
  CHECK(is_global_load("cp.async.ca.shared.global [a], [b], 4;"));
  CHECK_FALSE(is_global_load("ld.shared::cluster.f32 a, [b];"));
  CHECK_FALSE(is_global_load("ld.param.u64 a, [b];"));
  CHECK_FALSE(is_global_load("ld.local.f32 a, [b];"));
  CHECK_FALSE(is_global_load("st.global.f32 [a], b;"));
  CHECK_FALSE(is_global_load("cp.async.bulk.global.shared::cta.bulk_group [a], [b], 16;"));
  CHECK_FALSE(is_global_load("cp.async.wait_group 0;"));
}

TEST_CASE("A statement is in a loop if a later branch goes back to a label before it", "[ptx][query]") {
  const auto in_loops = [](const std::string& body) {
    const Function function = function_of(body);
    std::vector<std::string> opcodes;
    for_each_item(function, [&, in_loops = statements_in_loops(function)](const Statement& statement) {
      if (in_loops.contains(&statement)) opcodes.push_back(statement.opcode);
    });
    return opcodes;
  };
  using Opcodes = std::vector<std::string>;
  CHECK(in_loops("A: ld.global.f32 a, [b]; @p bra A;") == Opcodes{"ld", "bra"});
  CHECK(in_loops("A: { ld.global.f32 a, [b]; } @p bra.uni A; ret;") == Opcodes{"ld", "bra"});
  CHECK(in_loops("ld.global.f32 a, [b]; A: @p bra A;") == Opcodes{"bra"});
  CHECK(in_loops("@p bra A; ld.global.f32 a, [b]; A: ret;").empty());
  CHECK(in_loops("A: ret; B: add.u32 a, a, 1; C: @p bra B; @q bra C;") == Opcodes{"add", "bra", "bra"});
}

TEST_CASE("A register is a constant if a single unguarded move writes it", "[ptx][query]") {
  const Function function = function_of(
      "mov.u32 once, 16; mov.u32 twice, 1; add.u32 twice, twice, 1; @p mov.u32 guarded, 2; mov.f32 real, "
      "0f00000000;\n"
      "mov.u32 returned, 3; call (returned), f; mov.b64 {half, other}, 5; mov.u32 both, 6; shfl.b32 x|both, "
      "x, 1;");
  const Definitions found(function);
  CHECK(found.constant("once") == 16u);
  for (const char* name : {"twice", "guarded", "real", "returned", "half", "both", "missing"}) {
    INFO(name);
    CHECK_FALSE(found.constant(name).has_value());
  }
}

TEST_CASE("Writers are listed in order, with null for calls", "[ptx][query]") {
  const Function function = function_of("mov.u32 a, 1; call (a), f; ld.v2.u32 {b, a}, [c];");
  const Definitions found(function);
  const auto writers = found.of("a");
  REQUIRE(writers.size() == 3);
  CHECK(writers[0]->opcode == "mov");
  CHECK(writers[1] == nullptr);
  CHECK(writers[2]->opcode == "ld");
  CHECK(found.of("c").empty());
}

TEST_CASE("A position is the innermost line of the user's own source", "[ptx][query]") {
  const Source source("test.ptx",
                      ".version 9.0 .target sm_90\n.entry k() {\nret;\n.loc 1 5 2\nret;\n"
                      ".loc 2 7 0, function_name f, inlined_at 1 5 2\nret;\n}\n"
                      ".file 1 \"sum.cu\"\n.file 2 \"/usr/local/cuda/include/f.h\"\n");
  std::vector<foldproof::Position> found;
  for_each_item(source.module().functions.at(0),
                [&](const Statement& statement) { found.push_back(position(source, statement.at)); });
  REQUIRE(found.size() == 3);
  CHECK(found[0] == foldproof::Position{"test.ptx", 3, 0});
  CHECK(found[1] == foldproof::Position{"sum.cu", 5, 2});
  CHECK(found[2] == foldproof::Position{"sum.cu", 5, 2});
}
