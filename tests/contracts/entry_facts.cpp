// Facts about an entry depend on its instructions, not on their layout in lines.
#include "contracts/entry_facts.h"

#include "catch.h"

using namespace foldproof;

namespace {

EntryFacts facts(const std::string& body) {
  return facts_of(
      ptx::Source("k.ptx", ".version 9.0\n.target sm_90\n.visible .entry k()\n{\n" + body + "\n}\n"), "k");
}

/// The text with a line break after every semicolon and brace.
std::string one_a_line(const std::string& text) {
  std::string lines;
  for (const char c : text) {
    lines += c;
    if (c == ';' || c == '{' || c == '}') lines += '\n';
  }
  return lines;
}

}  // namespace

TEST_CASE("flushing inline assembly is recognized on one line together with its declarations") {
  CHECK(facts("{ .reg .f32 t; mul.ftz.f32 t, %f1, %f2; add.f32 %f1, t, %f2; }").flushes_subnormals);
  CHECK_FALSE(facts("{ .reg .f32 t; mul.f32 t, %f1, %f2; add.f32 %f1, t, %f2; }").flushes_subnormals);
}

TEST_CASE("two instructions on one line are each checked by their own suffixes") {
  CHECK(facts("add.f32 %f1, %f1, %f2; mul.ftz.f32 %f1, %f1, %f2;").flushes_subnormals);
  CHECK(facts("ex2.approx.ftz.f32 %f1, %f1; mul.ftz.f32 %f1, %f1, %f2;").flushes_subnormals);
  CHECK_FALSE(facts("ex2.approx.ftz.f32 %f1, %f1; mul.f32 %f1, %f1, %f2;").flushes_subnormals);
  CHECK(facts("cvt.rn.ftz.f32.f64 %f1, %fd1;").flushes_subnormals);
  CHECK_FALSE(facts("rcp.approx.ftz.f64 %fd1, %fd1; mul.f64 %fd1, %fd1, %fd2;").flushes_subnormals);
}

TEST_CASE("facts do not depend on how many instructions share a line") {
  const std::string body =
      "{ .reg .f32 t; .shared .align 4 .b8 s[64]; mov.u32 %r1, %ctaid.x; mul.ftz.f32 t, %f1, %f2;"
      " A: ld.global.v2.f32 {%f1, %f2}, [%rd1]; shfl.sync.down.b32 %r2, %r1, 1, 31, -1; @%p1 bra A;"
      " atom.global.max.s32 %r3, [%rd2], %r2; div.approx.f32 t, t, %f1; st.shared.f32 [s], t; }";
  const EntryFacts together = facts(body);
  CHECK(together == facts(one_a_line(body)));
  CHECK(together.flushes_subnormals);
  CHECK(together.uses_block_index);
  CHECK(together.uses_shuffle);
  CHECK(together.uses_shared);
  CHECK(together.reads_in_loop);
  CHECK(together.approximates);
  CHECK(together.widest_read == 8);
  CHECK(together.shared_arrays == std::vector<std::uint64_t>{64});
  CHECK(together.atomics == std::set<TypedOperation>{{"max", "s32"}});
  CHECK(together.arithmetic == std::set<TypedOperation>{{"mul", "f32"}, {"div", "f32"}});
}

TEST_CASE("a comparison that may follow an exponential is known") {
  const std::string compare = "max.f32 %f1, %f1, %f2;", exponential = "ex2.approx.ftz.f32 %f2, %f1;";
  CHECK_FALSE(facts(compare + exponential).compares_after_exponential);
  CHECK(facts(exponential + compare).compares_after_exponential);
  CHECK(facts("A: " + compare + exponential + "@%p1 bra A;").compares_after_exponential);
  CHECK_FALSE(
      facts("A: " + compare + "@%p1 bra A; B: " + exponential + "@%p1 bra B;").compares_after_exponential);
  CHECK(facts(exponential + "setp.gt.f32 %p1, %f1, %f2;").compares_after_exponential);
  CHECK_FALSE(facts(exponential + "setp.lt.f32 %p1, %f1, 0f00800000;").compares_after_exponential);
  CHECK_FALSE(facts(exponential + "setp.lt.s32 %p1, %r1, %r2;").compares_after_exponential);
  CHECK_FALSE(facts(compare).compares_after_exponential);
}

TEST_CASE("the axes along which an entry has the index of its block are known") {
  CHECK(facts("mov.u32 %r1, %ctaid.x;").block_axes == std::array{true, false, false});
  CHECK(facts("mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z;").block_axes == std::array{false, true, true});
  CHECK(facts("mov.u32 %r1, %clusterid.x;").block_axes == std::array{true, false, false});
  const std::string index = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;";
  CHECK(facts(index + "mov.u32 %r4, %nctaid.x;").block_axes == std::array{true, true, true});
  CHECK(facts(index + "mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y;").block_axes ==
        std::array{true, false, false});
}

TEST_CASE("the axes along which an entry strides by the size of the grid are known") {
  CHECK(facts("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.y;").stride_axes ==
        std::array{false, true, false});
  CHECK(facts("mov.u32 %r1, %nctaid.x; mov.u32 %r2, %nctaid.z;").stride_axes ==
        std::array{true, false, true});
  const std::string all = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;";
  CHECK(facts(all + "mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y;").stride_axes ==
        std::array{true, false, false});
}

TEST_CASE("text that is not PTX has no facts") {
  CHECK(facts_of(ptx::Source("k.ptx", "no PTX"), "k") == EntryFacts{});
}

TEST_CASE(
    "the body of a called function counts as the entry's own, and a function pointer is not an element") {
  // nvcc -G calls atomicAdd by name; a table of functions is read to call one of them.
  const std::string calling = R"ptx(
.version 9.0
.target sm_90
.func (.param .b32 func_retval0) _Z9atomicAddPjj
(
	.param .b64 _Z9atomicAddPjj_param_0
);
.func  (.param .b32 func_retval0) __uAtomicAdd(
	.param .b64 __uAtomicAdd_param_0
)
{
	atom.add.u32 	%r2, [%rd1], %r1;
	ret;
}
.func (.param .b32 func_retval0) _Z9atomicAddPjj(
	.param .b64 _Z9atomicAddPjj_param_0
)
{
	{ // callseq 0, 0
	call.uni (retval0),
	__uAtomicAdd,
	(
	param0
	);
	} // callseq 0
	ret;
}
.func _Z5otherv()
{
	redux.sync.add.s32 	%r2, %r1, -1;
	ret;
}
.visible .entry _Z4lastPKfPfi(
	.param .u64 _Z4lastPKfPfi_param_0
)
{
	ld.global.f32 	%f1, [%rd1];
	ld.global.u64 	%rd10, [table];
	prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
	call (retval0), %rd10, (param0), prototype_0;
	call.uni (retval0),
	_Z9atomicAddPjj,
	(
	param0
	);
	ret;
}
)ptx";
  const EntryFacts facts = facts_of(ptx::Source("k.ptx", calling), "_Z4lastPKfPfi");
  CHECK(facts.atomics == std::set<TypedOperation>{{"add", "u32"}});
  CHECK(facts.widest_read == 4);
  CHECK_FALSE(facts.uses_shuffle);
}

TEST_CASE("blocks have two dimensions if the kernel reads the thread's y but not the block's") {
  CHECK(facts("mov.u32 %r1, %tid.y;").has_two_dimensions);
  CHECK_FALSE(facts("mov.u32 %r1, %tid.x;").has_two_dimensions);
  CHECK_FALSE(facts("mov.u32 %r1, %tid.y; mov.u32 %r2, %ntid.y;").has_two_dimensions);
}

TEST_CASE("facts name the parameters that nothing uses, and the constants that only the host sets") {
  const auto facts_of_two = [](const std::string& body) {
    return facts_of(ptx::Source("k.ptx",
                                ".version 9.0\n.target sm_90\n.const .align 4 .u32 limit;\n"
                                ".const .align 4 .u32 table[1] = {7};\n"
                                ".visible .entry k(.param .u32 a, .param .u32 b)\n{\n" +
                                    body + "\n}\n"),
                    "k");
  };
  const EntryFacts none = facts_of_two("ld.param.u32 %r1, [b]; ld.const.u32 %r2, [table];");
  CHECK(none.unused_parameters == std::set<std::size_t>{0});
  CHECK(none.host_constants.empty());
  CHECK(facts_of_two("ld.const.u32 %r1, [limit];").host_constants == std::set<std::string>{"limit"});
}
