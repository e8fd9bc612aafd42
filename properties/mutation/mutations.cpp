#include "properties/mutation/mutations.h"

namespace foldproof::mutation {

std::optional<std::uint64_t> Candidate::integer(std::size_t operand) const {
  if (operand >= statement.operands.size()) return std::nullopt;
  const auto& value = statement.operands[operand].value;
  if (const auto* literal = std::get_if<ptx::Literal>(&value))
    return literal->form == ptx::Literal::Form::integer ? std::optional(literal->bits) : std::nullopt;
  const auto* name = std::get_if<ptx::Name>(&value);
  if (name == nullptr || !name->component.empty() || statement.operands[operand].offset != 0)
    return std::nullopt;
  return definitions.constant(name->text);
}

std::span<const Row> rows() {
  static constexpr Row table[] = {
#define FOLDPROOF_MUTATION(id, name, does) {name, does, id},
#include "properties/mutation/mutations.def"
#undef FOLDPROOF_MUTATION
  };
  return table;
}

}  // namespace foldproof::mutation
