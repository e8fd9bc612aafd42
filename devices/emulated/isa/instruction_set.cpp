#include "devices/emulated/isa/instruction_set.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace foldproof::isa {
namespace {

constexpr IsaSection all_sections[] = {
#define FOLDPROOF_SECTION(number, title) {number, title},
#define FOLDPROOF_INSTRUCTION(section, name, implementing_rows, reason)
#include "devices/emulated/isa/instruction_set.def"
#undef FOLDPROOF_SECTION
#undef FOLDPROOF_INSTRUCTION
};

constexpr IsaInstruction all_instructions[] = {
#define FOLDPROOF_SECTION(number, title)
#define FOLDPROOF_INSTRUCTION(section, name, implementing_rows, reason) \
  {section, name, implementing_rows, reason},
#include "devices/emulated/isa/instruction_set.def"
#undef FOLDPROOF_SECTION
#undef FOLDPROOF_INSTRUCTION
};

}  // namespace

std::span<const IsaSection> isa_sections() { return all_sections; }

std::span<const IsaInstruction> isa_instructions() { return all_instructions; }

std::vector<const Row*> rows_of(const IsaInstruction& instruction) {
  std::vector<const Row*> found;
  for (std::string_view left = instruction.rows; !left.empty();) {
    const std::string_view id = left.substr(0, left.find(' '));
    const auto row = std::ranges::find(rows(), id, &Row::id);
    if (row == rows().end()) throw std::logic_error("ptx.def has no row " + std::string(id));
    found.push_back(&*row);
    left.remove_prefix(std::min(id.size() + 1, left.size()));
  }
  return found;
}

}  // namespace foldproof::isa
