#include "devices/emulated/machine/polls.h"

#include <algorithm>
#include <set>

namespace foldproof::machine {
namespace {

using Places = std::set<std::uint32_t>;  // indices into the code
using Rows = std::set<std::uint32_t>;

// Whether other threads may change what the instruction reads: strong loads and atomics.
bool may_poll(const Instruction& i) {
  if (i.action == Action::atomic) return true;
  return i.action == Action::load && i.form->semantics != isa::Semantics::none &&
         i.form->semantics != isa::Semantics::weak;
}

std::vector<std::uint32_t> successors(const Code& code, const std::vector<Detail>& details,
                                      std::uint32_t pc) {
  const Instruction& i = code.instructions[pc];
  if (i.action == Action::branch_indexed) return details[i.detail].targets;
  std::vector<std::uint32_t> next;
  if (i.action == Action::branch) next.push_back(i.target);
  const bool leaves = i.action == Action::branch || i.action == Action::ret || i.action == Action::exit ||
                      i.action == Action::trap;
  if (!leaves || i.guard != isa::no_operand) next.push_back(pc + 1);
  std::erase_if(next, [&](std::uint32_t place) { return place >= code.instructions.size(); });
  return next;
}

// Where execution may go from `pc`, one step at least.
Places reachable(const std::vector<std::vector<std::uint32_t>>& next, std::uint32_t pc) {
  Places seen;
  std::vector<std::uint32_t> left = next[pc];
  while (!left.empty()) {
    const std::uint32_t place = left.back();
    left.pop_back();
    if (!seen.insert(place).second) continue;
    left.insert(left.end(), next[place].begin(), next[place].end());
  }
  return seen;
}

// Whether the instruction computes something from influenced rows; what it computes is then influenced, too.
bool spread(const Instruction& i, Rows& influenced) {
  if (i.action != Action::compute) return false;
  const auto rules = isa::operand_rules(*i.form);
  const std::uint32_t* rows = isa::rows_of(i);
  const std::size_t count = i.wide ? rules.size() : std::min(rules.size(), i.operand.size());
  bool reads = influenced.contains(i.guard), grew = false;
  for (std::size_t k = 0; k < count; ++k) reads |= !rules[k].destination && influenced.contains(rows[k]);
  for (std::size_t k = 0; reads && k < count; ++k)
    if (rules[k].destination && rows[k] != isa::no_operand) grew |= influenced.insert(rows[k]).second;
  return grew;
}

bool decides(const Instruction& i, const Rows& influenced) {
  if (i.action == Action::branch_indexed) return influenced.contains(i.operand[0]);
  return i.action == Action::branch && i.guard != isa::no_operand && influenced.contains(i.guard);
}

}  // namespace

void mark_polls(Code& code, const std::vector<Detail>& details) {
  auto& instructions = code.instructions;
  if (std::none_of(instructions.begin(), instructions.end(), may_poll)) return;
  const auto size = static_cast<std::uint32_t>(instructions.size());
  std::vector<std::vector<std::uint32_t>> next(size);
  for (std::uint32_t pc = 0; pc < size; ++pc) next[pc] = successors(code, details, pc);
  for (std::uint32_t pc = 0; pc < size; ++pc) {
    if (!may_poll(instructions[pc])) continue;
    Places loop;
    for (const std::uint32_t place : reachable(next, pc))
      if (reachable(next, place).contains(pc)) loop.insert(place);
    const auto& data = details[instructions[pc].detail].data;
    // The sources of an atomic follow what it gives.
    const auto end =
        instructions[pc].action == Action::atomic ? data.begin() + instructions[pc].form->vector : data.end();
    Rows influenced(data.begin(), end);
    influenced.erase(isa::no_operand);
    const auto spreads = [&](std::uint32_t place) { return spread(instructions[place], influenced); };
    while (std::count_if(loop.begin(), loop.end(), spreads) != 0) {
    }
    instructions[pc].polled = std::any_of(loop.begin(), loop.end(), [&](std::uint32_t place) {
      return decides(instructions[place], influenced);
    });
  }
}

}  // namespace foldproof::machine
