// Walks a function's body: scopes and their items in order, and labels.
#include <fmt/format.h>

#include <variant>

#include "devices/emulated/program/function_lowering.h"
#include "ptx/query.h"

namespace foldproof::emulated {

FunctionCode FunctionLowering::run() {
  code_.name = function_.name;
  code_.is_entry = function_.is_entry;
  code_.ptx_line = function_.ptx_line;
  const ptx::LaunchBounds bounds = ptx::bounds(function_);
  code_.max_threads = bounds.most_threads;
  code_.required_threads = bounds.required_threads;
  code_.required_cluster = bounds.required_cluster;
  declare_parameters();
  lower_scope(*function_.body);
  at_ = {function_.ptx_line, 0};
  emit_return(make_machine(Action::ret));  // the end of a body returns like `ret`
  resolve_labels();
  check_frame(function_.ptx_line);
  context_.frame_bytes += frame_.bytes();
  if (context_.frame_bytes > largest_frames)
    fail(fmt::format("the registers of the module's functions need more than {} MiB; split the module",
                     largest_frames >> 20),
         function_.ptx_line);
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
      const auto number = static_cast<std::uint32_t>(label_places_.size());
      label_places_.push_back(isa::no_operand);
      declare(label->name, {.kind = Symbol::Kind::label, .label = number}, label->ptx_line);
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

template <class Statement>
void FunctionLowering::lower_item(const Statement& statement) {
  // Line 0 marks code that the compiler moved and that belongs to no line: it keeps the location of the
  // preceding statement.
  const ptx::Location at = statement.at;
  const bool moved = at.loc != 0 && context_.program.locs[at.loc].line == 0;
  at_ = {at.ptx_line, moved ? at_.loc : at.loc};
  try {
    lower_statement(statement);
  } catch (const NotCovered& gap) {
    // The stop keeps the statement's guard: it applies only to lanes that would execute the statement.
    Instruction stop = make_machine(Action::unsupported);
    set_guard(statement.guard, statement.guard_negated, stop);
    stop.target = static_cast<std::uint32_t>(context_.program.unsupported.size());
    context_.program.unsupported.push_back(gap.what);
    emit(stop);
  }
  end_statement(statement.guard.has_value());
}

void FunctionLowering::end_statement(bool guarded) {
  check_frame(at_.ptx_line);
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
  auto& details = context_.program.details;
  for (Instruction& i : code_.instructions) {
    if (i.action == Action::branch) i.target = label_places_[i.target];
    if (i.action == Action::branch_indexed)
      for (std::uint32_t& target : details[i.detail].targets) target = label_places_[target];
  }
  code_.unwritten = unwritten_registers(code_.instructions, details, uses_);
  insert_joins(code_.instructions, details);
  std::vector<std::uint32_t> moved;
  for (std::uint32_t pc = 0; pc < code_.instructions.size(); ++pc)
    if (code_.instructions[pc].action != Action::join) moved.push_back(pc);
  for (FunctionCode::Unwritten& one : code_.unwritten) one.reader = moved[one.reader];
}

}  // namespace foldproof::emulated
