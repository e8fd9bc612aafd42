// Definedness: which operations define a variable or memory, and how undefined bits are traced through
// registers, memory, shuffles, matrices and asynchronous copies.
#include "sanitizer/definedness.h"

namespace foldproof::sanitizer_tests {
namespace {

TEST_CASE("a variable is initialized if it was assigned on each lane's own path") {
  const std::string store = " st.global.u32 [mine], %r1;", some = "setp.lt.u32 %p1, tid, 16; ";
  CHECK(undefined_kinds(some + "@%p1 mov.u32 %r1, 5;" + store) == "uninitialized-read");
  CHECK(undefined_kinds(some + "@%p1 mov.u32 %r1, 5; @%p1" + store) == "none");
  CHECK(undefined_kinds(some + "@%p1 bra on; mov.u32 %r1, 5; on:" + store) == "uninitialized-read");
  CHECK(undefined_kinds(some + "@%p1 bra one; mov.u32 %r1, 5; bra on; one: mov.u32 %r1, 6; on:" + store) ==
        "none");
  CHECK(undefined_kinds(some + "@%p1 mov.u32 %r1, 5; selp.u32 %r1, %r1, 7, %p1;" + store) == "none");
  CHECK(undefined_kinds(some + "@%p1 ld.global.u32 %r1, [mine]; @%p1" + store) == "none");
}

TEST_CASE("a variable assigned in the first iteration of a loop is initialized in the next") {
  CHECK(undefined_kinds(R"(mov.u32 %r2, 0;
    loop: setp.ne.u32 %p1, %r2, 0; @%p1 bra later; mov.u32 %r1, tid; bra on;
    later: add.u32 %r1, %r1, 1;
    on: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 3; @%p2 bra loop;
    st.global.u32 [mine], %r1;)") == "none");
  CHECK(undefined_kinds(R"(mov.u32 %r2, 0;
    loop: add.u32 %r1, %r1, tid;
    add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 3; @%p2 bra loop;
    st.global.u32 [mine], %r1;)") == "uninitialized-read");
}

TEST_CASE("any write to an uninitialized variable initializes it") {
  const auto after = [](const std::string& write) {
    return undefined_kinds(tile + "mov.u32 %r3, tile; add.u32 %r9, %r1, 1; add.u64 %rd9, %rd1, 1; " + write);
  };
  const std::string store = " st.global.u32 [mine], %r1;";
  CHECK(after("mov.u32 %r1, %laneid;" + store) == "none");
  CHECK(after("activemask.b32 %r1;" + store) == "none");
  CHECK(after("atom.global.add.u32 %r1, [mine], 1; bar.warp.sync 0xffffffff;" + store) == "none");
  CHECK(after("shfl.sync.idx.b32 %r1, tid, 0, 31, 0xffffffff;" + store) == "none");
  CHECK(after("setp.eq.u32 %p1, tid, 0; vote.sync.ballot.b32 %r1, %p1, 0xffffffff;" + store) == "none");
  CHECK(after("redux.sync.add.u32 %r1, tid, 0xffffffff;" + store) == "none");
  CHECK(after("match.any.sync.b32 %r1, tid, 0xffffffff;" + store) == "none");
  CHECK(after("setp.eq.u32 %p1, tid, 0; bar.red.popc.u32 %r1, 0, %p1;" + store) == "none");
  CHECK(
      after(
          "setp.eq.u32 %p1, tid, 0; @!%p1 bra on; mbarrier.init.shared.b64 [%r3], 1; "
          "mbarrier.arrive.shared.b64 %rd1, [%r3]; cvt.u32.u64 %r1, %rd1; st.global.u32 [mine], %r1; on:") ==
      "none");
  CHECK(after("ld.param.u64 %rd1, [k_buffer0]; cvt.u32.u64 %r1, %rd1;" + store) == "none");
}

TEST_CASE("the written low half of a partly written word may be used") {
  const std::string half = tile + R"(mov.u16 %h1, 7; st.shared.u16 [tile], %h1; bar.warp.sync 0xffffffff;
    ld.shared.u32 %r1, [tile];)";
  CHECK(undefined_kinds(half + "and.b32 %r2, %r1, 0xffff; st.global.u32 [mine], %r2;") == "none");
  CHECK(undefined_kinds(half + "prmt.b32 %r2, %r1, 0, 0x4410; st.global.u32 [mine], %r2;") == "none");
  CHECK(undefined_kinds(half + "shr.u32 %r2, %r1, 16; st.global.u32 [mine], %r2;") == "uninitialized-read");
}

TEST_CASE("a shuffle from an inactive lane is undefined") {
  // Only lanes 0 to 15 are active; lane 15 reads from lane 16.
  const std::string shuffle = R"(setp.ge.u32 %p1, tid, 16; @%p1 bra end; mov.u32 %r1, tid;
    shfl.sync.down.b32 %r2, %r1, 1, 31, 0x0000ffff;)";
  CHECK(undefined_kinds(shuffle + "st.global.u32 [mine], %r2; end:") == "undefined-shuffle-source");
  CHECK(
      undefined_kinds(
          shuffle + "setp.eq.u32 %p2, tid, 15; selp.u32 %r2, 0, %r2, %p2; st.global.u32 [mine], %r2; end:") ==
      "none");
}

TEST_CASE("operands that decide what an instruction does must be defined") {
  // %r1 and %rd1 are never written.
  const auto with = [](const std::string& instructions) {
    return undefined_kinds(tile +
                           "mov.u32 %r3, tile; and.b32 %r1, %r1, 1; setp.eq.u32 %p1, tid, 0; "
                           "@%p1 mbarrier.init.shared.b64 [%r3], 1; bar.warp.sync 0xffffffff; " +
                           instructions + " selp.u32 %r2, 1, 2, %p2; st.global.u32 [mine], %r2;");
  };
  const std::string defined = "setp.eq.u32 %p2, tid, 3;";
  CHECK(with(defined) == "none");
  CHECK(with("mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0;") == "none");
  CHECK(with("mbarrier.test_wait.parity.shared.b64 %p2, [%r3], %r1;") == "uninitialized-read");
  CHECK(with("mbarrier.test_wait.shared.b64 %p2, [%r3], %rd1;") == "uninitialized-read");
  CHECK(with("mbarrier.pending_count.b64 %r2, %rd1;" + defined) == "uninitialized-read");
  CHECK(with("match.all.sync.b32 %r2|%p2, %r1, 0xffffffff;") == "uninitialized-read");
  CHECK(with("shfl.sync.down.b32 %r2|%p2, tid, 1, %r1, 0xffffffff;") == "uninitialized-read");
}

TEST_CASE("an mbarrier must be initialized before it is used") {
  const auto after = [](const std::string& before) {
    return undefined_kinds(tile + "mov.u32 %r3, tile; setp.eq.u32 %p1, tid, 0; " + before +
                           " bar.warp.sync 0xffffffff; mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0; "
                           "selp.u32 %r2, 1, 2, %p2; st.global.u32 [mine], %r2;");
  };
  CHECK(after("@%p1 mbarrier.init.shared.b64 [%r3], 1;") == "none");
  CHECK(after("") == "uninitialized-read");
}

TEST_CASE("an atomic on unwritten memory leaves it undefined, but an exchange defines it") {
  const std::string result =
      "bar.warp.sync 0xffffffff; ld.shared.u32 %r1, [tile]; st.global.u32 [mine], %r1;";
  CHECK(undefined_kinds(tile + "red.shared.add.u32 [tile], 1;" + result) == "uninitialized-read");
  CHECK(undefined_kinds(tile + "atom.shared.exch.b32 %r2, [tile], 1;" + result) == "none");
}

TEST_CASE("a structure passed by value is defined where the caller stored its members") {
  // Returns the member at byte 4 of a structure of 12 bytes.
  const std::string second = R"(
    .func (.param .b32 result) second(.param .align 4 .b8 p[12]) {
      .reg .b32 %r1; ld.param.b32 %r1, [p+4]; st.param.b32 [result], %r1; ret; })";
  const auto of = [&](const std::string& stores) {
    return undefined_kinds(
        "setp.lt.u32 %p1, tid, 16; { .param .align 4 .b8 p[12]; .param .b32 back; " + stores +
            "call (back), second, (p); ld.param.b32 %r1, [back]; } st.global.u32 [mine], %r1;",
        {.buffers = {}, .module = second});
  };
  CHECK(of("st.param.v2.b32 [p], {tid, tid};") == "none");
  CHECK(of("mov.u16 %h1, 7; st.param.b16 [p+4], %h1; st.param.b16 [p+6], %h1;") == "none");
  CHECK(of("st.param.b32 [p], tid; st.param.b32 [p+8], tid;") == "uninitialized-read");
  CHECK(of("mov.u16 %h1, 7; st.param.b16 [p+4], %h1;") == "uninitialized-read");
  CHECK(of("@%p1 st.param.b32 [p+4], tid;") == "uninitialized-read");
}

TEST_CASE("a result is defined where the function stored it") {
  const auto of = [](const std::string& result, const std::string& stores) {
    return undefined_kinds(
        "{ .param .align 4 .b8 back[8]; mov.u64 %rd1, half; kind: .callprototype (.param .align 4 "
        ".b8 _[8]) _ (); call (back), %rd1, (), kind; ld.param.b32 %r1, [back+4]; } "
        "st.global.u32 [mine], %r1;",
        {.buffers = {},
         .module = ".func (.param .align 4 .b8 " + result + "[8]) half() { " + stores + " ret; }"});
  };
  CHECK(of("r", "st.param.b64 [r], 5;") == "none");
  CHECK(of("r", "st.param.b32 [r], 5;") == "uninitialized-read");
  CHECK(undefined_kinds("call (%r1), nothing; st.global.u32 [mine], %r1;",
                        {.buffers = {}, .module = ".func (.reg .b32 r) nothing() { ret; }"}) ==
        "uninitialized-read");
}

TEST_CASE("an unwritten matrix is reported as the memory that holds it") {
  const auto found = undefined(tile + R"(
    .reg .b32 at; mov.u32 at, tile; mad.lo.u32 at, tid, 16, at;
    ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [at];
    st.global.u32 [mine], %r1;)");
  REQUIRE(kinds(found) == "uninitialized-read");
  CHECK(contains(found[0].message, "the shared variable tile"));
  CHECK(found[0].other->line == 3);
}

// Lane 31 reads from lane 32, which does not exist.
const std::string from_nowhere = R"(mov.u32 %r1, tid; add.u32 %r8, tid, 1; and.b32 %r8, %r8, 31;
    setp.eq.u32 %p1, tid, 31; @%p1 bra gone; shfl.sync.idx.b32 %r2, %r1, %r8, 31, 0x7fffffff;)";

TEST_CASE("undefined bits keep their origin through matrices and asynchronous copies") {
  CHECK(undefined_kinds(tile + ".shared .align 16 .b8 other[512];" + R"(
    .reg .b32 at, to; mov.u32 at, tile; mad.lo.u32 at, tid, 16, at; mov.u32 to, other; mad.lo.u32 to, tid, 16, to;
    setp.lt.u32 %p2, tid, 16; mov.u32 %r2, 0; @!%p2 bra meet;
    shfl.sync.down.b32 %r2, %r2, 16, 31, 0x0000ffff;
  meet: bar.warp.sync 0xffffffff;
    stmatrix.sync.aligned.m8n8.x1.shared.b16 [at], {%r2};
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r3, [at]; st.global.u32 [mine], %r3;)",
                        {}) != "none");
  CHECK(undefined_kinds(tile + R"(
    .reg .b32 at; mov.u32 at, tile; mad.lo.u32 at, tid, 4, at; )" +
                            from_nowhere + R"(
    st.global.u32 [buffer1], %r2;
    cp.async.ca.shared.global [at], [buffer1], 4; cp.async.wait_all;
    ld.shared.u32 %r3, [at]; st.global.u32 [mine], %r3;
  gone:)",
                        {.buffers = {zeros(4)}}) == "undefined-shuffle-source");
}

// %r9: this thread's word of the tile; copies read from buffer1.
const std::string own_word = tile +
                             ".reg .b32 word, next; mov.u32 word, tile; mad.lo.u32 word, tid, 4, word; "
                             "add.u32 next, word, 128; ";
const std::string copy = "cp.async.ca.shared.global [word], [buffer1], 4; ";
const std::string use = "ld.shared.u32 %r1, [word]; st.global.u32 [mine], %r1; ";

std::string copied(const std::string& body) {
  return undefined_kinds(own_word + body, {.buffers = {zeros(4)}});
}

TEST_CASE("data of an asynchronous copy is undefined until its thread has waited for it") {
  CHECK(copied(copy + "cp.async.wait_all; " + use) == "none");
  CHECK(copied(copy + "cp.async.commit_group; cp.async.wait_group 0; " + use) == "none");
  CHECK(copied(copy + use + "cp.async.wait_all; ") == "uninitialized-read");
  CHECK(copied(copy + "cp.async.commit_group; cp.async.wait_group 1; " + use) == "uninitialized-read");
  const auto found = undefined(own_word + copy + use, {.buffers = {zeros(4)}});
  REQUIRE(found.size() == 1);
  CHECK(contains(found[0].message, "an asynchronous copy for which the thread did not wait"));
}

TEST_CASE("a copy whose source is overwritten before the wait delivers undefined data") {
  const std::string own_copy = "cp.async.ca.shared.global [word], [mine], 4; ",
                    overwrite = "st.global.u32 [mine], 7; ";
  const std::string write = "st.global.u32 [mine], tid; ";
  CHECK(copied(write + own_copy + "cp.async.wait_all; " + overwrite + use) == "none");
  CHECK(copied(write + own_copy + overwrite + "cp.async.wait_all; " + use) == "uninitialized-read");
  const auto found = undefined(own_word + write + own_copy + overwrite + "cp.async.wait_all; " + use,
                               {.buffers = {zeros(4)}});
  REQUIRE(found.size() == 1);
  CHECK(contains(found[0].message, "whose source was overwritten before the thread waited"));
}

TEST_CASE("wait_group waits for copies before the commit and not for later ones") {
  const std::string later = "cp.async.ca.shared.global [next], [buffer1], 4; ",
                    commit = "cp.async.commit_group; ";
  CHECK(copied(copy + commit + later + commit + "cp.async.wait_group 1; " + use) == "none");
  CHECK(copied(later + commit + copy + commit + "cp.async.wait_group 1; " + use) == "uninitialized-read");
  CHECK(copied(copy + "cp.async.wait_group 0; " + use) == "uninitialized-read");      // in no group
  CHECK(copied(copy + commit + commit + "cp.async.wait_group 1; " + use) == "none");  // an empty group counts
}

TEST_CASE("undefined bits in shared memory are not inherited from an earlier block") {
  // The first blocks store the result of an invalid shuffle; the last ones read unwritten memory.
  const auto found = undefined(tile + R"(
    setp.ge.u32 %p3, cta, 5000; @%p3 bra read;)" +
                                   from_nowhere + R"(
    st.shared.u32 [tile], %r2; bra gone;
  read: ld.shared.u32 %r2, [tile]; st.global.u32 [mine], %r2;
  gone:)",
                               {.buffers = {}, .grid = {6000, 1, 1}});
  CHECK(kinds(found) == "uninitialized-read");
}

TEST_CASE("undefined bits in local memory keep their origin while the stack grows") {
  const std::string deep =
      ".func deep() { .local .b8 room[60000]; .reg .b32 %r<2>; st.local.u32 [room], 1; ret; }";
  const auto found = undefined(".local .align 4 .b8 own[4];" + from_nowhere + R"(
    st.local.u32 [own], %r2; call deep; ld.local.u32 %r3, [own]; st.global.u32 [mine], %r3;
  gone:)",
                               {.buffers = {}, .module = deep});
  CHECK(kinds(found) == "undefined-shuffle-source");
}

TEST_CASE("local memory is undefined again in the next call") {
  const std::string memory = R"(.func (.reg .b32 result) memory(.reg .b32 writes) {
    .local .align 4 .b8 own[4]; .reg .pred %p<2>;
    setp.ne.u32 %p1, writes, 0; @%p1 st.local.u32 [own], 5; ld.local.u32 result, [own]; ret; })";
  const auto body = [](const char* second) {
    return fmt::format(
        "mov.u32 %r3, 1; call (%r1), memory, (%r3); mov.u32 %r3, {}; call (%r2), memory, (%r3);"
        "st.global.u32 [mine], %r2;",
        second);
  };
  CHECK(undefined_kinds(body("1"), {.buffers = {}, .module = memory}) == "none");
  CHECK(undefined_kinds(body("0"), {.buffers = {}, .module = memory}) == "uninitialized-read");
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
