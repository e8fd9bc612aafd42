#include "devices/emulated/program/program.h"

#include <algorithm>

#include "ptx/query.h"

namespace foldproof::emulated {

const FunctionCode* Program::entry(std::string_view entry_name) const {
  for (const FunctionCode& code : functions)
    if (code.is_entry && code.name == entry_name) return &code;
  return nullptr;
}

std::uint32_t Program::shared_static_bytes(const FunctionCode& entry) const {
  std::uint32_t bytes = 0;
  for (const SharedVariable& variable : shared)
    if (variable.entry.empty() || variable.entry == entry.name) bytes = std::max(bytes, variable.packed_end);
  return bytes;
}

bool Program::is_in(const std::set<std::uint32_t>& numbers, const Instruction& instruction) const {
  if (numbers.empty()) return false;
  for (std::uint32_t loc = instruction.loc; loc != 0 && loc < locs.size(); loc = locs[loc].inlined_at)
    if (numbers.contains(locs[loc].file)) return true;
  return false;
}

Position Program::position(const Instruction& instruction) const {
  if (const auto place = ptx::position(locs, files, instruction.loc)) return *place;
  const bool is_ptx = name.ends_with(".ptx");
  return {is_ptx ? name : "the PTX of " + name, instruction.ptx_line, 0};
}

}  // namespace foldproof::emulated
