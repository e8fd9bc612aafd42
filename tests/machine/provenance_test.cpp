// The provenance of a kernel's results through registers, lanes and memory.
#include "machine/fixture.h"
#include "oracles/uses.h"

namespace foldproof::machine_tests {
namespace {

/// How often each element of buffer1 is part of the results, which are in buffer0; -1: unknown.
struct TracedRun {
  ProvenanceTrace trace;

  std::vector<double> times(Operator op = Operator::sum) const {
    std::vector<double> all;
    for (const Use& use : uses_of(trace.expressions, trace.results.front(), op))
      all.push_back(use.times.value_or(-1));
    return all;
  }
  std::vector<bool> counts() const {
    std::vector<bool> all;
    for (const Use& use : uses_of(trace.expressions, trace.results.front(), Operator::sum))
      all.push_back(use.counts);
    return all;
  }
};

/// Traces the elements of buffer1 into the elements of buffer0.
TracedRun traced(const std::string& body, const Setting& setting, Element input = Element::f32,
                 Element output = Element::f32) {
  Job job = job_of(body, setting);
  job.trace = TraceRequest{{1, input, setting.buffers[1].size() / size_of(input)},
                           {{0, output, setting.buffers[0].size() / size_of(output)}}};
  const JobResult result = emulated::make_runner()->run({job}).front();
  REQUIRE(result.findings.empty());
  REQUIRE(result.trace);
  return {*result.trace};
}

Bytes floats(const std::vector<float>& values) { return bytes_of(values); }

const std::string load_mine =
    "sub.u64 %rd1, mine, buffer0; add.u64 %rd1, buffer1, %rd1; ld.global.f32 %f1, [%rd1]; ";

TEST_CASE("A copied value is still the same element, and elements that are not read are not used") {
  const auto run = traced("ld.global.f32 %f1, [buffer1+4]; mov.f32 %f2, %f1; st.global.f32 [buffer0], %f2;",
                          {.buffers = {zeros(4), floats({1, 2, 3})}, .block = {1, 1, 1}});
  CHECK(run.times() == std::vector<double>{0, 1, 0});
  CHECK(run.counts() == std::vector<bool>{false, true, false});
}

TEST_CASE("An element added twice counts twice, and one that is subtracted again does not count") {
  const auto run = traced(R"(
    ld.global.f32 %f1, [buffer1]; ld.global.f32 %f2, [buffer1+4];
    add.f32 %f3, %f1, %f1; add.f32 %f3, %f3, %f2; sub.f32 %f3, %f3, %f2; st.global.f32 [buffer0], %f3;)",
                          {.buffers = {zeros(4), floats({1, 2})}, .block = {1, 1, 1}});
  CHECK(run.times() == std::vector<double>{2, 0});
}

TEST_CASE("Shuffles carry elements between lanes: a butterfly gives each lane every element once") {
  const auto run = traced(load_mine + R"(
    mov.u32 %r1, 16;
    next: mov.b32 %r2, %f1; shfl.sync.bfly.b32 %r3, %r2, %r1, 31, 0xffffffff; mov.b32 %f2, %r3;
    add.f32 %f1, %f1, %f2; shr.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra next;
    setp.ne.u32 %p1, tid, 0; @%p1 bra end; st.global.f32 [buffer0], %f1; end:)",
                          {.buffers = {zeros(4), floats(std::vector<float>(32, 1.5f))}});
  CHECK(run.times() == std::vector<double>(32, 1.0));
}

TEST_CASE("Shared memory and barriers carry elements between warps but not between blocks") {
  // Every block writes the sum of its first and last element.
  const auto run = traced(
      ".shared .align 4 .b8 tile[256]; " + load_mine + R"(
    mov.u32 %r1, tile; mad.lo.u32 %r2, tid, 4, %r1; st.shared.f32 [%r2], %f1; bar.sync 0;
    setp.ne.u32 %p1, tid, 0; @%p1 bra end; ld.shared.f32 %f2, [%r1+252]; add.f32 %f1, %f1, %f2;
    mul.wide.u32 %rd2, cta, 4; add.u64 %rd2, buffer0, %rd2; st.global.f32 [%rd2], %f1; end:)",
      {.buffers = {zeros(8), floats(std::vector<float>(128, 1))}, .grid = {2, 1, 1}, .block = {64, 1, 1}});
  std::vector<double> expected(128, 0);
  for (const std::size_t used : {0u, 63u, 64u, 127u}) expected[used] = 1;
  CHECK(run.times() == expected);
}

TEST_CASE("Atomics add to the content of memory in every order") {
  for (const Schedule& schedule : every_schedule()) {
    const auto run = traced(load_mine + "red.global.add.f32 [buffer0], %f1;",
                            {.buffers = {zeros(4), floats(std::vector<float>(64, 1))},
                             .block = {64, 1, 1},
                             .schedule = schedule});
    CHECK(run.times() == std::vector<double>(64, 1.0));
  }
}

TEST_CASE("A compare-and-swap loop adds every element once, including zeros") {
  for (const float second : {1.0f, 0.0f})
    for (const Schedule& schedule : every_schedule()) {
      std::vector<float> values(32, 1);
      for (std::size_t k = 0; k < values.size(); k += 2) values[k] = second;
      values[0] = values[31] = 1;
      const auto run = traced(load_mine + R"(
    ld.global.b32 %r1, [buffer0];
    next: mov.b32 %r2, %r1; mov.b32 %f2, %r2; add.f32 %f3, %f2, %f1; mov.b32 %r3, %f3;
    atom.global.cas.b32 %r1, [buffer0], %r2, %r3; setp.ne.u32 %p1, %r1, %r2; @%p1 bra next;)",
                              {.buffers = {floats({8}), floats(values)}, .schedule = schedule});
      if (run.trace.expressions.incomplete())
        continue;  // the first lane's constant was replaced by constant + 0
      CHECK(run.times() == std::vector<double>(32, 1.0));
    }
}

TEST_CASE("The halves of a word are traced separately") {
  // (a + c, b + d), and the sum of its two halves; c is element 2, which is added to a.
  const auto run = traced(R"(
    ld.global.b32 %r1, [buffer1]; ld.global.b32 %r2, [buffer1+4]; add.f16x2 %r3, %r1, %r2;
    mov.b32 {%h1, %h2}, %r3; add.f16 %h3, %h1, %h2; st.global.b16 [buffer0], %h3;)",
                          {.buffers = {zeros(2), zeros(10)}, .block = {1, 1, 1}}, Element::f16, Element::f16);
  CHECK(run.times() == std::vector<double>{1, 1, 1, 1, 0});
}

TEST_CASE("Bytes are traced through masks, shifts and permutations, with and without sign extension") {
  // Bytes 0 … 3 of a word: one masked, one shifted down, one selected by prmt, one loaded separately with
  // sign extension.
  const auto run =
      traced(R"(
    ld.global.b32 %r1, [buffer1]; and.b32 %r2, %r1, 0xff; shr.u32 %r3, %r1, 24; prmt.b32 %r4, %r1, 0, 0x4441;
    ld.global.s8 %r5, [buffer1+2]; add.s32 %r2, %r2, %r3; add.s32 %r2, %r2, %r4; add.s32 %r2, %r2, %r5;
    st.global.u32 [buffer0], %r2;)",
             {.buffers = {zeros(4), words({0x81828384, 0})}, .block = {1, 1, 1}}, Element::u8, Element::i32);
  CHECK(run.times() == std::vector<double>{1, 1, 1, 1, 0, 0, 0, 0});
}

TEST_CASE("A double is traced through shuffles of its two halves") {
  const auto run = traced(R"(
    sub.u64 %rd1, mine8, buffer0; add.u64 %rd1, buffer1, %rd1; ld.global.f64 %d1, [%rd1];
    mov.b64 {%r1, %r2}, %d1; shfl.sync.down.b32 %r3, %r1, 1, 31, -1; shfl.sync.down.b32 %r4, %r2, 1, 31, -1;
    mov.b64 %d2, {%r3, %r4}; add.f64 %d1, %d1, %d2; setp.ne.u32 %p1, tid, 0; @%p1 bra end;
    st.global.f64 [buffer0], %d1; end:)",
                          {.buffers = {zeros(8), zeros(32 * 8)}}, Element::f64, Element::f64);
  std::vector<double> expected(32, 0);
  expected[0] = expected[1] = 1;
  CHECK(run.times() == expected);
}

TEST_CASE("A selection uses the selector and both candidates; only the selected one counts as a value") {
  const auto run = traced(R"(
    ld.global.f32 %f1, [buffer1]; ld.global.f32 %f2, [buffer1+4]; ld.global.f32 %f3, [buffer1+8];
    setp.gt.f32 %p1, %f3, 0f00000000; selp.f32 %f4, %f1, %f2, %p1; st.global.f32 [buffer0], %f4;)",
                          {.buffers = {zeros(4), floats({1, 2, 3, 4})}, .block = {1, 1, 1}});
  CHECK(run.counts() == std::vector<bool>{true, true, true, false});
  CHECK(run.times() == std::vector<double>{1, 0, 0, 0});
}

TEST_CASE("A branch on an element and an address computed from it are uses of it") {
  const auto run = traced(R"(
    ld.global.f32 %f1, [buffer1]; setp.gt.f32 %p1, %f1, 0f00000000; @%p1 bra end; st.global.f32 [buffer0], %f1;
    end: ld.global.u32 %r1, [buffer1+4]; and.b32 %r1, %r1, 4; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, buffer0, %rd1;
    st.global.u32 [%rd1], 1;)",
                          {.buffers = {zeros(8), floats({1, 0, 3})}, .block = {1, 1, 1}});
  CHECK(run.counts() == std::vector<bool>{true, true, false});
}

TEST_CASE("A NaN test depends on an element only if the element is NaN") {
  // isnan as nvcc compiles it, and x != x.
  for (const std::string question :
       {"setp.nan.f32 %p1, %f1, %f1;", "setp.neu.f32 %p1, %f1, %f1;",
        "abs.f32 %f2, %f1; setp.gtu.f32 %p1, %f2, 0f7F800000;",
        "abs.f32 %f2, %f1; setp.le.f32 %p1, %f2, 0f7F800000; not.pred %p1, %p1;"}) {
    INFO(question);
    const auto asked = [&](float element) -> bool {
      return traced("ld.global.f32 %f1, [buffer1]; " + question + " @%p1 bra end; mov.u32 %r1, 1; end:",
                    {.buffers = {zeros(4), floats({element})}, .block = {1, 1, 1}})
          .counts()[0];
    };
    CHECK_FALSE(asked(3));
    CHECK_FALSE(asked(INFINITY));
    CHECK(asked(NAN));
  }
  // These conditions depend on more than NaN.
  for (const std::string question :
       {"setp.gt.f32 %p1, %f1, 0f00000000;", "setp.gtu.f32 %p1, %f1, 0f7F000000;",
        "setp.ge.f32 %p1, %f1, 0f7F800000;", "mov.b32 %r2, %f1; setp.ne.s32 %p1, %r2, 0;"}) {
    INFO(question);
    const auto run =
        traced("ld.global.f32 %f1, [buffer1]; " + question + " @%p1 bra end; mov.u32 %r1, 1; end:",
               {.buffers = {zeros(4), floats({3})}, .block = {1, 1, 1}});
    CHECK(run.counts()[0]);
  }
}

TEST_CASE("A condition does not depend on an element if another operand decides it alone") {
  // %p1 depends on element 0; %p2 on none, and is true if %r1, the thread's number, is 0.
  const auto counts = [](const std::string& condition) -> bool {
    return traced("ld.global.f32 %f1, [buffer1]; mov.u32 %r1, %tid.x; setp.gt.f32 %p1, %f1, 0f00000000;" +
                      condition + " @%p3 bra end; mov.u32 %r1, 1; end:",
                  {.buffers = {zeros(4), floats({3})}, .block = {1, 1, 1}})
        .counts()[0];
  };
  const std::string yes = "setp.eq.u32 %p2, %r1, 0; ", no = "setp.ne.u32 %p2, %r1, 0; ";
  CHECK(counts(yes + "and.pred %p3, %p1, %p2;"));
  CHECK_FALSE(counts(no + "and.pred %p3, %p1, %p2;"));
  CHECK_FALSE(counts(yes + "or.pred %p3, %p2, %p1;"));
  CHECK(counts(no + "or.pred %p3, %p2, %p1;"));
  CHECK(counts(yes + "xor.pred %p3, %p1, %p2;"));
  CHECK_FALSE(counts(no + "setp.gt.and.f32 %p3, %f1, 0f00000000, %p2;"));
  CHECK(counts(yes + "setp.gt.and.f32 %p3, %f1, 0f00000000, %p2;"));
  CHECK_FALSE(counts(yes + "setp.gt.or.f32 %p3, %f1, 0f00000000, %p2;"));
  CHECK(counts(no + "setp.gt.or.f32 %p3, %f1, 0f00000000, %p2;"));
}

TEST_CASE(
    "The larger of two values is recognized if the comparison is negated or combined with a true condition") {
  for (const std::string condition :
       {"setp.gt.f32 %p3, %f1, %f2;", "setp.le.f32 %p1, %f1, %f2; not.pred %p3, %p1;",
        "setp.gt.f32 %p1, %f1, %f2; setp.eq.u32 %p2, %r1, 0; and.pred %p3, %p1, %p2;"}) {
    INFO(condition);
    const auto run =
        traced("ld.global.f32 %f1, [buffer1]; ld.global.f32 %f2, [buffer1+4]; mov.u32 %r1, %tid.x;" +
                   condition + " selp.f32 %f3, %f1, %f2, %p3; st.global.f32 [buffer0], %f3;",
               {.buffers = {zeros(4), floats({1, 2})}, .block = {1, 1, 1}});
    const Node& choice = run.trace.expressions[run.trace.results.front().front()];
    REQUIRE(choice.operation == Operation::choice);
    CHECK(is_comparison_of_its_operands(run.trace.expressions, choice));
  }
}

TEST_CASE("An asynchronous copy carries its elements, visible after the wait") {
  const auto run = traced(R"(
    .shared .align 16 .b8 tile[16]; mov.u32 %r1, tile; cp.async.ca.shared.global [%r1], [buffer1], 8;
    cp.async.wait_all; ld.shared.f32 %f1, [%r1+4]; st.global.f32 [buffer0], %f1;)",
                          {.buffers = {zeros(4), floats({1, 2})}, .block = {1, 1, 1}});
  CHECK(run.times() == std::vector<double>{0, 1});
}

TEST_CASE("Functions take and return elements of any size") {
  const auto run =
      traced(R"(
    ld.global.f64 %d1, [buffer1]; ld.global.f64 %d2, [buffer1+8];
    { .param .b64 a; .param .b64 b; .param .b64 c; st.param.f64 [a], %d1; st.param.f64 [b], %d2;
    call (c), twice, (a, b); ld.param.f64 %d3, [c]; } st.global.f64 [buffer0], %d3;)",
             {.buffers = {zeros(8), zeros(24)},
              .module = ".func (.param .b64 c) twice(.param .b64 a, .param .b64 b) { .reg .f64 %x<4>; "
                        "ld.param.f64 %x1, [a]; ld.param.f64 %x2, [b]; add.f64 %x3, %x1, %x2; "
                        "add.f64 %x3, %x3, %x2; st.param.f64 [c], %x3; ret; }",
              .block = {1, 1, 1}},
             Element::f64, Element::f64);
  CHECK(run.times() == std::vector<double>{1, 2, 0});
}

TEST_CASE("A warp reduction uses every lane's element once") {
  const auto run = traced(R"(
    sub.u64 %rd1, mine, buffer0; add.u64 %rd1, buffer1, %rd1; ld.global.u32 %r1, [%rd1];
    redux.sync.add.u32 %r2, %r1, 0xffffffff; setp.ne.u32 %p1, tid, 0; @%p1 bra end;
    st.global.u32 [buffer0], %r2; end:)",
                          {.buffers = {zeros(4), zeros(128)}}, Element::u32, Element::u32);
  CHECK(run.times() == std::vector<double>(32, 1.0));
}

TEST_CASE("A shift amount, a divisor and a bit position are uses of their elements") {
  const auto run =
      traced(R"(
    ld.global.u32 %r1, [buffer1]; ld.global.u32 %r2, [buffer1+4]; ld.global.u32 %r3, [buffer1+8];
    shl.b32 %r4, 1, %r1; div.u32 %r5, 100, %r2; bfe.u32 %r6, 0x76543210, %r3, 4;
    or.b32 %r4, %r4, %r5; xor.b32 %r4, %r4, %r6; st.global.u32 [buffer0], %r4;)",
             {.buffers = {zeros(4), words({3, 7, 8, 1})}, .block = {1, 1, 1}}, Element::u32, Element::u32);
  CHECK(run.counts() == std::vector<bool>{true, true, true, false});
}

TEST_CASE("A store to an address computed from an element makes unwritten words depend on it too") {
  // The word that element 0 selects is marked, and the other one is read.
  for (const std::string mark : {"st.global.b32 [%rd2], 1;", "red.global.or.b32 [%rd2], 1;",
                                 "atom.global.cas.b32 %r2, [%rd2], 0, 1;"}) {
    const auto run = traced(R"(
    ld.global.u32 %r1, [buffer1]; and.b32 %r1, %r1, 4; cvt.u64.u32 %rd1, %r1; add.u64 %rd2, buffer2, %rd1;
    )" + mark + " ld.global.u32 %r3, [buffer2]; st.global.u32 [buffer0], %r3;",
                            {.buffers = {zeros(4), words({4, 4}), zeros(8)}, .block = {1, 1, 1}},
                            Element::u32, Element::u32);
    CHECK(run.counts() == std::vector<bool>{true, false});
  }
}

TEST_CASE("The old value of an atomic at an address computed from an element depends on the element") {
  const auto run = traced(R"(
    ld.global.u32 %r1, [buffer1]; and.b32 %r1, %r1, 4; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, buffer2, %rd1;
    atom.global.exch.b32 %r2, [%rd1], 1; st.global.u32 [buffer0], %r2;)",
                          {.buffers = {zeros(4), words({4, 4}), zeros(8)}, .block = {1, 1, 1}}, Element::u32,
                          Element::u32);
  CHECK(run.counts() == std::vector<bool>{true, false});
}

TEST_CASE("The result of a function selected by an element is a use of it") {
  const auto run = traced(R"(
    ld.global.u32 %r1, [buffer1]; mov.u64 %rd1, one; mov.u64 %rd2, two; setp.ne.u32 %p1, %r1, 0;
    selp.b64 %rd3, %rd1, %rd2, %p1; prototype: .callprototype (.param .b32 _) _ ();
    { .param .b32 c; call (c), %rd3, (), prototype; ld.param.u32 %r2, [c]; } st.global.u32 [buffer0], %r2;)",
                          {.buffers = {zeros(4), words({4, 4})},
                           .module = ".func (.param .b32 c) one() { st.param.u32 [c], 1; ret; } "
                                     ".func (.param .b32 c) two() { st.param.u32 [c], 2; ret; }",
                           .block = {1, 1, 1}},
                          Element::u32, Element::u32);
  CHECK(run.counts() == std::vector<bool>{true, false});
}

TEST_CASE("A launch records the nodes that it made and those that it left in memory") {
  // The sum of elements 0 and 1 is stored, that of 1 and 2 is not, and element 3 is moved. The elements are
  // nodes 1 … 4.
  const auto run = traced(R"(
    ld.global.f32 %f1, [buffer1]; ld.global.f32 %f2, [buffer1+4]; ld.global.f32 %f3, [buffer1+8];
    ld.global.f32 %f4, [buffer1+12]; add.f32 %f1, %f1, %f2; add.f32 %f2, %f2, %f3;
    st.global.f32 [buffer0], %f1; st.global.f32 [buffer0+4], %f4;)",
                          {.buffers = {zeros(8), floats({1, 2, 3, 4})}, .block = {1, 1, 1}});
  REQUIRE(run.trace.launches.size() == 1);
  CHECK(run.trace.launches[0].end == 7);
  CHECK(run.trace.launches[0].kept == std::vector<NodeId>{4, 5});
}

TEST_CASE("A kernel with too many values has incomplete provenance and runs to its end") {
  // 32 lanes perform 600,000 additions each: 19 million values of at least 32 bytes.
  const auto run = traced(load_mine + R"(
    mov.u32 %r1, 600000; next: add.f32 %f2, %f2, %f1; sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0;
    @%p1 bra next; st.global.f32 [buffer0], %f2;)",
                          {.buffers = {zeros(4), floats(std::vector<float>(32, 1))}});
  REQUIRE(run.trace.expressions.incomplete());
  CHECK(*run.trace.expressions.incomplete() == "the kernel computes more values than can be traced");
  CHECK(run.trace.expressions.size() < 18'000'000);
}

}  // namespace
}  // namespace foldproof::machine_tests
