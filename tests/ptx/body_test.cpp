// Instructions, calls, labels and scopes.
#include "ptx/documents.h"

using namespace foldproof::ptx;
using foldproof::tests::contains_text;

TEST_CASE("An opcode is followed by its suffixes", "[ptx][body]") {
  const Function function = function_of(
      "add.rn.ftz.f32 %f1, %f2, %f3; ld.shared::cta.v2.u32 {%r1, %r2}, [%rd1];"
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%rd1], 16;"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [a], [b], 16, [c];"
      "ld.global.L2::128B.u32 %r1, [%rd1]; tex.2d.v4.f32.s32 {a,b,c,d}, [t, {x,y}]; ret; bar .sync 0;");
  const auto statements = all<Statement>(*function.body);
  REQUIRE(statements.size() == 8);
  CHECK(statements[0]->opcode == "add");
  CHECK(statements[0]->suffixes == std::vector<std::string>{"rn", "ftz", "f32"});
  CHECK(statements[0]->operands.size() == 3);
  CHECK(statements[1]->suffixes == std::vector<std::string>{"shared::cta", "v2", "u32"});
  CHECK(statements[2]->suffixes.at(4) == "shared::cta");
  CHECK(statements[3]->suffixes.at(4) == "mbarrier::complete_tx::bytes");
  CHECK(statements[4]->suffixes.at(1) == "L2::128B");
  CHECK(statements[5]->suffixes.at(0) == "2d");
  CHECK(statements[6]->operands.empty());
  CHECK(statements[7]->suffixes == std::vector<std::string>{"sync"});
}

TEST_CASE("Any instruction may be guarded by a predicate", "[ptx][body]") {
  const Function function = function_of("@%p1 bra L; @!%p2 mov.u32 %r1, 3; @ ! q exit; L: @%p1 call f;");
  const auto statements = all<Statement>(*function.body);
  REQUIRE(statements.size() == 3);
  CHECK(statements[0]->guard->text == "%p1");
  CHECK(!statements[0]->guard_negated);
  CHECK(statements[1]->guard->text == "%p2");
  CHECK(statements[1]->guard_negated);
  CHECK(statements[2]->guard->text == "q");
  CHECK(all<CallStatement>(*function.body).at(0)->guard->text == "%p1");
}

TEST_CASE("A statement keeps the line on which it starts", "[ptx][body]") {
  const Function function = function_of("\n mov.u32 %r1,\n 3; ret;\n\n@%p1\nexit;");
  const auto statements = all<Statement>(*function.body);
  REQUIRE(statements.size() == 3);
  CHECK(statements[0]->at.ptx_line == 2);
  CHECK(statements[1]->at.ptx_line == 3);
  CHECK(statements[2]->at.ptx_line == 5);
}

TEST_CASE("Labels keep their position, also several in a row and at the end of a scope", "[ptx][body]") {
  const Function function = function_of("A: B: mov.u32 %r1, 3; { C: } D:");
  const auto& items = function.body->items;
  REQUIRE(items.size() == 5);
  CHECK(std::get<Label>(items[0]).name == "A");
  CHECK(std::get<Label>(items[1]).name == "B");
  CHECK(std::holds_alternative<Statement>(items[2]));
  CHECK(std::get<Label>(std::get<std::unique_ptr<Scope>>(items[3])->items.at(0)).name == "C");
  CHECK(std::get<Label>(items[4]).name == "D");
}

TEST_CASE("Scopes nest and hold their own declarations", "[ptx][body]") {
  const Function function = function_of(
      "{ .reg .pred p; setp.ne.s32 p, %r1, 0; @p bra over; { .reg .b32 t; mov.b32 t, 1; } over: }");
  REQUIRE(function.body->items.size() == 1);
  const Scope& outer = *std::get<std::unique_ptr<Scope>>(function.body->items[0]);
  REQUIRE(outer.items.size() == 5);
  CHECK(std::get<Variable>(outer.items[0]).name == "p");
  const Scope& inner = *std::get<std::unique_ptr<Scope>>(outer.items[3]);
  CHECK(std::get<Variable>(inner.items.at(0)).name == "t");
  CHECK(all<Statement>(inner).size() == 1);
}

TEST_CASE(".pragma directives in a body are ignored", "[ptx][body]") {
  const Function function = function_of(".pragma \"nounroll\"; .pragma \"a\", \"b\"; ret;");
  CHECK(function.body->items.size() == 1);
}

TEST_CASE("A direct call names its results, function and arguments", "[ptx][call]") {
  const Function function = function_of(
      "{ // callseq\n .param .b32 p0; .param .align 8 .b8 p1[32]; .param .b32 r0;\n"
      "call.uni (r0),\n f,\n (\n p0,\n p1\n );\n }");
  const Scope& scope = *std::get<std::unique_ptr<Scope>>(function.body->items.at(0));
  const auto calls = all<CallStatement>(scope);
  REQUIRE(calls.size() == 1);
  CHECK(calls[0]->at.ptx_line == 3);
  CHECK(calls[0]->target.text == "f");
  REQUIRE(calls[0]->returns.size() == 1);
  CHECK(text_of(calls[0]->returns[0]) == "r0");
  REQUIRE(calls[0]->arguments.size() == 2);
  CHECK(text_of(calls[0]->arguments[1]) == "p1");
  CHECK(calls[0]->prototype.empty());
  const auto variables = all<Variable>(scope);
  REQUIRE(variables.size() == 3);
  CHECK(variables[1]->space == Space::param);
  CHECK(variables[1]->alignment == 8);
  CHECK(variables[1]->extents == std::vector<std::uint64_t>{32});
}

TEST_CASE("Results and arguments may be missing, empty, registers or numbers", "[ptx][call]") {
  const Function function = function_of(
      "call f; call.uni f, (); call (), f, (); call (%r1), f, (%r2, 3, _); "
      "call (%r1, %r2), f;");
  const auto calls = all<CallStatement>(*function.body);
  REQUIRE(calls.size() == 5);
  for (int i : {0, 1, 2}) {
    CHECK(calls[i]->returns.empty());
    CHECK(calls[i]->arguments.empty());
    CHECK(calls[i]->target.text == "f");
  }
  CHECK(calls[3]->arguments.size() == 3);
  CHECK(calls[4]->returns.size() == 2);
}

TEST_CASE("An indirect call names its prototype", "[ptx][call]") {
  const Function function = function_of(
      "prototype_8 : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 4 .b8 _[12]);\n"
      "call (r0), %rd1, (p0, p1), prototype_8; call %rd2, prototype_8; none: .callprototype _ .noreturn;"
      "call %rd2, (), none;");
  const auto calls = all<CallStatement>(*function.body);
  REQUIRE(calls.size() == 3);
  CHECK(calls[0]->target.text == "%rd1");
  CHECK(calls[0]->prototype == "prototype_8");
  CHECK(calls[0]->arguments.size() == 2);
  CHECK(calls[1]->prototype == "prototype_8");
  CHECK(calls[1]->arguments.empty());
  const Prototype& prototype = function.prototypes.at("prototype_8");
  REQUIRE(prototype.returns.size() == 1);
  CHECK(prototype.returns[0].type == "b32");
  REQUIRE(prototype.parameters.size() == 2);
  CHECK(prototype.parameters[1].extents == std::vector<std::uint64_t>{12});
  CHECK(function.prototypes.at("none").parameters.empty());
}

TEST_CASE("Target lists of indirect branches and calls are kept by label", "[ptx][call]") {
  const Function function = function_of(
      "ts: .branchtargets A, B, $L__BB0_3; fs: .calltargets f, g; brx.idx %r1, ts; call %rd1, (), fs; A: B:");
  CHECK(function.branch_targets.at("ts") == std::vector<std::string>{"A", "B", "$L__BB0_3"});
  CHECK(function.call_targets.at("fs") == std::vector<std::string>{"f", "g"});
  CHECK(all<CallStatement>(*function.body).at(0)->prototype == "fs");
}

TEST_CASE("Repeated inline assembly may repeat its prototypes and targets", "[ptx][call]") {
  const std::string once = "{ p: .callprototype (.param .b32 _) _ (.param .b64 a); t: .branchtargets A; A: }";
  const Function function = function_of(once + once);
  CHECK(function.prototypes.size() == 1);
  CHECK(function.branch_targets.size() == 1);
}

TEST_CASE("Broken bodies are refused at the position of the error", "[ptx][body][errors]") {
  CHECK_THAT(refusal_in_body("mov.u32 %r1, 3"),
             contains_text("test.ptx:4:1: expected ';' after the operands of 'mov'"));
  CHECK_THAT(refusal_in_body("mov.u32 %r1 3;"), contains_text("test.ptx:3:13: expected ';'"));
  CHECK_THAT(refusal_in_body(";"), contains_text("expected an instruction, a label or a directive"));
  CHECK_THAT(refusal_in_body("3;"), contains_text("expected an instruction, a label or a directive"));
  CHECK_THAT(refusal_in_body("@%p1 3;"), contains_text("expected an instruction, found '3'"));
  CHECK_THAT(refusal_in_body("@3 ret;"), contains_text("a predicate after '@'"));
  CHECK_THAT(refusal_in_body(".maxnreg 3;"), contains_text("unknown directive '.maxnreg' inside a function"));
  CHECK_THAT(refusal_in_body("add. f32 a, b;"), contains_text("a '.' must be followed directly by"));
  CHECK_THAT(refusal_in_body("call (a) f;"), contains_text("expected ',' after the results of 'call'"));
  CHECK_THAT(refusal_in_body("call f, (a;"), contains_text("expected ')' to close the list"));
  CHECK_THAT(refusal_in_body("call f, (a), 3;"), contains_text("the label of a .callprototype"));
  CHECK_THAT(refusal_in_body("p: .callprototype f ();"),
             contains_text("'_' in place of the function's name"));
  CHECK_THAT(refusal_in_body("p: .callprototype _ (); p: .callprototype _ (.param .b32 a);"),
             contains_text("declared twice"));
  CHECK_THAT(refusal_in_body("p: .branchtargets A, B; p: .branchtargets B, A;"),
             contains_text("declared twice"));
  CHECK_THAT(refusal_in_body("t: .branchtargets ;"), contains_text("a label or a function as the target"));
  CHECK_THAT(refusal_in_body("{"),
             contains_text("unexpected end of the text, expected '}' to close the brace of line 2 in 'k'"));
}

TEST_CASE("A truncated text is refused unless the cut is between directives", "[ptx][body][errors]") {
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.global .align 4 .b8 t[4] = {1, 0xFF(t), 3};\n"
      ".visible .entry k(.param .u64 p)\n.maxntid 32, 1, 1\n{\n.reg .b32 %r<5>;\n.loc 1 2 3\n@!%p1 ld.v2.u32 "
      "{%r1,_}, "
      "[%rd1+-4];\ncall (a), f, (b), c;\nret;\n}\n.file 1 \"a.cu\"\n";
  CHECK_NOTHROW(parse(text, "test.ptx"));
  std::size_t refused = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    try {
      parse(text.substr(0, length), "test.ptx");
    } catch (const foldproof::InputError&) {
      ++refused;
    }
  }
  CHECK(refused > text.size() / 2);  // the rest ends between two directives or inside a blank
}

TEST_CASE("Scopes deeper than 200 levels are refused", "[ptx][body][errors]") {
  CHECK_THAT(refusal_in_body(std::string(100000, '{')), contains_text("nest deeper than 200 levels"));
  CHECK_NOTHROW(function_of(std::string(100, '{') + std::string(100, '}')));
}
