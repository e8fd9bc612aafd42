#include "devices/emulated/program/control_flow.h"

#include <boost/dynamic_bitset.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/strong_components.hpp>

#include <map>
#include <optional>
#include <set>

namespace foldproof::emulated {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

// Whether the executing lanes leave the function here; a guard may let other lanes continue.
bool leaves(const Instruction& i) {
  return i.action == Action::ret || i.action == Action::exit || i.action == Action::trap;
}

// Calls visit(from, to) for each instruction and each possible successor; the end of the code is the
// successor of instructions that leave.
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

// The reversed control-flow graph: an edge from each instruction to those that may run before it. The last
// vertex is the end of the function, from which all instructions are reachable.
Graph reversed_graph(const std::vector<Instruction>& code, const std::vector<MachineOperands>& details) {
  const std::size_t end = code.size();
  Graph graph(end + 1);
  for_each_flow(code, details,
                [&](std::size_t from, std::size_t to) { add_edge(std::min(to, end), from, graph); });
  return graph;
}

using Registers = boost::dynamic_bitset<std::uint64_t>;
using Register = RegisterUse::Register;

// Propagates the sets of possibly unwritten registers along the control flow until they no longer grow. A set
// is stored only where paths merge; straight-line code in between is walked.
class Flow {
 public:
  Flow(const std::vector<Instruction>& code, const std::vector<MachineOperands>& details,
       const std::vector<RegisterUse>& uses)
      : uses_(uses), successors_(code.size()), before_(code.size()), merges_(code.size(), false) {
    for (const RegisterUse& use : uses)
      for (const Register& read : use.reads)
        if (number_.try_emplace(read.row, number_.size()).second)
          first_read_.push_back({read.row, read.bytes, 0});
    found_.resize(number_.size());
    for_each_flow(code, details, [&](std::size_t from, std::size_t to) {
      if (to >= code.size()) return;
      successors_[from].push_back(to);
      if (to != from + 1) merges_[to] = true;
    });
  }

  std::vector<FunctionCode::Unwritten> run() {
    if (number_.empty()) return {};
    Registers all(number_.size());
    enter(0, all.set());
    while (!waiting_.empty()) {
      const std::size_t at = waiting_.back();
      waiting_.pop_back();
      walk(at);
    }
    std::vector<FunctionCode::Unwritten> result;
    for (std::size_t k = 0; k < found_.size(); ++k)
      if (found_[k]) result.push_back(first_read_[k]);
    return result;
  }

 private:
  void enter(std::size_t at, const Registers& unwritten) {
    std::optional<Registers>& known = before_[at];
    if (known && unwritten.is_subset_of(*known)) return;
    known = known ? *known | unwritten : unwritten;
    waiting_.push_back(at);
  }

  void walk(std::size_t at) {
    for (Registers unwritten = *before_[at];;) {
      pass(at, unwritten);
      bool goes_on = false;
      for (const std::size_t next : successors_[at])
        if (next == at + 1 && !merges_[next])
          goes_on = true;
        else
          enter(next, unwritten);
      if (!goes_on) return;
      ++at;
    }
  }

  void pass(std::size_t at, Registers& unwritten) {
    if (at >= uses_.size()) return;
    const auto reader = static_cast<std::uint32_t>(at);
    for (const Register& read : uses_[at].reads) {
      const std::size_t k = number_.at(read.row);
      if (!unwritten[k] || (found_[k] && first_read_[k].reader <= reader)) continue;
      found_[k] = true;
      first_read_[k].reader = reader;
    }
    if (uses_[at].guarded) return;
    for (const Register& written : uses_[at].writes)
      if (const auto known = number_.find(written.row); known != number_.end())
        unwritten.reset(known->second);
  }

  const std::vector<RegisterUse>& uses_;
  std::vector<std::vector<std::size_t>> successors_;
  std::vector<std::optional<Registers>> before_;  ///< where paths merge, and at the start
  std::vector<bool> merges_;
  std::map<std::uint32_t, std::size_t> number_;      ///< of registers that are read, by row
  std::vector<FunctionCode::Unwritten> first_read_;  ///< by number
  Registers found_;
  std::vector<std::size_t> waiting_;
};

}  // namespace

void insert_joins(std::vector<Instruction>& code, std::vector<MachineOperands>& details) {
  const Graph graph = reversed_graph(code, details);
  const std::size_t end = code.size();
  const auto nowhere = boost::graph_traits<Graph>::null_vertex();
  std::vector<Graph::vertex_descriptor> post_dominator(num_vertices(graph), nowhere);
  boost::lengauer_tarjan_dominator_tree(
      graph, end, make_iterator_property_map(post_dominator.begin(), get(boost::vertex_index, graph)));
  const auto reconverges = [&](std::size_t pc) {
    return may_diverge(code[pc]) && post_dominator[pc] != nowhere && post_dominator[pc] != end;
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
  const Graph graph = reversed_graph(code, details);
  std::vector<std::size_t> loop(num_vertices(graph));
  boost::strong_components(graph, make_iterator_property_map(loop.begin(), get(boost::vertex_index, graph)));
  return loop;
}

std::vector<FunctionCode::Unwritten> unwritten_registers(const std::vector<Instruction>& code,
                                                         const std::vector<MachineOperands>& details,
                                                         const std::vector<RegisterUse>& uses) {
  return Flow(code, details, uses).run();
}

}  // namespace foldproof::emulated
