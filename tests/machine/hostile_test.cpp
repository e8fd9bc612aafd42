// Syntactically valid PTX that is inconsistent or asks for too much: one sentence, never a crash.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

TEST_CASE("declared registers cost nothing until they are used") {
  CHECK(results(".reg .b64 %many<1000000>; mov.u64 %many999999, 5; cvt.u32.u64 %r1, %many999999;"
                "st.global.u32 [mine], %r1;") == all(32, 5));
}

TEST_CASE("more registers than a warp can hold are refused") {
  CHECK(contains(refused(".reg .b128 %huge<1000000>;"), "do not fit"));
}

TEST_CASE("a vector register is refused, even if nothing uses it") {
  const Setting setting{.buffers = {zeros(128)}};
  CHECK(contains(refusal<Unsupported>([&] {
                   emulated::Device().load({"test.ptx", text_of("\n.reg .v4 .b32 %quad;", setting)});
                 }),
                 "test.ptx:2: the emulated device does not support vector registers such as %quad"));
}

TEST_CASE("a register outside its declared range is not declared") {
  CHECK(contains(refused("mov.u32 %r64, 1;"), "%r64 is not declared"));
  CHECK(contains(refused("\n\nmov.u32 %r1, %r99;"), "test.ptx:3"));
}

TEST_CASE("a range whose name ends in a digit is a range") {
  CHECK(results(".reg .b32 %x1<12>; mov.u32 %x111, 5; mov.u32 %x11, 6; st.global.u32 [mine], %x111;") ==
        all(32, 5));
}

TEST_CASE("an unknown directive is refused with its position") {
  CHECK(contains(refused("\n  .maxnreg 3;"),
                 "test.ptx:2:3: unknown directive '.maxnreg' inside a function; remove it"));
  CHECK(contains(refused("", ".kernel k() { }"), "unknown directive '.kernel' at module scope"));
}

TEST_CASE("operands of the wrong width, number or kind are refused with their line") {
  CHECK(contains(refused("add.u32 %r1, %rd1, 1;"), "register %rd1 has 64 bits, but .u32 needs 32"));
  CHECK(contains(refused("add.u32 %r1, %r2;"), "too few operands"));
  CHECK(contains(refused("add.u32 %r1, %r2, %r3, %r4;"), "too many operands"));
  CHECK(contains(refused("add.u32 5, %r2, %r3;"), "a destination must be a register"));
  CHECK(contains(refused("@%r1 add.u32 %r1, %r2, %r3;"), "guard %r1 is not a predicate"));
  CHECK(contains(refused("bra nowhere;"), "label nowhere is not declared in this scope"));
  CHECK(contains(refused("bra 5;"), "label"));
  CHECK(contains(refused("ld.global.u32 %r1, %rd1;"), "brackets"));
  CHECK(contains(refused("ld.global.u32 %r1, [%h1];"), "must have 32 or 64 bits"));
  CHECK(contains(refused("brx.idx %r1, list;"), ".branchtargets"));
  CHECK(contains(refused("elect.sync %r1|%r2, -1;"), "%r2"));
}

TEST_CASE("a vector must have as many elements as the instruction requires, all of a suitable width") {
  CHECK(contains(refused("ld.global.v4.u32 {%r1, %r2}, [buffer0];"), "2 elements where 4 are needed"));
  CHECK(contains(refused("ld.global.v2.u32 %r1, [buffer0];"), "1 elements where 2 are needed"));
  CHECK(contains(refused("ld.global.u32 {%r1, %r2}, [buffer0];"), "2 elements where 1 are needed"));
  CHECK(contains(refused("atom.global.add.v4.f32 {%f1, %f2}, [buffer0], {%f3, %f4};"), "where 4 are needed"));
  CHECK(contains(refused("ld.global.v2.u8 {%rd1, %r1}, [buffer0];"), "32 bits"));
  CHECK(contains(refused("add.u32 %r1, {%r1, %r2}, 1;"), "2 elements where 1 are needed"));
}

TEST_CASE("an access beyond a parameter is refused") {
  const std::string function = ".func f(.param .b32 x) { ret; }";
  CHECK(contains(refused("{ .param .b32 x; st.param.b64 [x], 1; }", function), "are outside the 4 bytes"));
  CHECK(contains(refused("{ .param .b32 x; st.param.b32 [x+4], 1; }", function), "are outside"));
  CHECK(contains(refused("{ .param .b32 x; st.param.b32 [x+-4], 1; }", function), "are outside"));
  CHECK(contains(
      refused("{ .param .align 16 .b8 x[16]; ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [x+4]; }", function),
      "are outside the 16 bytes"));
}

TEST_CASE("a kernel parameter read past its end is refused") {
  CHECK_THROWS_AS(try_kernel("ld.param.u64 %rd1, [k_buffer0+8];", {.buffers = {zeros(4)}}), InputError);
  CHECK_THROWS_AS(try_kernel("ld.param.u32 %r1, [k_buffer0+-4];", {.buffers = {zeros(4)}}), InputError);
}

TEST_CASE("a kernel parameter cannot be written") {
  const Finding finding = finding_of("st.param.u32 [k_scalar0], 5;", {.buffers = {}, .scalars = {1}});
  CHECK(finding.kind == Kind::out_of_bounds);
}

TEST_CASE("a depot beyond the stack is refused") {
  CHECK(contains(refused(".local .b8 room[600000];"), "local variables need more than 512 KiB"));
}

TEST_CASE("a function parameter beyond 4096 bytes is refused") {
  CHECK(contains(refused("", ".func f(.param .b8 x[5000]) { ret; }"), "larger than 4096 bytes"));
}

TEST_CASE("a name declared twice in one scope is refused") {
  CHECK(contains(refused(".reg .b32 twice; .reg .b64 twice;"), "declared twice"));
}

TEST_CASE("an initializer with an undeclared name is refused") {
  CHECK(contains(refused("", ".global .u64 pointer = missing;"), "which the module does not declare"));
}

TEST_CASE("variables larger than the device are refused") {
  CHECK(contains(refused("", ".global .b64 huge[1000000000];"), "huge"));
  CHECK(contains(refused("", ".global .b8 a[1100000000];"), "a does not fit"));
  CHECK(contains(refused("", ".shared .b8 huge[16777216];"), "does not fit"));
}

TEST_CASE("a thousand nested branches and a thousand labels are executed") {
  std::string body = "mov.u32 %r1, 0;\n";
  for (int k = 0; k < 1000; ++k)
    body += fmt::format("setp.eq.u32 %p1, tid, {}; @%p1 bra L{}; add.u32 %r1, %r1, 1;\n", k % 40, k);
  for (int k = 999; k >= 0; --k) body += fmt::format("L{}: add.u32 %r1, %r1, 1000;\n", k);
  body += "st.global.u32 [mine], %r1;";
  // Lane t branches at its first chance: after t additions, to label t, with t + 1 labels left to pass.
  CHECK(results(body) == each(32, [](auto k) { return k + 1000 * (k + 1); }));
}

TEST_CASE("every register starts as zero and every predicate as false") {
  CHECK(results("selp.u32 %r2, 1, 0, %p63; add.u32 %r2, %r2, %r63; st.global.u32 [mine], %r2;") ==
        all(32, 0));
}

}  // namespace
}  // namespace foldproof::machine_tests
