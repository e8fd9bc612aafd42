// Litmus tests: small protocols between blocks or warps, each with the verdict of the PTX memory model (ISA,
// chapter 8) for some allowed execution. The reader always waits until it observes the flag.
//
//   buffer0: data, accessed weakly       buffer1, buffer2: flags
//
// A verdict names the racing locations: "data", "flag", both, or "none".
#include "sanitizer/fixture.h"

namespace foldproof::sanitizer_tests {
namespace {

std::string races_in(const std::string& body, const Setting& setting) {
  bool data = false, flag = false;
  for (const Finding& finding : findings_of(body, setting)) {
    if (finding.kind != Kind::global_race && finding.kind != Kind::shared_race) return finding.message;
    (finding.message.find("buffer0") != std::string::npos ? data : flag) = true;
  }
  return data ? flag ? "data, flag" : "data" : flag ? "flag" : "none";
}

// The verdict if it is the same in every schedule; otherwise all of them, shortest first.
std::string what_races(const std::string& body, Setting setting) {
  std::map<std::size_t, std::set<std::string>> verdicts;
  for (const Schedule& schedule : schedules()) {
    setting.schedule = schedule;
    const std::string races = races_in(body, setting);
    verdicts[races == "none" ? 0 : races.size()].insert(races);
  }
  std::string all;
  for (const auto& [length, texts] : verdicts)
    for (const std::string& text : texts) all += (all.empty() ? "" : " / ") + text;
  return all;
}

// The verdict of the schedule with the most races: a polling reader may observe what others miss.
std::string what_may_race(const std::string& body, const Setting& setting) {
  const std::string all = what_races(body, setting);
  const std::size_t last = all.rfind(" / ");
  return last == std::string::npos ? all : all.substr(last + 3);
}

std::string await(const std::string& load, const std::string& flag, int value) {
  static int spins = 0;
  return fmt::format("spin{0}: {1} %r1, [{2}]; setp.lt.u32 %p1, %r1, {3}; @%p1 bra spin{0};\n", ++spins, load,
                     flag, value);
}

// --- Message passing ---

enum class Between { blocks, warps };

struct MessagePassing {
  Between between;
  const char* release;  // after the data; F is the flag
  const char* load;     // load of the flag, in a loop
  const char* acquire;  // before the data is read
  const char* verdict;
  const char* why;
  int awaited = 1;
};

constexpr Between blocks = Between::blocks, warps = Between::warps;
const MessagePassing message_passing[] = {
    // No synchronization at all
    {blocks, "st.global.u32 F, 1;", "ld.global.u32", "", "data, flag", "a weak flag is data, too"},
    {blocks, "membar.gl; st.global.u32 F, 1;", "ld.global.u32", "membar.gl;", "data, flag",
     "patterns are made of strong accesses"},
    {blocks, "st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "", "data",
     "volatile orders nothing else"},
    {blocks, "st.relaxed.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32", "", "data", "nor does relaxed"},
    {warps, "st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "", "data", "within a block just so"},
    {blocks, "atom.global.exch.b32 %r9, F, 1;", "ld.relaxed.gpu.global.u32", "", "data",
     "atomics are relaxed"},
    {blocks, "atom.global.exch.b32 %r9, F, 1;", "ld.acquire.gpu.global.u32", "", "data",
     "nothing was released"},
    // Fences on both sides, on one, and on the wrong one
    {blocks, "membar.gl; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.gl;", "none",
     "__threadfence on both sides"},
    {blocks, "membar.gl; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "", "data", "no acquire"},
    {blocks, "st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.gl;", "data", "no release"},
    {blocks, "st.volatile.global.u32 F, 1; membar.gl;", "ld.volatile.global.u32", "membar.gl;", "data",
     "the fence comes too late"},
    {blocks, "membar.gl; st.volatile.global.u32 F, 1;", "membar.gl; ld.volatile.global.u32", "", "data",
     "the fence comes before the read"},
    {blocks, "membar.sys; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.sys;", "none",
     "sys contains gpu"},
    {blocks, "membar.sys; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.gl;", "none",
     "each scope includes the other thread"},
    {blocks, "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32",
     "fence.acq_rel.gpu;", "none", "patterns, third kind of both patterns"},
    {blocks, "fence.sc.gpu; st.relaxed.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32", "fence.sc.gpu;",
     "none", "sc is acq_rel, too"},
    {blocks, "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32",
     "fence.sc.gpu;", "none", "the kinds of fences mix"},
    // The scope of the fences
    {blocks, "membar.cta; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.cta;", "data",
     "__threadfence_block between blocks"},
    {warps, "membar.cta; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.cta;", "none",
     "enough within a block"},
    {blocks, "membar.gl; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.cta;", "data",
     "both scopes must include the other thread"},
    {blocks, "membar.cta; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.gl;", "data",
     "both scopes must include the other thread"},
    {warps, "membar.gl; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.cta;", "none",
     "gpu includes the block"},
    {blocks, "fence.sc.cta; st.relaxed.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32", "fence.sc.cta;",
     "data", "sc has a scope as well"},
    {blocks, "fence.acq_rel.cluster; st.relaxed.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32",
     "fence.acq_rel.cluster;", "data", "without clusters each block is one"},
    {blocks, "membar.gl; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.cta; membar.gl;",
     "none", "a narrow fence does not weaken a wider one after it"},
    {blocks, "membar.gl; membar.cta; st.volatile.global.u32 F, 1;", "ld.volatile.global.u32", "membar.gl;",
     "none", "nor from one before it"},
    // The scope of the flag
    {blocks, "membar.gl; st.relaxed.cta.global.u32 F, 1;", "ld.relaxed.cta.global.u32", "membar.gl;",
     "data, flag", "accesses of the block alone, met from another block, are no better than weak"},
    {blocks, "membar.gl; st.relaxed.gpu.global.u32 F, 1;", "ld.relaxed.cta.global.u32", "membar.gl;",
     "data, flag", "one narrow scope is enough"},
    {warps, "membar.cta; st.relaxed.cta.global.u32 F, 1;", "ld.relaxed.cta.global.u32", "membar.cta;", "none",
     "right within the block"},
    {blocks, "st.release.cta.global.u32 F, 1;", "ld.acquire.cta.global.u32", "", "data, flag",
     "cta between blocks"},
    {warps, "st.release.cta.global.u32 F, 1;", "ld.acquire.cta.global.u32", "", "none", "cta within one"},
    {blocks, "st.release.gpu.global.u32 F, 1;", "ld.acquire.cta.global.u32", "", "data, flag",
     "one is too narrow"},
    {warps, "st.release.gpu.global.u32 F, 1;", "ld.acquire.cta.global.u32", "", "none", "neither is"},
    // Releases and acquires
    {blocks, "st.release.gpu.global.u32 F, 1;", "ld.acquire.gpu.global.u32", "", "none",
     "the pattern as such"},
    {blocks, "st.release.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32", "", "data", "no acquire"},
    {blocks, "st.relaxed.gpu.global.u32 F, 1;", "ld.acquire.gpu.global.u32", "", "data", "no release"},
    {blocks, "st.release.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32", "fence.acq_rel.gpu;", "none",
     "release meets fence"},
    {blocks, "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 F, 1;", "ld.acquire.gpu.global.u32", "", "none",
     "fence meets acquire"},
    {blocks, "membar.cta; st.release.gpu.global.u32 F, 1;", "ld.acquire.gpu.global.u32", "", "none",
     "a narrow fence does no harm"},
    {warps, "st.release.cta.global.u32 F, 1;", "ld.relaxed.cta.global.u32", "fence.acq_rel.gpu;", "none",
     "release of the block meets a wider fence in it"},
    {blocks, "atom.release.gpu.global.add.u32 %r9, F, 1;", "ld.acquire.gpu.global.u32", "", "none",
     "an atomic may release"},
    {blocks, "red.release.gpu.global.add.u32 F, 1;", "ld.acquire.gpu.global.u32", "", "none", "so may red"},
    {blocks, "atom.acq_rel.gpu.global.add.u32 %r9, F, 1;", "ld.acquire.gpu.global.u32", "", "none",
     "acq_rel is both"},
    {blocks, "atom.acquire.gpu.global.add.u32 %r9, F, 1;", "ld.acquire.gpu.global.u32", "", "data",
     "acquire does not release"},
    {blocks, "st.release.gpu.global.u32 F, 1;", "mov.u32 %r8, 0; atom.acquire.gpu.global.add.u32", "", "none",
     "an atomic may acquire"},
    {blocks, "membar.gl; atom.global.exch.b32 %r9, F, 1;", "atom.global.add.u32", "membar.gl;", "none",
     "atomics between fences"},
    {blocks, "membar.gl; atom.global.exch.b32 %r9, F, 1;", "atom.global.add.u32", "", "data", "no acquire"},
    {blocks, "atom.cta.global.exch.b32 %r9, F, 1;", "atom.cta.global.add.u32", "membar.gl;", "data, flag",
     "atomics of the block alone"},
    // Patterns of two operations on one location
    {blocks, "st.release.gpu.global.u32 F, 1; st.relaxed.gpu.global.u32 F, 2;", "ld.acquire.gpu.global.u32",
     "", "none", "release pattern: a strong write after a release of its thread", 2},
    {blocks, "st.release.gpu.global.u32 F, 1; st.global.u32 F, 2;", "ld.acquire.gpu.global.u32", "",
     "data, flag", "a weak one is none", 2},
    {blocks, "st.release.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32",
     "ld.acquire.gpu.global.u32 %r9, F;", "none",
     "acquire pattern: an acquire after a strong read of its thread"},
    {blocks, "st.release.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32",
     "ld.acquire.gpu.global.u32 %r9, [buffer2];", "data", "of the same location"},
    // Complete overlap
    {blocks, "mov.b64 %rd9, 1; st.release.gpu.global.u64 F, %rd9;", "ld.acquire.gpu.global.u32", "",
     "data, flag", "8.7: morally strong accesses overlap completely"},
    {blocks, "mov.b64 %rd9, 1; st.release.gpu.global.u64 F, %rd9; st.relaxed.gpu.global.u32 F, 2;",
     "ld.acquire.gpu.global.u32", "", "data, flag", "a release of another size is one of another location",
     2},
    {blocks, "st.release.gpu.global.u32 F, 1;", "ld.relaxed.gpu.global.u32",
     "ld.acquire.gpu.global.u64 %rd9, F;", "data", "so is an acquire; the flag's write was observed before"},
};

std::string program(const MessagePassing& test) {
  const auto with_flag = [](std::string text) {
    for (std::size_t at; (at = text.find(" F")) != std::string::npos;) text.replace(at, 2, " [buffer1]");
    return text;
  };
  std::string load = test.load;
  std::string loop = load.find("atom") == std::string::npos
                         ? await(load, "buffer1", test.awaited)
                         : "spin: " + load + " %r1, [buffer1], 0; setp.lt.u32 %p1, %r1, 1; @%p1 bra spin;\n";
  return std::string("\nsetp.ne.u32 %p2, lane, 0; @%p2 exit;\n") +
         (test.between == blocks ? "setp.ne.u32 %p3, cta, 0;\n" : "setp.ne.u32 %p3, tid, 0;\n") +
         "@%p3 bra reader;\nst.global.u32 [buffer0], 5;\n" + with_flag(test.release) + "\nexit;\nreader:\n" +
         loop + with_flag(test.acquire) + "\nld.global.u32 %r2, [buffer0];\n";
}

TEST_CASE("message passing between blocks and warps") {
  for (const MessagePassing& test : message_passing) {
    Setting setting{.buffers = {zeros(8), zeros(8), zeros(8)}};
    if (test.between == blocks)
      setting.grid = {2, 1, 1};
    else
      setting.block = {64, 1, 1};
    INFO((test.between == blocks ? "blocks: " : "warps: ")
         << test.release << " | " << test.load << " | " << test.acquire << "\n"
         << test.why);
    CHECK(what_races(program(test), setting) == test.verdict);
  }
}

// --- Three blocks ---

struct ThreeBlocks {
  std::string first, second, third;
  const char* verdict;
  const char* why;
};

// D: the data; F and G: flags; "F>=2:" waits with an acquire load, "F~2:" with a relaxed one.
std::string expand(const std::string& text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool word = k == 0 || text[k - 1] == ' ';
    const std::string name = text[k] == 'D' ? "buffer0" : text[k] == 'F' ? "buffer1" : "buffer2";
    if (!word || (text[k] != 'D' && text[k] != 'F' && text[k] != 'G')) {
      result += text[k];
    } else if (text.substr(k + 1, 2) == ">=") {
      result += await("ld.acquire.gpu.global.u32", name, text[k + 3] - '0');
      k += 4;
    } else if (text[k + 1] == '~') {
      result += await("ld.relaxed.gpu.global.u32", name, text[k + 2] - '0');
      k += 3;
    } else {
      result += "[" + name + "]";
    }
  }
  return result;
}

TEST_CASE("chains of three blocks are transitive") {
  const std::string write = "st.global.u32 D, 5; ", read = "ld.global.u32 %r2, D;";
  const ThreeBlocks tests[] = {
      {write + "st.release.gpu.global.u32 F, 1;", " F~1: atom.relaxed.gpu.global.add.u32 %r9, F, 1;",
       " F>=2: " + read, "none", "observation order: observation goes through read-modify-writes"},
      {write + "st.release.gpu.global.u32 F, 1;", " F~1: red.relaxed.gpu.global.add.u32 F, 1;",
       " F>=2: " + read, "none", "red is one, too"},
      {write + "st.release.gpu.global.u32 F, 1;", " F~1: st.relaxed.gpu.global.u32 F, 2;", " F>=2: " + read,
       "data", "but not through another thread's store"},
      {write + "st.release.gpu.global.u32 F, 1;", " F~1: st.global.u32 F, 2;", " F>=2: " + read, "data, flag",
       "least of all a weak one"},
      {write + "st.release.gpu.global.u32 F, 1;", " F~1: atom.cta.global.add.u32 %r9, F, 1;",
       " F>=2: " + read, "data, flag", "each step must be morally strong"},
      {write + "membar.gl; st.volatile.global.u32 F, 1;", " F~1: atom.global.add.u32 %r9, F, 1;",
       " F~2: membar.gl; " + read, "none", "fences at both ends of the chain"},
      {write + "st.release.gpu.global.u32 F, 1;", " F>=1: st.release.gpu.global.u32 G, 1;", " G>=1: " + read,
       "none", "causality is transitive"},
      {write + "st.release.gpu.global.u32 F, 1;", " F~1: st.release.gpu.global.u32 G, 1;", " G>=1: " + read,
       "data", "a relaxed read in the middle has learnt nothing"},
      {write + "st.release.gpu.global.u32 F, 1;", " F>=1: st.relaxed.gpu.global.u32 G, 1;", " G>=1: " + read,
       "data", "a relaxed write in the middle tells nothing"},
      {write + "st.release.gpu.global.u32 F, 1;", " F~1: membar.gl; st.volatile.global.u32 G, 1;",
       " G>=1: " + read, "none", "one fence in the middle acquires and releases"},
      {write + "st.release.gpu.global.u32 F, 1;", " F>=1: st.release.cta.global.u32 G, 1;", " G>=1: " + read,
       "data, flag", "too narrow in the second step"},
      {"st.relaxed.gpu.global.u32 F, 1;", " F~1: st.global.u32 F, 2;", "", "none",
       "causality order: an observed strong write is over"},
      {"st.global.u32 D, 1; st.relaxed.gpu.global.u32 F, 1;", " F~1: st.global.u32 F, 2; " + read, "", "data",
       "what came before it is not"},
  };
  for (const ThreeBlocks& test : tests) {
    INFO(test.first << " | " << test.second << " | " << test.third << "\n" << test.why);
    const std::string body =
        "\nsetp.ne.u32 %p2, lane, 0; @%p2 exit; setp.eq.u32 %p3, cta, 1; @%p3 bra second; "
        "setp.eq.u32 %p3, cta, 2; @%p3 bra third;\n" +
        expand(test.first) + "\nexit;\nsecond: " + expand(test.second) +
        "\nexit;\nthird: " + expand(test.third) + "\n";
    CHECK(what_may_race(body, {.buffers = {zeros(4), zeros(4), zeros(4)}, .grid = {3, 1, 1}}) ==
          test.verdict);
  }
}

// --- Protocols ---

TEST_CASE("a spin lock needs a fence after acquiring it and one before releasing it") {
  const auto lock = [](const std::string& take, const std::string& taken, const std::string& release) {
    return what_races(
        "\nsetp.ne.u32 %p2, lane, 0; @%p2 exit;\nspin: " + take +
            " %r1, [buffer1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra spin;\n" + taken +
            " ld.global.u32 %r2, [buffer0]; add.u32 %r2, %r2, 1; st.global.u32 [buffer0], %r2;\n" + release +
            "\n",
        {.buffers = {zeros(4), zeros(4)}, .grid = {4, 1, 1}});
  };
  const std::string cas = "atom.global.cas.b32", free = "atom.global.exch.b32 %r3, [buffer1], 0;";
  CHECK(lock(cas, "membar.gl;", "membar.gl; " + free) == "none");
  CHECK(lock(cas, "membar.gl;", "membar.gl; st.volatile.global.u32 [buffer1], 0;") == "none");
  CHECK(lock("atom.acquire.gpu.global.cas.b32", "", "st.release.gpu.global.u32 [buffer1], 0;") == "none");
  CHECK(lock(cas, "", free) == "data");
  CHECK(lock(cas, "membar.gl;", free) == "data");
  CHECK(lock(cas, "", "membar.gl; " + free) == "data");
  CHECK(lock(cas, "membar.cta;", "membar.cta; " + free) == "data");
  CHECK(lock(cas, "membar.gl;", "membar.gl; st.global.u32 [buffer1], 0;") == "data, flag");
}

// Every thread writes; the last block to take a ticket reads everything and resets the ticket with a weak
// store.
std::string last_block(const std::string& release, const std::string& ticket, const std::string& acquire) {
  return what_races(
      "\n.shared .u32 last; " + release + "\n" + ticket + "\nwait: bar.sync 0; " + acquire +
          "\nld.shared.u32 %r10, [last]; setp.ne.u32 %p4, %r10, 3; @%p4 exit;\n"
          "mul.wide.u32 %rd5, tid, 4; add.u64 %rd5, %rd5, buffer0; ld.global.u32 %r11, [%rd5]; "
          "ld.global.u32 %r12, [%rd5+256]; ld.global.u32 %r13, [%rd5+512]; ld.global.u32 %r14, [%rd5+768];\n"
          "setp.eq.u32 %p5, tid, 0; @%p5 st.global.u32 [buffer1], 0;\n",
      {.buffers = {zeros(1024), zeros(4)}, .grid = {4, 1, 1}, .block = {64, 1, 1}});
}

TEST_CASE("the last block needs a release before taking its ticket and an acquire after it") {
  const std::string write = "st.global.u32 [mine], tid; ";
  const auto by_first = [](const std::string& text) {
    return "setp.ne.u32 %p3, tid, 0; @%p3 bra wait; " + text + " st.shared.u32 [last], %r1;";
  };
  const std::string add = "atom.global.add.u32 %r1, [buffer1], 1;";
  // All threads fence, as in the programming guide; afterwards either the ticket's thread or all fence again.
  CHECK(last_block(write + "membar.gl; bar.sync 0;", by_first(add), "membar.gl;") == "none");
  CHECK(last_block(write + "membar.gl; bar.sync 0;", by_first(add + " membar.gl;"), "") == "none");
  // One thread fences for all: causality is transitive through the barrier.
  CHECK(last_block(write + "bar.sync 0;", by_first("membar.gl; " + add + " membar.gl;"), "") == "none");
  CHECK(last_block(write + "bar.sync 0;", by_first("atom.acq_rel.gpu.global.add.u32 %r1, [buffer1], 1;"),
                   "") == "none");
  CHECK(last_block(write + "membar.gl; bar.sync 0;", by_first(add), "") == "data");
  CHECK(last_block(write + "bar.sync 0;", by_first(add), "membar.gl;") == "data");
  CHECK(last_block(write + "bar.sync 0;", by_first("atom.release.gpu.global.add.u32 %r1, [buffer1], 1;"),
                   "") == "data");
  CHECK(last_block(write + "bar.sync 0;", by_first("atom.acquire.gpu.global.add.u32 %r1, [buffer1], 1;"),
                   "") == "data");
  CHECK(last_block(write + "membar.cta; bar.sync 0;", by_first(add), "membar.gl;") == "data");
  // Without the preceding barrier, one thread's fence does not cover the others.
  CHECK(last_block(write, by_first("membar.gl; " + add + " membar.gl;"), "") == "data");
}

TEST_CASE("the grid barrier of cooperative groups orders all blocks") {
  const auto grid_sync = [](const std::string& arrive, const std::string& wait) {
    return what_races("\nst.global.u32 [mine], tid; bar.sync 0;\nsetp.ne.u32 %p3, tid, 0; @%p3 bra wait;\n" +
                          arrive + "\n" + await(wait, "buffer1", 3) +
                          "wait: bar.sync 0;\nxor.b32 %r2, cta, 1; setp.ge.u32 %p4, %r2, 3; @%p4 exit;\n"
                          "mad.lo.u32 %r3, %r2, 64, tid; xor.b32 %r3, %r3, 33; mul.wide.u32 %rd5, %r3, 4; "
                          "add.u64 %rd5, %rd5, buffer0; ld.global.u32 %r4, [%rd5];\n",
                      {.buffers = {zeros(768), zeros(4)}, .grid = {3, 1, 1}, .block = {64, 1, 1}});
  };
  CHECK(grid_sync("atom.add.release.gpu.global.u32 %r9, [buffer1], 1;", "ld.acquire.gpu.global.u32") ==
        "none");
  CHECK(grid_sync("atom.add.relaxed.gpu.global.u32 %r9, [buffer1], 1;", "ld.acquire.gpu.global.u32") ==
        "data");
  CHECK(grid_sync("atom.add.release.gpu.global.u32 %r9, [buffer1], 1;", "ld.relaxed.gpu.global.u32") ==
        "data");
  CHECK(grid_sync("membar.gl; atom.global.add.u32 %r9, [buffer1], 1;", "ld.relaxed.gpu.global.u32") ==
        "data");
}

TEST_CASE("only the shuffle of cooperative groups' barriers passes on what one lane has acquired") {
  const auto in_header = [](const std::string& header) {
    return ".file 1 \"/usr/local/cuda/include/cooperative_groups/" + header + "\" ";
  };
  const std::string shuffle = "shfl.sync.idx.b32 %r1, %r1, 0, 31, -1;\n";
  // The first lane of block 1 waits for block 0; all of its lanes read.
  const auto by_all_lanes = [&](const std::string& header) {
    return what_races(
        "\n.loc 1 204 0\nsetp.eq.u32 %p2, cta, 1; @%p2 bra reader;\n"
        "setp.ne.u32 %p1, lane, 0; @%p1 exit; st.global.u32 [buffer0], 5; "
        "st.release.gpu.global.u32 [buffer1], 1; exit;\n"
        "reader: setp.ne.u32 %p3, lane, 0; @%p3 bra met;\n" +
            await("ld.acquire.gpu.global.u32", "buffer1", 1) + "met: " + shuffle +
            "ld.global.u32 %r2, [buffer0];",
        {.buffers = {zeros(4), zeros(4)}, .module = in_header(header), .grid = {2, 1, 1}});
  };
  CHECK(by_all_lanes("details/sync.h") == "none");
  CHECK(by_all_lanes("details/reduce.h") == "data");
  // Between lanes, it orders nothing.
  const auto between_lanes = what_races(
      "\n.loc 1 204 0\nsetp.ne.u32 %p1, lane, 0; @%p1 bra next; "
      "st.global.u32 [buffer0], 5;\nnext: " +
          shuffle + "setp.ne.u32 %p2, lane, 1; @%p2 exit; ld.global.u32 %r2, [buffer0];",
      {.buffers = {zeros(4)}, .module = in_header("details/sync.h")});
  CHECK(between_lanes == "data");
}

TEST_CASE("an acquire load is itself ordered after the writes that it acquires") {
  // The flag's weak first value and its release are ordered; buffer2 only delays the reader.
  const auto read_by = [](const char* load) {
    return "setp.eq.u32 %p2, cta, 1; @%p2 bra reader;\n"
           "st.global.u32 [buffer1], 5; st.release.gpu.global.u32 [buffer1], 6; st.relaxed.gpu.global.u32 "
           "[buffer2], 1; exit;\n"
           "reader: " +
           await("ld.relaxed.gpu.global.u32", "buffer2", 1) + load + " %r2, [buffer1];";
  };
  const Setting setting{.buffers = {zeros(4), zeros(4), zeros(4)}, .grid = {2, 1, 1}, .block = {1, 1, 1}};
  CHECK(what_races(read_by("ld.acquire.gpu.global.u32"), setting) == "none");
  CHECK(what_races(read_by("ld.relaxed.gpu.global.u32"), setting) == "flag");
}

TEST_CASE("store buffering is not a race between strong accesses") {
  const auto buffering = [](const std::string& store, const std::string& load,
                            const std::string& fence = "") {
    return verdict(
        "setp.ne.u32 %p2, lane, 0; @%p2 exit; setp.ne.u32 %p3, cta, 0; selp.b64 %rd1, buffer1, buffer0, "
        "%p3; selp.b64 %rd2, buffer0, buffer1, %p3; " +
            store + " [%rd1], 1; " + fence + load + " %r1, [%rd2];",
        {.buffers = {zeros(4), zeros(4)}, .grid = {2, 1, 1}});
  };
  CHECK(buffering("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32") == "none");
  CHECK(buffering("st.volatile.global.u32", "ld.volatile.global.u32") == "none");
  CHECK(buffering("st.global.u32", "ld.global.u32") == "global-race");
  CHECK(buffering("st.global.u32", "ld.global.u32", "fence.sc.gpu; ") == "global-race");
  CHECK(buffering("st.relaxed.cta.global.u32", "ld.relaxed.cta.global.u32") == "global-race");
}

TEST_CASE("decoupled look-back needs a release and an acquire per block") {
  const auto look_back = [](const std::string& publish, const std::string& wait, const std::string& acquire) {
    return what_races(
        "\nsetp.ne.u32 %p2, lane, 0; @%p2 exit; mul.wide.u32 %rd1, cta, 4; add.u64 %rd2, buffer0, %rd1; "
        "add.u64 %rd3, buffer1, %rd1; mov.u32 %r5, 0; setp.eq.u32 %p3, cta, 0; @%p3 bra first;\n" +
            await(wait, "%rd3+-4", 1) + acquire + " ld.global.u32 %r5, [%rd2+-4];\n" +
            "first: add.u32 %r5, %r5, 1; st.global.u32 [%rd2], %r5; " + publish + "\n",
        {.buffers = {zeros(32), zeros(32)}, .grid = {8, 1, 1}});
  };
  const std::string raise = "st.relaxed.gpu.global.u32 [%rd3], 1;", see = "ld.relaxed.gpu.global.u32";
  CHECK(look_back("membar.gl; " + raise, see, "membar.gl;") == "none");
  CHECK(look_back("st.release.gpu.global.u32 [%rd3], 1;", "ld.acquire.gpu.global.u32", "") == "none");
  CHECK(look_back("membar.gl; " + raise, see, "") == "data");
  CHECK(look_back(raise, see, "membar.gl;") == "data");
  CHECK(look_back("membar.gl; st.global.u32 [%rd3], 1;", "ld.global.u32", "membar.gl;") == "data, flag");
}

}  // namespace
}  // namespace foldproof::sanitizer_tests
