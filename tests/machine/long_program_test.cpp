// Programs with hundreds of thousands of instructions, labels or branches run, or are refused with a
// sentence: no analysis recurses along the code, or takes time or memory that grows with the square of its
// length.
#include <random>
#include <set>

#include "devices/emulated/program/flow_graph.h"
#include "machine/fixture.h"

namespace foldproof::machine_tests {
namespace {

constexpr int many = 200'000;  // instructions

/// The text of `line`, with its number in place of {}, for the numbers 0 … count - 1 or in reverse.
template <class Line>
std::string lines(int count, Line line, bool backwards = false) {
  std::string text;
  for (int k = 0; k < count; ++k) text += line(backwards ? count - 1 - k : k);
  return text;
}

/// The word that thread 0 stores.
std::uint32_t result_of(const std::string& body, const std::string& module = "") {
  return results(body, {.buffers = {}, .module = module, .block = {1, 1, 1}}).front();
}

TEST_CASE("straight-line code of many instructions is executed") {
  const std::string body = "mov.u32 %r1, 0;\n" + lines(many, [](int) { return "add.u32 %r1, %r1, 1;\n"; });
  CHECK(result_of(body + "st.global.u32 [mine], %r1;") == many);
}

TEST_CASE("as many registers as instructions are written before they are read") {
  const std::string body = ".reg .b32 %many<200001>; mov.u32 %many0, 0;\n" + lines(many, [](int k) {
                             return fmt::format("add.u32 %many{}, %many{}, 1;\n", k + 1, k);
                           });
  CHECK(result_of(body + "st.global.u32 [mine], %many200000;") == many);
}

TEST_CASE("many branches in a chain are executed") {
  const std::string body =
      "mov.u32 %r1, 0; setp.eq.u32 %p1, tid, 0;\n" + lines(many / 5, [](int k) {
        return fmt::format("@{0}%p1 bra L{1};\nadd.u32 %r1, %r1, 1;\nadd.u32 %r2, %r1, 1;\nL{1}:\n",
                           k % 2 == 0 ? "" : "!", k);
      });
  CHECK(result_of(body + "st.global.u32 [mine], %r1;") == many / 10);
}

TEST_CASE("many branches to one label are executed") {
  const std::string body = "mov.u32 %r1, 0; setp.ne.u32 %p1, tid, 0;\n" +
                           lines(many / 2, [](int) { return "@%p1 bra END;\nadd.u32 %r1, %r1, 1;\n"; });
  CHECK(result_of(body + "END: st.global.u32 [mine], %r1;") == many / 2);
}

TEST_CASE("many nested branches are executed") {
  std::string body = "mov.u32 %r1, 0; setp.eq.u32 %p1, tid, 0;\n";
  body += lines(many / 2, [](int k) { return fmt::format("@!%p1 bra L{};\n", k); });
  body += lines(
      many / 2, [](int k) { return fmt::format("L{}: add.u32 %r1, %r1, 1;\n", k); }, true);
  CHECK(result_of(body + "st.global.u32 [mine], %r1;") == many / 2);
}

TEST_CASE("many nested loops are executed") {
  std::string body = "mov.u32 %r1, 0; setp.ne.u32 %p1, tid, 0;\n";
  body += lines(many / 2, [](int k) { return fmt::format("L{}: add.u32 %r1, %r1, 1;\n", k); });
  body += lines(
      many / 2, [](int k) { return fmt::format("@%p1 bra L{};\n", k); }, true);
  CHECK(result_of(body + "st.global.u32 [mine], %r1;") == many / 2);
}

TEST_CASE("many registers that live across many labels are analysed") {
  const std::string body =
      ".reg .b32 %many<60000>; setp.eq.u32 %p1, tid, 0; mov.u32 %r1, 0;\n" +
      lines(60'000, [](int k) { return fmt::format("mov.u32 %many{}, 0;\n", k); }) + lines(60'000, [](int k) {
        return fmt::format("@!%p1 bra L{0};\nadd.u32 %many{0}, %r1, 1;\nL{0}: mov.u32 %r1, %many{0};\n", k);
      });
  CHECK(result_of(body + "st.global.u32 [mine], %r1;") == 60'000);
}

TEST_CASE("a loop of half a million instructions is executed") {
  const std::string body =
      "mov.u32 %r1, 0;\nL:\n" + lines(500'000, [](int) { return "add.u32 %r1, %r1, 1;\n"; });
  CHECK(result_of(body + "setp.lt.u32 %p1, %r1, 600000; @%p1 bra L; st.global.u32 [mine], %r1;") ==
        1'000'000);
}

TEST_CASE("many strong loads and atomics in a loop are executed") {
  const std::string body =
      "L:\n" + lines(50'000, [](int k) {
        return fmt::format("atom.global.add.u32 %r{}, [counter], 1;\nadd.u32 %r{}, %r{}, 1;\n", k % 50,
                           k % 49, (k + 1) % 49);
      });
  CHECK(result_of(body + "ld.global.u32 %r60, [counter]; setp.lt.u32 %p1, %r60, 60000; @%p1 bra L;\n"
                         "st.global.u32 [mine], %r60;",
                  ".global .u32 counter;") == 100'000);
}

TEST_CASE("a strong load that decides through many instructions is executed") {
  const std::string body =
      ".reg .b32 %many<50001>;\nL: ld.volatile.global.u32 %many50000, [word];\n" +
      lines(
          50'000, [](int k) { return fmt::format("add.u32 %many{}, %many{}, 1;\n", k, k + 1); }, true);
  CHECK(result_of(body + "setp.ne.u32 %p1, %many0, 50000; @%p1 bra L;\nst.global.u32 [mine], %many0;",
                  ".global .u32 word;") == 50'000);
}

TEST_CASE("more targets of indexed branches than fit are refused") {
  std::string body = "list: .branchtargets " + lines(5000, [](int k) { return fmt::format("L{}, ", k); }) +
                     "END;\n" + lines(5000, [](int) { return "brx.idx %r1, list;\n"; }) +
                     lines(5000, [](int k) { return fmt::format("L{}: ", k); }) + "END: ret;";
  CHECK(contains(refused(body), "brx.idx instructions of the module have more than 16777216 targets"));
}

TEST_CASE("parameters that do not fit into a frame are refused at the first that does not") {
  const std::string body = lines(3000, [](int k) { return fmt::format(".param .b8 p{}[4096];\n", k); });
  CHECK(contains(refused(body), "need more than 256 MiB per warp"));
}

TEST_CASE("many functions with large frames are refused") {
  const std::string body = lines(1900, [](int k) { return fmt::format(".param .b8 p{}[4096]; ", k); });
  const std::string module =
      lines(5, [&](int k) { return fmt::format(".func f{}() {{ {} ret; }}\n", k, body); });
  CHECK(contains(refused("", module), "functions need more than 1024 MiB"));
}

using Graph = emulated::FlowGraph;

/// By definition: a vertex dominates those that cannot be reached without it.
std::vector<std::set<Graph::Vertex>> dominators_by_definition(const Graph& graph) {
  const auto reached_without = [&](Graph::Vertex removed) {
    std::vector<bool> reached(graph.size());
    std::vector<Graph::Vertex> open;
    if (removed != 0) open.push_back(0);
    while (!open.empty()) {
      const Graph::Vertex at = open.back();
      open.pop_back();
      if (at == removed || reached[at]) continue;
      reached[at] = true;
      for (const Graph::Vertex next : graph.successors(at)) open.push_back(next);
    }
    return reached;
  };
  const std::vector<bool> reachable = reached_without(Graph::nowhere);
  std::vector<std::set<Graph::Vertex>> result(graph.size());
  for (Graph::Vertex removed = 0; removed < graph.size(); ++removed) {
    const std::vector<bool> reached = reached_without(removed);
    for (Graph::Vertex v = 0; v < graph.size(); ++v)
      if (v != removed && reachable[v] && !reached[v]) result[v].insert(removed);
  }
  return result;
}

TEST_CASE("immediate dominators agree with their definition on random graphs") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t size = 1 + random() % 12;
    std::vector<Graph::Edge> edges(random() % (2 * size + 1));
    for (Graph::Edge& edge : edges)
      edge = {static_cast<Graph::Vertex>(random() % size), static_cast<Graph::Vertex>(random() % size)};
    const Graph graph(size, edges);
    const auto all = dominators_by_definition(graph);
    const auto immediate = emulated::immediate_dominators(graph, 0);
    for (Graph::Vertex v = 0; v < size; ++v) {
      if (all[v].empty()) {
        CHECK(immediate[v] == Graph::nowhere);
        continue;
      }
      // The immediate dominator is dominated by all the others.
      std::set<Graph::Vertex> others = all[v];
      REQUIRE(others.erase(immediate[v]) == 1);
      CHECK(all[immediate[v]] == others);
    }
  }
}

}  // namespace
}  // namespace foldproof::machine_tests
