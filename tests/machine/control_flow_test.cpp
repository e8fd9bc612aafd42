// Divergent branches, loops, indexed branches, early exits.
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

TEST_CASE("lanes execute both sides of a branch") {
  covers("bra");

  check_all_schedules(R"(
    setp.lt.u32 %p1, tid, 10; @%p1 bra small;
    mov.u32 %r1, 2; bra done;
    small: mov.u32 %r1, 1;
    done: st.global.u32 [mine], %r1;)",
                      each(32, [](auto k) { return k < 10 ? 1 : 2; }));
}

TEST_CASE("a branch without an else side skips only the guarded code") {
  check_all_schedules(R"(
    mov.u32 %r1, 5; and.b32 %r2, tid, 1; setp.eq.u32 %p1, %r2, 0; @!%p1 bra done;
    add.u32 %r1, %r1, tid;
    done: st.global.u32 [mine], %r1;)",
                      each(32, [](auto k) { return k % 2 == 0 ? k + 5 : 5; }));
}

TEST_CASE("branches nest") {
  // Three levels, with an addition after every point of reconvergence.
  const std::string body = R"(
    mov.u32 %r1, 0;
    and.b32 %r2, tid, 8; setp.eq.u32 %p1, %r2, 0; @%p1 bra a0;
    add.u32 %r1, %r1, 8;
    and.b32 %r3, tid, 4; setp.eq.u32 %p2, %r3, 0; @%p2 bra b0;
      add.u32 %r1, %r1, 4;
      and.b32 %r4, tid, 2; setp.eq.u32 %p3, %r4, 0; @%p3 bra c0;
        add.u32 %r1, %r1, 2;
      c0: add.u32 %r1, %r1, 16;
    b0: add.u32 %r1, %r1, 32;
    a0: add.u32 %r1, %r1, 64;
    st.global.u32 [mine], %r1;)";
  check_all_schedules(body, each(32, [](auto k) {
                        if ((k & 8) == 0) return 64u;
                        if ((k & 4) == 0) return 64u + 32 + 8;
                        return 64u + 32 + 8 + 16 + 4 + (k & 2);
                      }));
}

TEST_CASE("each lane leaves a loop after its own number of iterations") {
  check_all_schedules(R"(
    mov.u32 %r1, 0; mov.u32 %r2, 0;
    next: add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1; setp.le.u32 %p1, %r1, tid; @%p1 bra next;
    st.global.u32 [mine], %r2;)",
                      each(32, [](auto k) { return k * (k + 1) / 2; }));
}

TEST_CASE("nested loops may have different trip counts in each lane") {
  check_all_schedules(R"(
    and.b32 %r5, tid, 3; shr.u32 %r6, tid, 3; mov.u32 %r1, 0; mov.u32 %r3, 0;
    outer: mov.u32 %r2, 0;
    inner: add.u32 %r3, %r3, 1; add.u32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %r5; @%p1 bra inner;
    add.u32 %r1, %r1, 1; setp.le.u32 %p2, %r1, %r6; @%p2 bra outer;
    st.global.u32 [mine], %r3;)",
                      each(32, [](auto k) { return (k % 4 + 1) * (k / 8 + 1); }));
}

TEST_CASE("break and continue work inside a loop") {
  // for i in 0 …: if i is odd continue; if i > tid break; sum += i
  check_all_schedules(R"(
    mov.u32 %r1, 0; mov.u32 %r2, 0; bra test;
    step: add.u32 %r1, %r1, 1;
    test: and.b32 %r3, %r1, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra step;
    setp.gt.u32 %p2, %r1, tid; @%p2 bra out;
    add.u32 %r2, %r2, %r1; bra step;
    out: st.global.u32 [mine], %r2;)",
                      each(32, [](auto k) { return (k / 2) * (k / 2 + 1); }));
}

TEST_CASE("exited lanes write nothing more") {
  covers("ret");
  covers("exit");

  check_all_schedules(R"(
    st.global.u32 [mine], 1; setp.lt.u32 %p1, tid, 9; @%p1 ret;
    setp.lt.u32 %p2, tid, 20; @%p2 exit;
    st.global.u32 [mine], 2;)",
                      each(32, [](auto k) { return k < 20 ? 1 : 2; }));
}

TEST_CASE("a kernel may exit inside nested branches") {
  check_all_schedules(R"(
    setp.lt.u32 %p1, tid, 16; @%p1 bra low;
    setp.lt.u32 %p2, tid, 24; @%p2 ret;
    mov.u32 %r1, 3; bra done;
    low: setp.lt.u32 %p2, tid, 8; @%p2 ret;
    mov.u32 %r1, 4;
    done: st.global.u32 [mine], %r1;)",
                      each(32, [](auto k) {
                        return k < 8 ? 0 : k < 16 ? 4 : k < 24 ? 0 : 3;
                      }));
}

TEST_CASE("an indexed branch goes to the label that each lane selects") {
  covers("brx_idx");

  check_all_schedules(R"(
    table: .branchtargets zero, one, two, one;
    and.b32 %r1, tid, 3; brx.idx %r1, table;
    zero: mov.u32 %r2, 100; bra done;
    one: mov.u32 %r2, 101; bra done;
    two: mov.u32 %r2, 102;
    done: add.u32 %r2, %r2, tid; st.global.u32 [mine], %r2;)",
                      each(32, [](auto k) { return k + 100 + (k % 4 == 3 ? 1 : k % 4); }));
}

TEST_CASE("a uniform indexed branch goes to one label") {
  CHECK(results(R"(
    table: .branchtargets zero, one;
    brx.idx.uni 1, table;
    zero: mov.u32 %r2, 100; bra done;
    one: mov.u32 %r2, 101;
    done: st.global.u32 [mine], %r2;)") == all(32, 101));
}

TEST_CASE("an indexed branch beyond its list is reported") {
  const Finding finding = finding_of(R"(
    table: .branchtargets zero, one;
    brx.idx tid, table;
    zero: ret; one: ret;)",
                                     {.buffers = {}});
  CHECK(finding.kind == Kind::crash);
  CHECK(contains(finding.message, "selects target 2 of 2"));
}

TEST_CASE("a guarded instruction acts only in lanes whose predicate is true") {
  check_all_schedules(R"(
    setp.lt.u32 %p1, tid, 3; setp.gt.u32 %p2, tid, 28; or.pred %p3, %p1, %p2; mov.u32 %r1, 1;
    @%p3 add.u32 %r1, %r1, 10; @!%p3 add.u32 %r1, %r1, 20; st.global.u32 [mine], %r1;)",
                      each(32, [](auto k) { return k < 3 || k > 28 ? 11 : 21; }));
}

TEST_CASE("the end of an entry without ret ends the kernel") {
  CHECK(results("st.global.u32 [mine], 3;") == all(32, 3));
}

TEST_CASE("a label at the very end can be a branch target") {
  CHECK(results("setp.lt.u32 %p1, tid, 3; @%p1 bra last; st.global.u32 [mine], 3; last:") ==
        each(32, [](auto k) { return k < 3 ? 0 : 3; }));
}

TEST_CASE("registers and labels in braces are visible only inside them") {
  CHECK(results(R"(
    mov.u32 %r1, 1;
    { .reg .u32 %r1; mov.u32 %r1, 50; setp.lt.u32 %p1, tid, 4; @%p1 bra out; mov.u32 %r1, 60; out: }
    { .reg .u32 inner; mov.u32 inner, 7; add.u32 %r1, %r1, inner; bra out; out: }
    st.global.u32 [mine], %r1;)") == all(32, 8));
}

TEST_CASE("a range of registers does not hide the bare name") {
  CHECK(results(R"(
    { .reg .b32 tid<4>; mov.u32 tid1, 7; add.u32 %r1, tid, tid1; }
    st.global.u32 [mine], %r1;)") == each(32, [](auto k) { return k + 7; }));
}

TEST_CASE("bra.uni and a branch to the next instruction do nothing") {
  CHECK(results("bra.uni on; on: setp.lt.u32 %p1, tid, 5; @%p1 bra here; here: st.global.u32 [mine], 6;") ==
        all(32, 6));
}

}  // namespace
}  // namespace foldproof::machine_tests
