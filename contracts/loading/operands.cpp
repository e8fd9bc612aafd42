// [[operand]]: the inputs of a reduction besides its elements.
#include <fmt/format.h>

#include <algorithm>

#include "contracts/loading/tables.h"
#include "contracts/names.h"
#include "contracts/sizes.h"

namespace foldproof {
namespace {

/// Throws InputError unless the operands exist, and are what the formula reads. `main`: another formula that
/// reads them; or null.
void check_variables(const Draft& draft, const Reduction& reduction, const Formula* main,
                     const Position& where) {
  for (const FormulaOperand& read : reduction.formula->operands()) {
    const auto operand = std::ranges::find(draft.instance.operands, read.name, &OperandContract::name);
    if (operand == draft.instance.operands.end() || operand->role != Role::variable)
      throw InputError(
          fmt::format("the formula requires an [[operand]] with name = \"{}\" and role = \"variable\"",
                      read.name),
          where);
    if (const std::string why = why_not_variable(read, operand->type, reduction); !why.empty())
      throw InputError(why, where);
    const FormulaOperand* other = main == nullptr ? nullptr : main->operand(read.name);
    if (other != nullptr && other->value != read.value)
      throw InputError(
          fmt::format("the formulas of the contract read different values of the operand \"{}\"", read.name),
          where);
  }
}

void check_operand(const OperandContract& operand, const Instance& instance, const Text& role) {
  if (!instance.reduction)
    throw InputError("an operand requires a [reduction], which specifies its use", role.where);
  const Operator op = instance.reduction->op;
  if (!info(operand.role).is_for(op))
    throw InputError(fmt::format("{} has no operand \"{}\"", name(op), role.value), role.where);
  if (operand.role == Role::offsets && instance.reduction->result != ResultShape::segments)
    throw InputError("offsets require result = \"segments\" in [reduction]", role.where);
  if (operand.role == Role::scales && instance.reduction->where)
    throw InputError("elements with scales cannot be selected with \"where\"", role.where);
  if (operand.role == Role::variable) {
    if (instance.reduction->formula->operand(operand.name) == nullptr)
      throw InputError(fmt::format("the formula \"{}\" does not contain the operand \"{}\"",
                                   instance.reduction->formula->text(), operand.name),
                       role.where);
    return;
  }
  for (const OperandContract& other : instance.operands)
    if (other.role == operand.role)
      throw InputError(fmt::format("an operand \"{}\" already exists", role.value), role.where);
  const std::string_view why = why_not_of_type(operand.role, operand.type, instance.reduction->input);
  if (!why.empty())
    throw InputError(
        fmt::format("an operand \"{}\" cannot have the type {}: {}", role.value, name(operand.type), why),
        role.where);
}

Text usual_count_of(const OperandContract& operand, const Draft& draft, const Position& where) {
  if (operand.role == Role::scales) return {fmt::format("ceil_div(count, {})", operand.group.text()), where};
  if (operand.role == Role::variable)
    return {number_of_values(draft.instance.reduction->formula->operand(operand.name)->value), where};
  if (!needs_columns(draft.instance.reduction->result)) return {usual_count(operand.role, {}), where};
  if (operand.role == Role::targets) return rows_of_output(draft, where);
  return {usual_count(operand.role, "rows"), where};
}

/// The elements of a channel in an example share a weight.
std::string usual_group(const Draft& draft, Role role) {
  if (role != Role::weights && role != Role::biases) return "1";
  const auto& reduction = draft.instance.reduction;
  const bool has_runs =
      reduction && reduction->result == ResultShape::columns && draft.scope.knows("spatial");
  return has_runs ? "spatial" : "1";
}

}  // namespace

std::string why_not_variable(const FormulaOperand& read, Element type, const Reduction& reduction) {
  if (const std::string_view why = why_not_of_type(Role::variable, type, reduction.input); !why.empty())
    return fmt::format("an operand \"{}\" cannot have the type {}: {}", read.name, name(type), why);
  if (!includes(reduction.accumulator, type))
    return fmt::format("choose an accumulator that represents every value of the operand \"{}\"", read.name);
  if (read.value == ValueOf::element) return "";
  const char* each = read.value == ValueOf::row ? "row" : "column";
  if (!needs_columns(reduction.result))
    return fmt::format("the formula reads a value of \"{}\" for each {}, but the result \"{}\" has none",
                       read.name, each, name_of(result_names, reduction.result));
  const bool is_own = (read.value == ValueOf::row) == (reduction.result == ResultShape::rows);
  if (read.is_outside && !is_own && !reduction.formula->is_elementwise())
    return fmt::format("outside of sum() and mean(), each result has several values of \"{}[{}]\"", read.name,
                       each);
  return "";
}

std::string_view why_not_of_type(Role role, Element type, Element elements) {
  switch (role) {
    case Role::second: return type == elements ? "" : "it must have the type of the elements";
    case Role::weights:
    case Role::biases:
    case Role::variable: return is_float(type) ? "" : "it requires a floating-point type";
    case Role::targets:
    case Role::offsets:
      return !is_float(type) && size_of(type) >= 4 ? "" : "it requires an integer type of 32 or 64 bits";
    case Role::scales: break;
  }
  return type == Element::u8 || type == Element::e4m3 ? "" : "scales must be e4m3, or u8 for E8M0";
}

bool requires_operand(const RoleInfo& role, Operator op, ResultShape result) {
  return role.role == Role::offsets ? result == ResultShape::segments : role.is_needed_by(op);
}

// Without rows, the whole input is one row.
std::string usual_count(Role role, const std::optional<std::string>& rows) {
  switch (role) {
    case Role::weights:
    case Role::biases: return rows ? "columns" : "count";
    case Role::targets: return rows.value_or("1");
    case Role::offsets: return "segments + 1";
    default: return "count";
  }
}

void check_needed_operands(const Draft& draft, const Reduction& reduction, const Position& where) {
  const auto& main = draft.instance.reduction->formula;
  if (reduction.formula)
    check_variables(draft, reduction, main == reduction.formula ? nullptr : main.get(), where);
  for (const RoleInfo& role : roles()) {
    const bool there = std::ranges::find(draft.instance.operands, role.role, &OperandContract::role) !=
                       draft.instance.operands.end();
    if (there || !requires_operand(role, reduction.op, reduction.result)) continue;
    const bool offsets = role.role == Role::offsets;
    throw InputError(
        fmt::format("{} requires an [[operand]] with role = \"{}\": {}",
                    offsets ? "result = \"segments\"" : name(reduction.op), role.name, role.synopsis),
        where);
  }
}

void read_operands(Draft& draft) {
  for (const Table& table : draft.top.tables("operand")) {
    OperandContract operand;
    operand.name = draft.scope.add_buffer(*table.text("name"));
    draft.scope.read(table, "role", role_names, operand.role);
    draft.scope.read(table, "type", operand.type);
    const auto group = table.text("group");
    operand.group =
        draft.scope.expression(group ? *group : Text{usual_group(draft, operand.role), table.where("name")});
    const Text role = *draft.scope.text(table, "role");
    check_operand(operand, draft.instance, role);
    const auto count = table.text("count");
    operand.count = draft.scope.expression(count ? *count : usual_count_of(operand, draft, role.where));
    draft.instance.operands.push_back(std::move(operand));
  }
  if (draft.instance.reduction)
    check_needed_operands(draft, *draft.instance.reduction, draft.top.where("reduction"));
}

}  // namespace foldproof
