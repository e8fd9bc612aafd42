#include "devices/emulated/program/control_flow.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/strong_components.hpp>

#include <set>

namespace foldproof::emulated {
namespace {

using isa::Action;
using isa::Instruction;
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

bool is_branch(const Instruction& i) {
  return i.action == Action::branch || i.action == Action::branch_indexed;
}

bool may_diverge(const Instruction& i) {
  return i.action == Action::branch_indexed || (i.action == Action::branch && i.guard != isa::no_operand);
}

// The reversed control-flow graph: an edge from each instruction to those that may run before it. The last
// vertex is the end of the function, from which all instructions are reachable.
Graph reversed_graph(const std::vector<Instruction>& code,
                     const std::vector<const std::vector<std::uint32_t>*>& indexed) {
  const std::size_t end = code.size();
  Graph graph(end + 1);
  for_each_flow(code, indexed,
                [&](std::size_t from, std::size_t to) { add_edge(std::min(to, end), from, graph); });
  return graph;
}

}  // namespace

void insert_joins(std::vector<Instruction>& code,
                  const std::vector<std::vector<std::uint32_t>*>& indexed_targets) {
  const Graph graph = reversed_graph(code, {indexed_targets.begin(), indexed_targets.end()});
  const std::size_t end = code.size();
  const auto nowhere = boost::graph_traits<Graph>::null_vertex();
  std::vector<Graph::vertex_descriptor> post_dominator(num_vertices(graph), nowhere);
  boost::lengauer_tarjan_dominator_tree(
      graph, end, make_iterator_property_map(post_dominator.begin(), get(boost::vertex_index, graph)));

  std::set<std::size_t> joins;
  for (std::size_t pc = 0; pc < end; ++pc) {
    if (may_diverge(code[pc]) && post_dominator[pc] != nowhere && post_dominator[pc] != end)
      joins.insert(post_dominator[pc]);
    if (code[pc].action == Action::call && pc + 1 < end) joins.insert(pc + 1);
  }

  std::vector<Instruction> result;
  std::vector<std::uint32_t> moved(end + 1);  // old index → new index (of the join, if there is one)
  result.reserve(end + joins.size());
  for (std::size_t pc = 0; pc < end; ++pc) {
    moved[pc] = static_cast<std::uint32_t>(result.size());
    if (joins.contains(pc)) {
      Instruction join;
      join.action = Action::join;
      join.loc = code[pc].loc;
      join.ptx_line = code[pc].ptx_line;
      result.push_back(join);
    }
    result.push_back(code[pc]);
    if (may_diverge(code[pc]) && post_dominator[pc] != nowhere && post_dominator[pc] != end)
      result.back().join = static_cast<std::uint32_t>(post_dominator[pc]);
  }
  moved[end] = static_cast<std::uint32_t>(result.size());
  for (Instruction& i : result) {
    if (is_branch(i)) i.target = moved[i.target];
    if (i.join != isa::no_operand) i.join = moved[i.join];
  }
  for (auto* targets : indexed_targets)
    for (std::uint32_t& target : *targets) target = moved[target];
  code = std::move(result);
}

std::vector<std::size_t> loops_of(const std::vector<Instruction>& code,
                                  const std::vector<const std::vector<std::uint32_t>*>& indexed_targets) {
  const Graph graph = reversed_graph(code, indexed_targets);
  std::vector<std::size_t> loop(num_vertices(graph));
  boost::strong_components(graph, make_iterator_property_map(loop.begin(), get(boost::vertex_index, graph)));
  return loop;
}

}  // namespace foldproof::emulated
