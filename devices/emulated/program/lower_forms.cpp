// Finds the row of ptx.def for a statement, as a Form shared by all equal statements.
#include <fmt/format.h>

#include <algorithm>

#include "devices/emulated/program/function_lowering.h"

namespace foldproof::emulated {

std::string text_of(const ptx::Statement& statement) {
  return fmt::format("{}.{}", statement.opcode, fmt::join(statement.suffixes, "."));
}

// The form of a statement, adapted to operands that affect it: a mov that packs or unpacks a vector, a cvt
// whose registers are wider than its types.
const Form* FunctionLowering::form_of(const ptx::Statement& statement) {
  const bool is_mov = statement.opcode == "mov" && statement.operands.size() == 2;
  if (is_mov && vector_of(statement.operands[0]))
    return packing_form(statement, isa::Packing::unpack, vector_of(statement.operands[0])->size());
  if (is_mov && vector_of(statement.operands[1]))
    return packing_form(statement, isa::Packing::pack, vector_of(statement.operands[1])->size());
  const Form* form = form_of(statement.opcode, statement.suffixes);
  return form->action == Action::compute ? fitted_form(statement, form) : form;
}

const Form* FunctionLowering::form_of(const std::string& opcode, const std::vector<std::string>& suffixes) {
  const std::string text =
      fmt::format("{}{}{}", opcode, suffixes.empty() ? "" : ".", fmt::join(suffixes, "."));
  return interned(text, text, [&] { return isa::find_form(opcode, suffixes); });
}

const Form* FunctionLowering::packing_form(const ptx::Statement& statement, isa::Packing packing,
                                           std::size_t parts) {
  const std::string key =
      fmt::format("{}/{}{}", text_of(statement), parts, packing == isa::Packing::pack ? 'p' : 'u');
  return interned(key, fmt::format("{} with a vector of {}", text_of(statement), parts), [&] {
    return isa::find_packing_mov(packing, static_cast<unsigned>(parts), statement.suffixes);
  });
}

const Form* FunctionLowering::fitted_form(const ptx::Statement& statement, const Form* form) {
  const std::vector<OperandRule> rules = isa::operand_rules(*form);
  if (std::none_of(rules.begin(), rules.end(), [](const auto& rule) { return rule.relaxed; })) return form;
  const unsigned to = operand_bytes(operand(statement, 0), rules[0].type);
  const unsigned from = operand_bytes(operand(statement, 1), rules[1].type);
  const std::string text =
      fmt::format("{} with registers of {} and {} bits", text_of(statement), to * 8, from * 8);
  return interned(fmt::format("{}/{}/{}", text_of(statement), to, from), text, [&]() -> std::optional<Form> {
    Form fitted = *form;
    return isa::fit_registers(fitted, to, from) ? std::optional<Form>(fitted) : std::nullopt;
  });
}

// One Form per key; `make_form` returns std::nullopt if no row matches the text.
const Form* FunctionLowering::interned(const std::string& key, const std::string& text,
                                       const std::function<std::optional<Form>()>& make_form) {
  const auto [found, is_new] = context_.forms.try_emplace(key, nullptr);
  if (is_new)
    if (std::optional<Form> form = make_form())
      found->second = &context_.program.forms.emplace_back(std::move(*form));
  if (!found->second) throw NotCovered{text};
  return found->second;
}

}  // namespace foldproof::emulated
