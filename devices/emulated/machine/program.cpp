#include "devices/emulated/machine/program.h"

#include <algorithm>
#include <optional>

namespace foldproof::machine {
namespace {

bool is_toolkit_file(std::string_view path) {
  constexpr std::string_view roots[] = {"/usr/include/", "/usr/lib/gcc/", "/usr/local/cuda", "/opt/cuda"};
  constexpr std::string_view parts[] = {"/targets/x86_64-linux/include/", "/cuda/include/", "/include/cccl/",
                                        "/include/cooperative_groups/"};
  return std::ranges::any_of(roots, [&](std::string_view root) { return path.starts_with(root); }) ||
         std::ranges::any_of(parts, [&](std::string_view part) { return path.find(part) != path.npos; });
}

}  // namespace

const Code* Program::entry(std::string_view entry_name) const {
  for (const Code& code : functions)
    if (code.is_entry && code.name == entry_name) return &code;
  return nullptr;
}

std::uint32_t Program::shared_static_bytes(const Code& entry) const {
  std::uint32_t bytes = 0;
  for (const SharedVariable& variable : shared)
    if (variable.entry.empty() || variable.entry == entry.name) bytes = std::max(bytes, variable.packed_end);
  return bytes;
}

bool Program::is_cooperative_groups(const Instruction& instruction) const {
  if (instruction.loc == 0 || instruction.loc >= locs.size()) return false;
  const auto file = files.find(locs[instruction.loc].file);
  return file != files.end() && file->second.find("/cooperative_groups/") != std::string::npos;
}

Position Program::position(const Instruction& instruction) const {
  std::optional<Position> innermost;
  for (std::uint32_t loc = instruction.loc; loc != 0 && loc < locs.size(); loc = locs[loc].inlined_at) {
    const auto file = files.find(locs[loc].file);
    if (file == files.end() || locs[loc].line == 0) continue;
    const Position here{file->second, locs[loc].line, locs[loc].column};
    if (!is_toolkit_file(file->second)) return here;
    if (!innermost) innermost = here;
  }
  return innermost.value_or(Position{name, instruction.ptx_line, 0});
}

}  // namespace foldproof::machine
