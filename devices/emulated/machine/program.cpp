#include "devices/emulated/machine/program.h"

#include <algorithm>
#include <optional>

namespace foldproof::machine {
namespace {

bool is_toolkit_file(std::string_view path) {
  return path.find("/targets/x86_64-linux/include/") != std::string_view::npos ||
         path.find("/cuda/include/") != std::string_view::npos || path.find("/usr/include/") == 0 ||
         path.find("/usr/lib/gcc/") == 0;
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
