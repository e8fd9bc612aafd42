// Registers that may be read before they are written: a forward data-flow analysis.
#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>

#include "devices/emulated/program/control_flow.h"
#include "devices/emulated/program/flow_graph.h"

namespace foldproof::emulated {
namespace {

using Registers = boost::dynamic_bitset<std::uint64_t>;
using Register = RegisterUse::Register;
using Vertex = FlowGraph::Vertex;
using Unwritten = FunctionCode::Unwritten;

/// Bits that the sets of one pass may need together: 128 MiB. A function with more registers takes several
/// passes, each for some of them, since registers do not affect each other.
constexpr std::size_t bits_of_a_pass = std::size_t{1} << 30;

/// The first instructions of extended basic blocks: the start, and targets of branches.
std::vector<bool> leaders_of(const FlowGraph& flow) {
  std::vector<bool> leaders(flow.size());
  leaders[0] = true;
  for (Vertex from = 0; from < flow.size(); ++from)
    for (const Vertex to : flow.successors(from))
      if (to != from + 1) leaders[to] = true;
  return leaders;
}

/// The numbers of the registers in the uses of each instruction.
class Numbered {
 public:
  /// Numbers registers that some extended basic block reads without having written them before.
  Numbered(const std::vector<RegisterUse>& uses, const std::vector<bool>& leaders) {
    std::unordered_map<std::uint32_t, std::uint32_t> number;      // by row
    std::unordered_map<std::uint32_t, std::size_t> last_written;  // by row: the number of the block
    std::size_t block = 0;                                        // extended basic block
    for (std::size_t at = 0; at < uses.size(); ++at) {
      if (leaders[at]) ++block;
      for (const Register& read : uses[at].reads) {
        const auto written = last_written.find(read.row);
        if (written != last_written.end() && written->second == block) continue;
        if (number.try_emplace(read.row, static_cast<std::uint32_t>(registers_.size())).second)
          registers_.push_back({read.row, read.bytes, 0});
      }
      if (uses[at].guarded) continue;
      for (const Register& written : uses[at].writes) last_written[written.row] = block;
    }
    const auto add = [&](const std::vector<Register>& used) {
      for (const Register& one : used)
        if (const auto known = number.find(one.row); known != number.end()) numbers_.push_back(known->second);
    };
    begin_.push_back(0);
    for (const RegisterUse& use : uses) {
      add(use.reads);
      begin_.push_back(numbers_.size());
      if (!use.guarded) add(use.writes);
      begin_.push_back(numbers_.size());
    }
  }

  const std::vector<Unwritten>& registers() const { return registers_; }
  std::span<const std::uint32_t> reads(std::size_t at) const { return part(2 * at); }
  std::span<const std::uint32_t> writes(std::size_t at) const { return part(2 * at + 1); }

 private:
  /// Instructions that lowering adds at the end have no uses.
  std::span<const std::uint32_t> part(std::size_t k) const {
    if (k + 1 >= begin_.size()) return {};
    return std::span(numbers_).subspan(begin_[k], begin_[k + 1] - begin_[k]);
  }

  std::vector<Unwritten> registers_;  ///< by number
  std::vector<std::uint32_t>
      numbers_;  ///< for each instruction, those of its reads, then those of its writes
  std::vector<std::size_t> begin_;
};

/// Propagates the sets of possibly unwritten registers along the control flow until they no longer grow. A
/// set is stored only for the leaders of extended basic blocks, which are walked from there.
class Flow {
 public:
  Flow(const FlowGraph& flow, const std::vector<bool>& leaders, const Numbered& uses)
      : flow_(flow), leaders_(leaders), uses_(uses), before_(flow.size()), place_(flow.size()) {
    const DepthFirstSearch search(flow, 0);
    order_ = {search.postorder.rbegin(), search.postorder.rend()};
    for (std::size_t k = 0; k < order_.size(); ++k) place_[order_[k]] = k;
  }

  /// Adds those of the registers from number `begin` up to, but not including, `end` that may be unwritten.
  void add_unwritten(std::size_t begin, std::size_t end, std::vector<Unwritten>& result) {
    begin_ = begin;
    found_.assign(end - begin, false);
    reader_.assign(end - begin, 0);
    std::ranges::fill(before_, std::nullopt);
    enter(0, Registers(end - begin).set());
    while (!waiting_.empty()) {
      const Vertex at = order_[waiting_.top()];
      waiting_.pop();
      if (!waiting_.empty() && order_[waiting_.top()] == at) continue;
      walk(at);
    }
    for (std::size_t k = 0; k < end - begin; ++k) {
      if (!found_[k]) continue;
      result.push_back(uses_.registers()[begin + k]);
      result.back().reader = reader_[k];
    }
  }

 private:
  void enter(Vertex at, const Registers& unwritten) {
    std::optional<Registers>& known = before_[at];
    if (known && unwritten.is_subset_of(*known)) return;
    if (known)
      *known |= unwritten;
    else
      known = unwritten;
    waiting_.push(place_[at]);
  }

  void walk(Vertex at) {
    const Vertex end = static_cast<Vertex>(flow_.size() - 1);
    for (Registers unwritten = *before_[at];; ++at) {
      pass(at, unwritten);
      bool goes_on = false;
      for (const Vertex next : flow_.successors(at))
        if (next == at + 1 && !leaders_[next])
          goes_on = next != end;
        else if (next != end)
          enter(next, unwritten);
      if (!goes_on) return;
    }
  }

  void pass(Vertex at, Registers& unwritten) {
    for (const std::size_t number : uses_.reads(at)) {
      const std::size_t k = number - begin_;
      if (number < begin_ || k >= unwritten.size() || !unwritten[k]) continue;
      reader_[k] = found_[k] ? std::min(reader_[k], at) : at;
      found_[k] = true;
    }
    for (const std::size_t number : uses_.writes(at))
      if (number >= begin_ && number - begin_ < unwritten.size()) unwritten.reset(number - begin_);
  }

  const FlowGraph& flow_;
  const std::vector<bool>& leaders_;
  const Numbered& uses_;
  std::vector<std::optional<Registers>> before_;  ///< by vertex; only leaders have one
  std::vector<Vertex> order_;       ///< reverse postorder: without loops, all predecessors come first
  std::vector<std::size_t> place_;  ///< of each vertex in the order
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> waiting_;  ///< places
  std::size_t begin_ = 0;
  std::vector<bool> found_;
  std::vector<Vertex> reader_;
};

}  // namespace

std::vector<Unwritten> unwritten_registers(const std::vector<Instruction>& code,
                                           const std::vector<MachineOperands>& details,
                                           const std::vector<RegisterUse>& uses) {
  const FlowGraph flow = flow_of(code, details);
  const std::vector<bool> leaders = leaders_of(flow);
  const Numbered numbered(uses, leaders);
  const std::size_t registers = numbered.registers().size();
  if (registers == 0) return {};
  const auto sets = static_cast<std::size_t>(std::ranges::count(leaders, true));
  const std::size_t together = std::max<std::size_t>(64, bits_of_a_pass / sets);
  std::vector<Unwritten> result;
  Flow analysis(flow, leaders, numbered);
  for (std::size_t begin = 0; begin < registers; begin += together)
    analysis.add_unwritten(begin, std::min(registers, begin + together), result);
  return result;
}

}  // namespace foldproof::emulated
