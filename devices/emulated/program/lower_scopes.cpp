// Walks a function's body: scopes and their items in order, and labels.
#include <fmt/format.h>

#include <variant>

#include "devices/emulated/program/control_flow.h"
#include "devices/emulated/program/function_lowering.h"

namespace foldproof::emulated {

FunctionLowering::FunctionLowering(LoweringContext& context, const ptx::Function& function)
    : context_(context), function_(function), symbols_(frame_, context.addresses.module) {}

FunctionCode FunctionLowering::run() {
  code_.name = function_.name;
  code_.is_entry = function_.is_entry;
  code_.ptx_line = function_.ptx_line;
  read_directives();
  declare_parameters();
  lower_scope(*function_.body);
  emit_end();
  resolve_labels();
  if (frame_.bytes() > largest_frame) fail("the function needs too many registers", function_.ptx_line);
  code_.frame = frame_.take();
  return std::move(code_);
}

void FunctionLowering::fail(const std::string& sentence, std::uint32_t line) const {
  throw InputError(sentence, {context_.program.name, line, 0});
}

void FunctionLowering::fail(const std::string& sentence) const { fail(sentence, at_.ptx_line); }

void FunctionLowering::lower_scope(const ptx::Scope& scope) {
  symbols_.open_scope();
  // A branch may target a label further down.
  for (const ptx::Item& item : scope.items)
    if (const auto* label = std::get_if<ptx::Label>(&item)) {
      Symbol symbol{Symbol::Kind::label};
      symbol.label = static_cast<std::uint32_t>(label_places_.size());
      label_places_.push_back(isa::no_operand);
      declare(label->name, symbol, label->ptx_line);
    }
  for (const ptx::Item& item : scope.items) std::visit([&](const auto& it) { lower_item(it); }, item);
  symbols_.close_scope();
}

void FunctionLowering::lower_item(const std::unique_ptr<ptx::Scope>& scope) { lower_scope(*scope); }

void FunctionLowering::lower_item(const ptx::Variable& variable) {
  at_ = {variable.ptx_line, 0};
  declare_variable(variable);
}

void FunctionLowering::lower_item(const ptx::Label& label) {
  label_places_[label_of(label.name)] = static_cast<std::uint32_t>(code_.instructions.size());
}

// Line 0 marks code that the compiler moved and that belongs to no line: it keeps the location of the
// preceding statement.
void FunctionLowering::move_to(ptx::Location at) {
  if (at.loc != 0 && context_.program.locs[at.loc].line == 0) at.loc = at_.loc;
  at_ = at;
}

void FunctionLowering::lower_item(const ptx::Statement& statement) {
  move_to(statement.at);
  try {
    lower_statement(statement);
  } catch (const NotCovered& gap) {
    emit_stop(statement.guard, statement.guard_negated, gap.what);
  }
  end_statement(statement.guard.has_value());
}

void FunctionLowering::lower_item(const ptx::CallStatement& call) {
  move_to(call.at);
  try {
    lower_call(call);
  } catch (const NotCovered& gap) {
    emit_stop(call.guard, call.guard_negated, gap.what);
  }
  end_statement(call.guard.has_value());
}

void FunctionLowering::end_statement(bool guarded) {
  use_.guarded = guarded;
  if (uses_.size() < code_.instructions.size()) {
    uses_.resize(code_.instructions.size());
    uses_.back() = std::move(use_);
  }
  use_ = {};
}

std::uint32_t FunctionLowering::label_of(const ptx::Operand& operand) {
  const auto* name = std::get_if<ptx::Name>(&operand.value);
  if (!name) fail("a branch needs a label");
  return label_of(name->text);
}

std::uint32_t FunctionLowering::label_of(const std::string& name) {
  const Symbol* symbol = symbols_.find(name);
  if (!symbol || symbol->kind != Symbol::Kind::label)
    fail(fmt::format("label {} is not declared in this scope", name));
  return symbol->label;
}

// Replaces label numbers by code indices, which are known only now.
void FunctionLowering::resolve_labels() {
  std::vector<std::vector<std::uint32_t>*> indexed;
  auto place = [&](std::uint32_t label) { return label_places_[label]; };
  for (Instruction& i : code_.instructions) {
    if (i.action == Action::branch) i.target = place(i.target);
    if (i.action != Action::branch_indexed) continue;
    auto& targets = context_.program.details[i.detail].targets;
    for (std::uint32_t& target : targets) target = place(target);
    indexed.push_back(&targets);
  }
  code_.unwritten = unwritten_registers(code_.instructions, {indexed.begin(), indexed.end()}, uses_);
  insert_joins(code_.instructions, indexed);
  std::vector<std::uint32_t> moved;
  for (std::uint32_t pc = 0; pc < code_.instructions.size(); ++pc)
    if (code_.instructions[pc].action != Action::join) moved.push_back(pc);
  for (FunctionCode::Unwritten& one : code_.unwritten) one.reader = moved[one.reader];
}

}  // namespace foldproof::emulated
