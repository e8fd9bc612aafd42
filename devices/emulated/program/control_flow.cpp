#include "devices/emulated/program/control_flow.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <set>

namespace foldproof::emulated {
namespace {

// Whether the executing lanes leave the function here; a guard may let other lanes continue.
bool leaves(const Instruction& i) {
  return i.action == Action::ret || i.action == Action::exit || i.action == Action::trap;
}

// Calls visit(from, to) for each instruction and each possible successor. Running past the last instruction
// reaches the end as well.
template <class Visit>
void for_each_flow(const std::vector<Instruction>& code, const std::vector<MachineOperands>& details,
                   Visit visit) {
  for (std::size_t pc = 0; pc < code.size(); ++pc) {
    const Instruction& i = code[pc];
    const bool indexed = i.action == Action::branch_indexed, always = i.guard == isa::no_operand;
    if (i.action == Action::branch) visit(pc, std::size_t{i.target});
    if (indexed)
      for (const std::uint32_t target : details[i.detail].targets) visit(pc, std::size_t{target});
    if (leaves(i)) visit(pc, code.size());
    if (!indexed && !(always && (leaves(i) || i.action == Action::branch))) visit(pc, pc + 1);
  }
}

bool may_diverge(const Instruction& i) {
  return i.action == Action::branch_indexed || (i.action == Action::branch && i.guard != isa::no_operand);
}

}  // namespace

FlowGraph flow_of(const std::vector<Instruction>& code, const std::vector<MachineOperands>& details) {
  std::vector<FlowGraph::Edge> edges;
  for_each_flow(code, details, [&](std::size_t from, std::size_t to) {
    edges.push_back({static_cast<FlowGraph::Vertex>(from), static_cast<FlowGraph::Vertex>(to)});
  });
  return {code.size() + 1, edges};
}

void insert_joins(std::vector<Instruction>& code, std::vector<MachineOperands>& details) {
  const std::size_t end = code.size();
  // Reversed, all instructions from which the end can be reached are reachable from the end.
  const std::vector<FlowGraph::Vertex> post_dominator =
      immediate_dominators(flow_of(code, details).reversed(), static_cast<FlowGraph::Vertex>(end));
  const auto reconverges = [&](std::size_t pc) {
    return may_diverge(code[pc]) && post_dominator[pc] != FlowGraph::nowhere && post_dominator[pc] != end;
  };
  std::set<std::size_t> joins;
  for (std::size_t pc = 0; pc < end; ++pc) {
    if (reconverges(pc)) joins.insert(post_dominator[pc]);
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
    if (reconverges(pc)) result.back().join = static_cast<std::uint32_t>(post_dominator[pc]);
  }
  moved[end] = static_cast<std::uint32_t>(result.size());
  for (Instruction& i : result) {
    if (i.action == Action::branch) i.target = moved[i.target];
    if (i.action == Action::branch_indexed)
      for (std::uint32_t& target : details[i.detail].targets) target = moved[target];
    if (i.join != isa::no_operand) i.join = moved[i.join];
  }
  code = std::move(result);
}

std::vector<std::size_t> loops_of(const std::vector<Instruction>& code,
                                  const std::vector<MachineOperands>& details) {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(code.size() + 1);
  for_each_flow(code, details, [&](std::size_t from, std::size_t to) { add_edge(from, to, graph); });
  std::vector<std::size_t> loop(num_vertices(graph));
  boost::strong_components(graph, make_iterator_property_map(loop.begin(), get(boost::vertex_index, graph)));
  return loop;
}

}  // namespace foldproof::emulated
