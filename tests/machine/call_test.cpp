// Functions: direct, recursive and indirect calls, parameters in .param and .reg, local depots, early exits.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

const std::string add_one = R"(
  .func (.param .b32 result) add_one(.param .b32 x) {
    .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r2, %r1, 1; st.param.u32 [result], %r2; ret;
  })";

const std::string call_add_one = R"(
  { .param .b32 argument; .param .b32 back; st.param.b32 [argument], %r1;
    call (back), add_one, (argument); ld.param.b32 %r1, [back]; })";

TEST_CASE("a function takes an argument and returns a result") {
  covers("call");

  check_all_schedules("mov.u32 %r1, tid;" + call_add_one + call_add_one + "st.global.u32 [mine], %r1;",
                      each(32, [](auto k) { return k + 2; }), {.buffers = {}, .module = add_one});
}

TEST_CASE("a call in a branch is executed only by the lanes of that branch") {
  check_all_schedules("mov.u32 %r1, tid; setp.lt.u32 %p1, tid, 7; @%p1 bra done;" + call_add_one +
                          "done: st.global.u32 [mine], %r1;",
                      each(32, [](auto k) { return k < 7 ? k : k + 1; }), {.buffers = {}, .module = add_one});
}

TEST_CASE("parameters and results may be registers") {
  check_all_schedules("call (%r1), mix, (tid, %rd1, %f1); st.global.u32 [mine], %r1;",
                      each(32, [](auto k) { return 3 * k; }), {.buffers = {}, .module = R"(
    .func (.reg .b32 result) mix(.reg .b32 a, .reg .b64 b, .reg .f32 c) { mul.lo.u32 result, a, 3; ret; })"});
}

TEST_CASE("a guarded call does not change the registers of the other lanes") {
  check_all_schedules(
      "mov.u32 %r1, 9; setp.lt.u32 %p1, tid, 4; @%p1 call (%r1), triple, (tid);"
      "st.global.u32 [mine], %r1;",
      each(32, [](auto k) { return k < 4 ? 3 * k : 9; }), {.buffers = {}, .module = R"(
    .func (.reg .b32 result) triple(.reg .b32 a) { mul.lo.u32 result, a, 3; ret; })"});
}

TEST_CASE("structs are passed by value, member by member") {
  check_all_schedules(R"(
    { .param .align 8 .b8 pair[16]; .param .align 4 .b8 back[8];
      st.param.b32 [pair], tid; st.param.b64 [pair+8], 0x700000003;
      call (back), swap, (pair);
      ld.param.b32 %r1, [back]; ld.param.b32 %r2, [back+4]; mad.lo.u32 %r1, %r1, 100, %r2; }
    st.global.u32 [mine], %r1;)",
                      each(32, [](auto k) { return 1000 + k; }), {.buffers = {}, .module = R"(
    .func (.param .align 4 .b8 result[8]) swap(.param .align 8 .b8 p[16]) {
      .reg .b32 %r<5>; .reg .b64 %rd<2>;
      ld.param.b32 %r1, [p]; ld.param.b32 %r2, [p+8]; ld.param.b32 %r3, [p+12]; add.u32 %r3, %r3, %r2;
      st.param.v2.b32 [result], {%r3, %r1}; ret; })"});
}

TEST_CASE("narrow and vector parameters keep their width and sign") {
  check_all_schedules(R"(
    { .param .b32 s; .param .align 16 .b8 v[16]; .param .b32 back; mov.u32 %r2, -3;
      st.param.b8 [s], %r2; st.param.v4.b32 [v], {1, 20, 300, 4000};
      call (back), mix, (s, v); ld.param.b32 %r1, [back]; }
    st.global.u32 [mine], %r1;)",
                      all(32, 4318), {.buffers = {}, .module = R"(
    .func (.param .b32 result) mix(.param .b32 s, .param .align 16 .b8 v[16]) {
      .reg .b32 %r<9>; ld.param.s8 %r1, [s]; ld.param.v4.b32 {%r2, %r3, %r4, %r5}, [v];
      add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5;
      st.param.b32 [result], %r1; ret; })"});
}

// A recursive fib(n) with a local variable that must survive the inner calls.
const std::string fib = R"(
  .func (.param .b32 result) fib(.param .b32 n) {
    .local .b32 kept; .reg .pred %p<2>; .reg .b32 %r<9>;
    ld.param.u32 %r1, [n]; st.local.u32 [kept], %r1; setp.gt.u32 %p1, %r1, 1; @%p1 bra more;
    st.param.u32 [result], %r1; ret;
    more: sub.u32 %r2, %r1, 1;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), fib, (a); ld.param.b32 %r3, [b]; }
    ld.local.u32 %r4, [kept]; sub.u32 %r4, %r4, 2;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r4; call (b), fib, (a); ld.param.b32 %r5, [b]; }
    add.u32 %r3, %r3, %r5; st.param.u32 [result], %r3; ret;
  })";

TEST_CASE("recursion may have a different depth in each lane") {
  const std::uint32_t numbers[] = {0, 1, 1, 2, 3, 5, 8, 13};
  check_all_schedules(R"(
    and.b32 %r1, tid, 7;
    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), fib, (a); ld.param.b32 %r2, [b]; }
    st.global.u32 [mine], %r2;)",
                      each(32, [&](auto k) { return numbers[k % 8]; }), {.buffers = {}, .module = fib});
}

const std::string operations = R"(
  .func (.param .b32 r) plus(.param .b32 a, .param .b32 b) { .reg .b32 %r<4>;
    ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; add.u32 %r3, %r1, %r2; st.param.u32 [r], %r3; ret; }
  .func (.param .b32 r) times(.param .b32 a, .param .b32 b) { .reg .b32 %r<4>;
    ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; mul.lo.u32 %r3, %r1, %r2; st.param.u32 [r], %r3; ret; }
  .global .u64 table[2] = {plus, times};)";

const std::string call_pointer = R"(
  { .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], tid; st.param.b32 [b], 10;
    kind: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);
    call (r), %rd1, (a, b), kind; ld.param.b32 %r1, [r]; })";

TEST_CASE("an alias is called like its function and has its address") {
  check_all_schedules(
      R"(call (%r1), other, (tid); mov.u64 %rd1, triple; mov.u64 %rd2, other; setp.eq.u64 %p1, %rd1, %rd2;
         @%p1 add.u32 %r1, %r1, 1; st.global.u32 [mine], %r1;)",
      each(32, [](auto k) { return 3 * k + 1; }), {.buffers = {}, .module = R"(
    .func (.reg .b32 result) triple(.reg .b32 a) { mul.lo.u32 result, a, 3; ret; }
    .func (.reg .b32 result) other(.reg .b32 a); .alias other, triple;)"});
}

TEST_CASE("an alias of a function that the module does not define is refused") {
  const std::string sentence = refusal<InputError>([] {
    run_kernel("ret;", {.buffers = {}, .module = ".func other();\n.func triple();\n.alias other, triple;\n"});
  });
  CHECK(contains(sentence, "test.ptx:3: the alias other refers to triple"));
}

TEST_CASE("an indirect call goes to the function that each lane's pointer selects") {
  check_all_schedules(R"(
    and.b32 %r2, tid, 1; mul.wide.u32 %rd2, %r2, 8; mov.u64 %rd3, table; add.u64 %rd2, %rd3, %rd2;
    ld.global.u64 %rd1, [%rd2];)" +
                          call_pointer + "st.global.u32 [mine], %r1;",
                      each(32, [](auto k) { return k % 2 == 0 ? k + 10 : k * 10; }),
                      {.buffers = {}, .module = operations});
}

TEST_CASE("a function's address may be taken in code") {
  check_all_schedules("mov.u64 %rd1, times;" + call_pointer + "st.global.u32 [mine], %r1;",
                      each(32, [](auto k) { return k * 10; }), {.buffers = {}, .module = operations});
}

TEST_CASE("an indirect call to an invalid address is reported") {
  const Finding finding =
      finding_of("mov.u64 %rd1, 4711;" + call_pointer, {.buffers = {}, .module = operations});
  CHECK(finding.kind == Kind::crash);
  CHECK(contains(finding.message, "indirect call to 0x1267"));
}

TEST_CASE("an indirect call with the wrong number of arguments is reported") {
  const Finding finding = finding_of(R"(
    mov.u64 %rd1, plus; { .param .b32 a; .param .b32 r; kind: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (r), %rd1, (a), kind; })",
                                     {.buffers = {}, .module = operations});
  CHECK(finding.kind == Kind::crash);
  CHECK(contains(finding.message, "called with 1 arguments but takes 2"));
}

TEST_CASE("exit ends a thread inside nested calls") {
  check_all_schedules(R"(
    st.global.u32 [mine], 1; call leave, (tid); st.global.u32 [mine], 2; bar.sync 0;)",
                      each(64, [](auto k) { return k < 20 ? 1 : 2; }),
                      {.buffers = {},
                       .module = R"(
    .func leave(.reg .b32 who) { .reg .pred %p<2>; setp.lt.u32 %p1, who, 20; @%p1 exit; ret; })",
                       .block = {64, 1, 1}});
}

TEST_CASE("lanes may return from different points of a function") {
  check_all_schedules("call (%r1), classify, (tid); st.global.u32 [mine], %r1;",
                      each(32, [](auto k) { return k < 8    ? 1
                                                   : k < 16 ? 2
                                                            : 3; }),
                      {.buffers = {}, .module = R"(
    .func (.reg .b32 result) classify(.reg .b32 x) { .reg .pred %p<3>;
      mov.u32 result, 1; setp.lt.u32 %p1, x, 8; @%p1 ret;
      mov.u32 result, 2; setp.lt.u32 %p2, x, 16; @%p2 ret;
      mov.u32 result, 3; ret; })"});
}

TEST_CASE("lanes that called a function can shuffle inside it") {
  check_all_schedules("call (%r1), across, (tid); st.global.u32 [mine], %r1;",
                      each(32, [](auto k) { return k ^ 16; }), {.buffers = {}, .module = R"(
    .func (.reg .b32 result) across(.reg .b32 x) { shfl.sync.bfly.b32 result, x, 16, 31, -1; ret; })"});
}

TEST_CASE("a function may wait at a barrier and have its own shared memory") {
  check_all_schedules("call (%r1), turn, (tid); st.global.u32 [mine], %r1;",
                      each(64, [](auto k) { return 63 - k; }),
                      {.buffers = {},
                       .module = R"(
    .func (.reg .b32 result) turn(.reg .b32 x) { .shared .u32 box[64]; .reg .b32 %r<5>;
      mov.u32 %r1, box; mad.lo.u32 %r2, x, 4, %r1; st.shared.u32 [%r2], x; bar.sync 0;
      sub.u32 %r3, 63, x; mad.lo.u32 %r3, %r3, 4, %r1; ld.shared.u32 result, [%r3]; ret; })",
                       .block = {64, 1, 1}});
}

TEST_CASE("each activation has its own depot") {
  check_all_schedules(R"(
    .local .b32 own; st.local.u32 [own], 77; call fill, (tid); ld.local.u32 %r1, [own]; st.global.u32 [mine], %r1;)",
                      all(32, 77), {.buffers = {}, .module = R"(
    .func fill(.reg .b32 x) { .local .b32 own; st.local.u32 [own], x; ret; })"});
}

TEST_CASE("a pointer to a caller's local variable is valid in the callee") {
  check_all_schedules(R"(
    .local .b32 own; .reg .b64 at; mov.u64 at, own; cvta.local.u64 at, at; call store, (at, tid);
    ld.local.u32 %r1, [own]; st.global.u32 [mine], %r1;)",
                      each(32, [](auto k) { return k; }), {.buffers = {}, .module = R"(
    .func store(.reg .b64 to, .reg .b32 x) { .local .b64 pad[4]; st.u32 [to], x; ret; })"});
}

TEST_CASE("unbounded recursion overflows the stack") {
  for (const std::string depot : {"", ".local .b8 room[4096];"}) {
    const Finding finding = finding_of(
        "call again, ();", {.buffers = {}, .module = ".func again() {" + depot + " call again, (); ret; }"});
    CHECK(finding.kind == Kind::crash);
    CHECK(contains(finding.message, "stack overflow: calls are"));
  }
}

TEST_CASE("a call of a function without a body stops only kernels that reach it") {
  const Setting setting{.buffers = {zeros(128)}, .module = ".extern .func missing(.param .b32 x);"};
  const std::string body = "{ .param .b32 x; st.param.b32 [x], tid; call missing, (x); }";
  CHECK(contains(refusal<Unsupported>([&] { try_kernel(body, setting); }), "a call of missing"));
  CHECK(run_kernel("bra over; " + body + " over: st.global.u32 [mine], 4;", setting).words() == all(32, 4));
}

}  // namespace
}  // namespace foldproof::machine_tests
