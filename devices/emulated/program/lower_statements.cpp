// Statements that neither access memory nor call: most are lowered by the operand rules of their row.
#include <fmt/format.h>

#include <algorithm>

#include "devices/emulated/program/function_lowering.h"

namespace foldproof::emulated {

void FunctionLowering::lower_statement(const ptx::Statement& statement) {
  if (lower_special_mov(statement)) return;
  const Form* form = form_of(statement);
  Instruction i = make(form);
  set_guard(statement.guard, statement.guard_negated, i);
  switch (form->action) {
    case Action::branch: i.target = label_of(operand(statement, 0)); return emit(i);
    case Action::branch_indexed: return lower_indexed_branch(statement, i);
    case Action::ret: return emit_return(i);
    case Action::load:
    case Action::store:
    case Action::atomic:
    case Action::reduction:
    case Action::prefetch:
    case Action::async_copy:
    case Action::load_matrix:
    case Action::store_matrix:
    case Action::mbarrier: return lower_memory(statement, i);
    case Action::barrier_sync:
    case Action::barrier_arrive:
    case Action::barrier_reduce: return lower_barrier(statement, i);
    default: return lower_by_rules(statement, i);
  }
}

// mov d, %tid.x: written directly to d.
bool FunctionLowering::lower_special_mov(const ptx::Statement& statement) {
  if (statement.opcode != "mov" || statement.operands.size() != 2) return false;
  const SpecialRow* special = special_in(statement.operands[1]);
  if (!special) return false;
  const Form* form = form_of("mov:special", statement.suffixes);
  Instruction i = make(form);
  set_guard(statement.guard, statement.guard_negated, i);
  emit_special(i, *special, destination(statement.operands[0], form->type, true),
               operand_bytes(statement.operands[0], form->type));
  return true;
}

// Operands in the order of the row's rules; vectors are flattened.
std::vector<std::uint32_t> FunctionLowering::rows_by_rules(const ptx::Statement& statement,
                                                           const Form& form) {
  const std::vector<OperandRule> rules = isa::operand_rules(form);
  std::vector<std::uint32_t> rows;
  std::size_t k = 0;
  const ptx::Operand* previous = nullptr;
  for (const OperandRule& rule : rules) {
    if (rule.name == 'e' && previous) {  // the second destination of d|p, part of the same operand
      const auto& pair = previous->paired_predicate;
      if (!pair && !rule.optional) fail(fmt::format("{} needs a second destination d|p", statement.opcode));
      rows.push_back(pair ? destination(ptx::Operand{*pair, 0, false, {}, {}}, rule.type, false)
                          : isa::no_operand);
    } else if (rule.rank) {
      rows.push_back(read_special(*special_named("%cluster_ctarank"), rule.type));
    } else if (k < statement.operands.size()) {
      previous = &statement.operands[k++];
      for (const ptx::Operand* element : elements_of(*previous, rule))
        rows.push_back(rule.destination ? destination(*element, rule.type, rule.relaxed)
                                        : source(*element, rule.type, rule.relaxed));
    } else if (rule.optional) {
      rows.push_back(isa::no_operand);
    } else {
      fail(fmt::format("{} has too few operands: {} are missing", statement.opcode,
                       rules.size() - rows.size()));
    }
  }
  if (k < statement.operands.size()) fail(fmt::format("{} has too many operands", statement.opcode));
  return rows;
}

// Appends the instruction with the MachineOperands that its action requires.
void FunctionLowering::lower_by_rules(const ptx::Statement& statement, Instruction i) {
  const std::vector<std::uint32_t> rows = rows_by_rules(statement, *i.form);
  if (rows.size() > i.operand.size()) i.wide = context_.program.wide_operands.emplace_back(rows).data();
  std::copy_n(rows.begin(), std::min(rows.size(), i.operand.size()), i.operand.begin());
  switch (i.action) {
    case Action::shuffle:
    case Action::vote:
    case Action::match:
    case Action::warp_reduce:
    case Action::elect:
    case Action::warp_sync: {
      MachineOperands detail;
      detail.operands = static_cast<std::uint8_t>(rows.size());
      detail.member_mask = rows.back();  // always the last operand
      detail.register_bytes = static_cast<std::uint8_t>(column_bytes(i.form->type));
      return emit(i, std::move(detail));
    }
    case Action::compute:
    case Action::matrix_multiply:
      if (!i.compute) throw NotCovered{text_of(statement)};
      return i.action == Action::compute ? emit(i) : emit(i, MachineOperands{});
    default: return emit(i, MachineOperands{});
  }
}

void FunctionLowering::lower_indexed_branch(const ptx::Statement& statement, Instruction i) {
  i.operand[0] = source(operand(statement, 0), Type::u32, false);
  const auto* list = std::get_if<ptx::Name>(&operand(statement, 1).value);
  const auto found = list ? function_.branch_targets.find(list->text) : function_.branch_targets.end();
  if (found == function_.branch_targets.end()) fail("brx.idx needs the label of a .branchtargets list");
  context_.indexed_targets += found->second.size();
  if (context_.indexed_targets > most_indexed_targets)
    fail(fmt::format("the brx.idx instructions of the module have more than {} targets; split the module",
                     most_indexed_targets));
  MachineOperands detail;
  for (const std::string& label : found->second) detail.targets.push_back(label_of(label));
  emit(i, std::move(detail));
}

// bar.sync a{, b};  bar.arrive a, b;  bar.red.op d, a{, b}, {!}c;   barrier.cta has the same syntax.
void FunctionLowering::lower_barrier(const ptx::Statement& statement, Instruction i) {
  const bool reduces = i.action == Action::barrier_reduce;
  std::size_t k = 0;
  const std::size_t given = statement.operands.size();
  if (reduces) {
    if (given < 3 || given > 4) fail(fmt::format("{}.red needs 3 or 4 operands", statement.opcode));
    i.operand[0] = destination(operand(statement, k++), i.form->type, false);
  } else if (given < 1 || given > 2) {
    fail(fmt::format("{} needs 1 or 2 operands", statement.opcode));
  }
  MachineOperands detail;
  const ptx::Operand& number = operand(statement, k++);
  i.operand[1] = source(number, Type::u32, false);
  if (const auto value = immediate(number, Type::u32)) detail.barrier = static_cast<std::uint32_t>(*value);
  if (given - k > (reduces ? 1u : 0u)) i.operand[2] = source(operand(statement, k++), Type::u32, false);
  if (reduces) i.operand[3] = source(operand(statement, k), Type::pred, false);
  emit(i, std::move(detail));
}

}  // namespace foldproof::emulated
