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

bool Program::is_cooperative_groups(const Instruction& instruction) const {
  if (instruction.loc == 0 || instruction.loc >= locs.size()) return false;
  return cooperative_groups_files.contains(locs[instruction.loc].file);
}

Position Program::position(const Instruction& instruction) const {
  if (const auto place = ptx::position(locs, files, instruction.loc)) return *place;
  const bool is_ptx = name.ends_with(".ptx");
  return {is_ptx ? name : "the PTX of " + name, instruction.ptx_line, 0};
}

}  // namespace foldproof::emulated
