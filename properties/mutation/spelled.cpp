#include "properties/mutation/spelled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ptx/edit.h"

namespace foldproof::mutation {
std::string Spelled::text() const {
  std::string spelled = guard + opcode;
  for (const std::string& suffix : suffixes) spelled += "." + suffix;
  if (!operands.empty()) spelled += fmt::format(" {}", fmt::join(operands, ", "));
  return spelled + ";";
}

bool Spelled::has(std::string_view suffix) const {
  return std::ranges::find(suffixes, suffix) != suffixes.end();
}

Spelled Spelled::with(std::string_view suffix, std::string_view by) const {
  Spelled changed = *this;
  const auto at = std::ranges::find(changed.suffixes, suffix);
  if (at == changed.suffixes.end()) return changed;
  if (by.empty())
    changed.suffixes.erase(at);
  else
    *at = by;
  return changed;
}

Spelled Spelled::with_operand(std::size_t index, std::string by) const {
  Spelled changed = *this;
  changed.operands.at(index) = std::move(by);
  return changed;
}

Spelled spell(const ptx::Statement& statement, const ptx::Source& source) {
  Spelled spelled;
  if (statement.guard)
    spelled.guard = fmt::format("@{}{} ", statement.guard_negated ? "!" : "", statement.guard->text);
  spelled.opcode = statement.opcode;
  spelled.suffixes = statement.suffixes;
  for (const ptx::Operand& operand : statement.operands)
    spelled.operands.emplace_back(ptx::text_of(source, operand.extent));
  return spelled;
}

}  // namespace foldproof::mutation
