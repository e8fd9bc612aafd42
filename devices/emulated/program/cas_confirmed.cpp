// Traces the values that compare-and-swaps expect backwards through copies to their origins, independent of
// instruction order.
#include "devices/emulated/program/cas_confirmed.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "devices/emulated/isa/shadow_propagation.h"

namespace foldproof::emulated {
namespace {

/// A row of a function's frame.
struct Cell {
  std::size_t function = 0;
  std::uint32_t row = 0;
  auto operator<=>(const Cell&) const = default;
};
using Sources = std::map<Cell, std::vector<Cell>>;

bool is_weak_load(const Instruction& i) {
  return i.action == Action::load &&
         (i.form->semantics == isa::Semantics::none || i.form->semantics == isa::Semantics::weak);
}

// The row of a parameter slot at which an access begins.
std::uint32_t slot_row(const MachineOperands::Address& address) {
  return address.row + static_cast<std::uint32_t>(address.displacement / 4) * 128;
}

class Copies {
 public:
  explicit Copies(const Program& program) : program_(program) {
    for (std::size_t f = 0; f < program.functions.size(); ++f)
      for (const Instruction& i : program.functions[f].instructions) add(f, i);
  }

  /// All cells from which the value of one of these may have been copied, including themselves.
  std::set<Cell> origins(std::vector<Cell> open) const {
    std::set<Cell> seen(open.begin(), open.end());
    while (!open.empty()) {
      const auto from = sources_.find(open.back());
      open.pop_back();
      if (from == sources_.end()) continue;
      for (const Cell& cell : from->second)
        if (seen.insert(cell).second) open.push_back(cell);
    }
    return seen;
  }

 private:
  void add(Cell from, Cell to) { sources_[to].push_back(from); }

  void add(std::size_t f, const Instruction& i) {
    if (i.action == Action::compute && isa::moves_bits(*i.form)) {
      isa::for_each_row(i, [&](std::uint32_t to, unsigned, bool written) {
        if (written)
          isa::for_each_row(i, [&](std::uint32_t from, unsigned, bool also_written) {
            if (!also_written) add({f, from}, {f, to});
          });
      });
    } else if (i.action == Action::call) {
      add_call(f, program_.details[i.detail]);
    } else if (i.action == Action::load || i.action == Action::store) {
      add_slot_access(f, i.action == Action::store, program_.details[i.detail]);
    }
  }

  void add_slot_access(std::size_t f, bool stores, const MachineOperands& detail) {
    if (detail.address.base != MachineOperands::Base::slot || detail.data.size() != 1) return;
    const Cell data{f, detail.data[0]}, slot{f, slot_row(detail.address)};
    if (stores)
      add(data, slot);
    else
      add(slot, data);
  }

  void add_call(std::size_t f, const MachineOperands& detail) {
    if (detail.function == isa::no_operand) return;
    const FunctionCode& callee = program_.functions[detail.function];
    const std::size_t arguments = std::min(detail.arguments.size(), callee.parameters.size());
    for (std::size_t k = 0; k < arguments; ++k)
      add({f, detail.arguments[k].offset}, {detail.function, callee.parameters[k].offset});
  }

  const Program& program_;
  Sources sources_;
};

}  // namespace

void mark_confirmed(Program& program) {
  std::vector<Cell> expected;  // the values that compare-and-swaps expect in memory
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (const Instruction& i : program.functions[f].instructions)
      if (i.action == Action::atomic && i.form->atomic == isa::AtomicKind::cas)
        expected.push_back({f, program.details[i.detail].data[1]});
  if (expected.empty()) return;
  const std::set<Cell> guessed = Copies(program).origins(expected);
  for (std::size_t f = 0; f < program.functions.size(); ++f)
    for (Instruction& load : program.functions[f].instructions)
      if (is_weak_load(load))
        load.confirmed = std::ranges::any_of(program.details[load.detail].data, [&](std::uint32_t row) {
          return guessed.contains({f, row});
        });
}

}  // namespace foldproof::emulated
